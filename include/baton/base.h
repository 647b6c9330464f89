/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base.h - the types every other header uses: strings, statuses, arenas, buffers.
 *
 * Nothing here knows about handoffs or keeps global state. An arena or a buffer may be used by one
 * thread at a time.
 */
#ifndef BATON_BASE_H
#define BATON_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * The initialiser of a sized struct, one whose first member is `size`: BT_INIT(struct
 * bt_json_read_result). All other members are zero, which is the default of each.
 */
#ifdef __cplusplus
template <typename type> static inline type bt_init_sized()
{
    type made = type();
    made.size = static_cast<uint32_t>(sizeof(type));
    return made;
}
#define BT_INIT(type) bt_init_sized<type>()
extern "C" {
#else
/* clang-format off */
#define BT_INIT(type) {.size = sizeof(type)}
/* clang-format on */
#endif

#define BT_API __attribute__((visibility("default")))
#define BT_MUST_USE __attribute__((warn_unused_result))
#define BT_PRINTF(format_index, first_index)                                                       \
    __attribute__((format(printf, format_index, first_index)))

/* ---- Statuses -------------------------------------------------------------------------------- */

/* Why a call could not do its work. It says nothing about the document. */
enum bt_status {
    BT_OK = 0,
    BT_ENOMEM,    /* the arena reached its limit, or the system has no memory */
    BT_ELIMIT,    /* a fixed bound was reached: a buffer, a queue, a list */
    BT_EIO,       /* a read or write failed */
    BT_ECORRUPT,  /* stored data failed its own checks */
    BT_EINVAL,    /* an invalid argument: an unknown name, a malformed option */
    BT_ENOENT,    /* the file, name or entry does not exist */
    BT_EDENIED,   /* it exists but may not be used: outside the directory, not a regular file */
    BT_EEXIST,    /* it exists already and was not changed */
    BT_EINTERNAL, /* the library contradicts itself: a bug */
};

/* A name for people, such as "no memory" or "limit reached". Never NULL; a constant. */
BT_API const char *bt_status_text(enum bt_status status);

#define BT_ERROR_TEXT_BYTES 160

/*
 * Details of a failure, in the caller's memory. Written only when a call returns a status other
 * than BT_OK.
 */
struct bt_error {
    enum bt_status status;
    char text[BT_ERROR_TEXT_BYTES]; /* NUL-terminated, control characters replaced by '?' */
};

/*
 * Fill `error` (which may be NULL) and return `status`, so that a function can write `return
 * bt_error_set(error, BT_EIO, "...")`. */
BT_API enum bt_status bt_error_set(struct bt_error *error, enum bt_status status,
                                   const char *format, ...) BT_PRINTF(3, 4);

/* Return early on failure. Use it only in functions that own nothing outside an arena. */
#define BT_TRY(call)                                                                               \
    do {                                                                                           \
        enum bt_status bt_try_status = (call);                                                     \
        if (bt_try_status != BT_OK) {                                                              \
            return bt_try_status;                                                                  \
        }                                                                                          \
    } while (0)

/* ---- Strings --------------------------------------------------------------------------------- */

/* A borrowed run of bytes: copied freely, never NUL-terminated, never freed. */
typedef struct bt_str {
    const char *ptr;
    size_t len;
} bt_str;

struct bt_str_list {
    const bt_str *items;
    size_t count;
};

/* clang-format off */
#define BT_STR_INIT(literal) {"" literal "", sizeof(literal) - 1}
#ifdef __cplusplus
#define BT_STR(literal) bt_str{"" literal "", sizeof(literal) - 1}
#else
#define BT_STR(literal) ((bt_str)BT_STR_INIT(literal))
#endif
/* clang-format on */

/* printf("%.*s", BT_STR_ARG(s)); only for strings known to be short. */
#define BT_STR_ARG(s) (int)(s).len, (s).ptr

/* The bytes of a NUL-terminated string; NULL gives the empty string. */
static inline bt_str bt_str_of(const char *text)
{
    bt_str all = BT_STR_INIT("");
    if (text) {
        all.ptr = text;
        all.len = strlen(text);
    }
    return all;
}

static inline bool bt_str_eq(bt_str a, bt_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* True when `text` begins with `prefix`; the empty prefix always matches. */
BT_API bool bt_str_starts_with(bt_str text, bt_str prefix);
/* True when `text` ends with `suffix`; the empty suffix always matches. */
BT_API bool bt_str_ends_with(bt_str text, bt_str suffix);
/*
 * Compare bytes: negative, zero or positive. When one is a prefix of the other, the shorter is
 * less.
 */
BT_API int bt_str_compare(bt_str a, bt_str b);
/* The offset of the first `byte` at or after `from`, or text.len when it does not occur. */
BT_API size_t bt_str_find_byte(bt_str text, char byte, size_t from);
/* The bytes from `from` up to but excluding `to`; both are clamped to the string. */
BT_API bt_str bt_str_slice(bt_str text, size_t from, size_t to);

/*
 * Parse a decimal number without sign or white space. BT_EINVAL: the text is not such a number.
 * BT_ELIMIT: the number is above UINT64_MAX.
 */
BT_API BT_MUST_USE enum bt_status bt_str_to_u64(bt_str text, uint64_t *out);

/* ---- Arena ----------------------------------------------------------------------------------- */

struct bt_arena_chunk;

/*
 * Memory with one owner and one end: allocations live until the arena is rewound, reset or freed.
 * The limit counts the bytes taken from the system and is never exceeded.
 */
struct bt_arena {
    struct bt_arena_chunk *chunk; /* the newest; it links to the older ones */
    char *next;                   /* first free byte of the newest chunk */
    char *end;
    size_t limit;
    size_t taken;
    /* the last failed allocation was refused by the system, not by the limit */
    bool system_refused;
};

/* A point to which an arena can be rewound. */
struct bt_arena_mark {
    struct bt_arena_chunk *chunk;
    char *next;
};

/* Make an empty arena that may take up to `limit` bytes from the system. Allocates nothing yet. */
BT_API void bt_arena_init(struct bt_arena *arena, size_t limit);
/* Free all memory. The arena is empty afterwards and may be used again. */
BT_API void bt_arena_free(struct bt_arena *arena);
/* Forget all allocations but keep the largest chunk, so that the next message starts warm. */
BT_API void bt_arena_reset(struct bt_arena *arena);
/* The current position, for bt_arena_rewind(). */
BT_API struct bt_arena_mark bt_arena_mark(const struct bt_arena *arena);
/* Forget every allocation made since the mark was taken. */
BT_API void bt_arena_rewind(struct bt_arena *arena, struct bt_arena_mark mark);
/*
 * `size` bytes aligned to 16, not initialised. NULL when the limit is reached or the system has no
 * memory.
 */
BT_API BT_MUST_USE void *bt_arena_alloc(struct bt_arena *arena, size_t size);
/* Shrink the newest allocation to `size` bytes and free the rest of it for later allocations. */
BT_API void bt_arena_shrink_last(struct bt_arena *arena, void *memory, size_t size);
/*
 * `count` times `size` zeroed bytes. NULL when the limit is reached, the system has no memory or
 * the product overflows.
 */
BT_API BT_MUST_USE void *bt_arena_calloc(struct bt_arena *arena, size_t count, size_t size);
/*
 * Copy `text` into the arena. On BT_OK *out is the copy, followed by a NUL byte. BT_ENOMEM: as for
 * bt_arena_alloc().
 */
BT_API BT_MUST_USE enum bt_status bt_arena_copy(struct bt_arena *arena, bt_str text, bt_str *out);
/*
 * Format like printf() into the arena. On BT_OK *out is the text. BT_ENOMEM: as for
 * bt_arena_alloc().
 */
BT_API BT_MUST_USE enum bt_status bt_arena_printf(struct bt_arena *arena, bt_str *out,
                                                  const char *format, ...) BT_PRINTF(3, 4);

#define BT_NEW(arena, type) ((type *)bt_arena_calloc((arena), 1, sizeof(type)))
#define BT_NEW_ARRAY(arena, type, count) ((type *)bt_arena_calloc((arena), (count), sizeof(type)))

/* ---- Buffer ---------------------------------------------------------------------------------- */

/*
 * Bytes that grow, up to a maximum fixed when the buffer is made.
 *
 * Failure sticks: the first put that cannot be done sets `status`, later puts do nothing, and the
 * caller checks once at the end. So a renderer needs no error handling on each line, and nothing is
 * truncated silently.
 */
struct bt_buf {
    char *ptr;
    size_t len;
    size_t capacity;
    size_t max;
    enum bt_status status;
};

/* Make an empty buffer that holds at most `max` bytes. Allocates nothing yet. */
BT_API void bt_buf_init(struct bt_buf *buf, size_t max);
/* Free the memory. The buffer is empty afterwards and may be used again. */
BT_API void bt_buf_free(struct bt_buf *buf);
/* Drop the content and the sticky failure, but keep the memory. */
BT_API void bt_buf_clear(struct bt_buf *buf);
BT_API void bt_buf_put(struct bt_buf *buf, bt_str text);
BT_API void bt_buf_put_char(struct bt_buf *buf, char byte);
static inline void bt_buf_put_text(struct bt_buf *buf, const char *text)
{
    bt_buf_put(buf, bt_str_of(text));
}

BT_API void bt_buf_put_repeat(struct bt_buf *buf, char byte, size_t count);
BT_API void bt_buf_put_u64(struct bt_buf *buf, uint64_t number);
BT_API void bt_buf_printf(struct bt_buf *buf, const char *format, ...) BT_PRINTF(2, 3);
/*
 * Make room for `size` more bytes and return a pointer to it, or NULL (the failure sticks). The
 * caller writes up to `size` bytes there and adds the number written to buf->len.
 */
BT_API BT_MUST_USE char *bt_buf_reserve(struct bt_buf *buf, size_t size);
/* The content; valid until the next put. */
BT_API bt_str bt_buf_str(const struct bt_buf *buf);
/*
 * Copy the content into an arena. Returns the buffer's own failure if it has one; BT_ENOMEM: the
 * arena reached its limit.
 */
BT_API BT_MUST_USE enum bt_status bt_buf_copy(const struct bt_buf *buf, struct bt_arena *arena,
                                              bt_str *out);

/* ---- Text ------------------------------------------------------------------------------------ */

/* The offset of the first byte that does not begin a well-formed UTF-8 sequence, or text.len. */
BT_API size_t bt_utf8_check(bt_str text);
/* The number of code points in well-formed UTF-8. A surrogate in three bytes counts as one. */
BT_API size_t bt_utf8_count(bt_str text);
/* Decode the sequence at `from` (which must be well-formed) and return its length in bytes. */
BT_API size_t bt_utf8_decode(bt_str text, size_t from, uint32_t *out_code_point);
/* Encode a code point (surrogates are allowed) and return the number of bytes, 1 to 4. */
BT_API size_t bt_utf8_encode(uint32_t code_point, char out[4]);

/* True when the text is empty or holds only white space and zero-width characters. */
BT_API bool bt_str_is_blank(bt_str text);
/*
 * The text without white space and zero-width characters at both ends. It must be UTF-8, like every
 * string of a document; surrogates in three bytes are allowed.
 */
BT_API bt_str bt_str_trim(bt_str text);

/*
 * Put `text` so that it can be shown to a person: control characters, bytes that are not UTF-8 and
 * characters that reorder or hide text are escaped as \n, \x1b or \u{202e}. A text longer than
 * max_bytes is truncated at a character boundary and ends in "...".
 */
BT_API void bt_buf_put_printable(struct bt_buf *buf, bt_str text, size_t max_bytes);
/*
 * Put an address without its secrets: in a URL, or in a list of NAME=VALUE as libpq takes it,
 * passwords and tokens become ***. Other texts are put unchanged.
 */
BT_API void bt_buf_put_masked(struct bt_buf *buf, bt_str text);
/*
 * True when the character, which must be above U+007F, is a control character, reorders or hides
 * text, or has no width (variation selectors, fillers). For callers that escape such characters in
 * their own format.
 */
BT_API bool bt_code_point_is_hidden(uint32_t code_point);

/* ---- Bytes as text --------------------------------------------------------------------------- */

/* Put base64 (RFC 4648 section 4), padded. */
BT_API void bt_base64_put(struct bt_buf *buf, bt_str bytes);
/* Put base64url (section 5) without padding. */
BT_API void bt_base64url_put(struct bt_buf *buf, bt_str bytes);
/*
 * The number of bytes that a padded base64 text decodes to, or SIZE_MAX when it is not the
 * canonical encoding: it has white space, wrong padding or stray bits.
 */
BT_API size_t bt_base64_decoded_size(bt_str text);
/*
 * Decode a text for which bt_base64_decoded_size() gave a size, and write that many bytes to `out`.
 */
BT_API void bt_base64_decode(bt_str text, void *out);

/* ---- Positions ------------------------------------------------------------------------------- */

/* A line and column, both from 1, the column in bytes. */
struct bt_position {
    uint32_t line;
    uint32_t column;
};

/* The position of `offset` (clamped to the text). Scans the text from its beginning. */
BT_API struct bt_position bt_position_at(bt_str text, size_t offset);

#ifdef __cplusplus
}
#endif

#endif
