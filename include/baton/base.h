/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base.h - the types every other header uses: strings, statuses, arenas, buffers.
 *
 * Nothing here knows about handoffs or keeps global state.
 *
 * Threads: an arena or a buffer belongs to one thread at a time. Every other function may be called
 * from any thread.
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

/* Marks what programs may use. The library exports exactly what has this mark. */
#define BT_API __attribute__((visibility("default")))
/* The compiler warns when the result of the function is not used. */
#define BT_MUST_USE __attribute__((warn_unused_result))
/* Something better has come: BT_DEPRECATED("use bt_x"). It keeps working within the generation. */
#define BT_DEPRECATED(text) __attribute__((deprecated(text)))
/* The size of a struct that never changes, with pointers of 64 and of 32 bits. */
#ifdef __cplusplus
#define BT_SIZE_IS(type, bytes_64, bytes_32)                                                       \
    static_assert(sizeof(type) == (sizeof(void *) == 8 ? bytes_64 : bytes_32), "frozen")
#else
#define BT_SIZE_IS(type, bytes_64, bytes_32)                                                       \
    _Static_assert(sizeof(type) == (sizeof(void *) == 8 ? (bytes_64) : (bytes_32)), "frozen")
#endif

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

/* The size of the text of a struct bt_error, with its NUL byte. */
#define BT_ERROR_TEXT_BYTES 160

/*
 * Details of a failure, in the caller's memory. Written only when a call returns a status other
 * than BT_OK.
 */
struct bt_error {
    enum bt_status status;
    char text[BT_ERROR_TEXT_BYTES]; /* NUL-terminated, control characters replaced by '?' */
};

BT_SIZE_IS(struct bt_error, 164, 164);

/* ---- Strings --------------------------------------------------------------------------------- */

/* A borrowed run of bytes: copied freely, never NUL-terminated, never freed. */
typedef struct bt_str {
    const char *ptr;
    size_t len;
} bt_str;

BT_SIZE_IS(bt_str, 16, 8);

/* A literal as the initialiser of a bt_str, and as a bt_str. */
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

/* True when both have the same bytes. */
static inline bool bt_str_eq(bt_str a, bt_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* Compare bytes: negative, zero or positive. A prefix of the other is less. */
static inline int bt_str_compare(bt_str a, bt_str b)
{
    const size_t common = a.len < b.len ? a.len : b.len;
    const int order = common > 0 ? memcmp(a.ptr, b.ptr, common) : 0;
    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

/* The offset of the first `byte` at or after `from`, or text.len when it does not occur. */
static inline size_t bt_str_find_byte(bt_str text, char byte, size_t from)
{
    const char *found = NULL;
    if (from < text.len) {
        found = (const char *)memchr(text.ptr + from, byte, text.len - from);
    }
    return found ? (size_t)(found - text.ptr) : text.len;
}

/* The bytes from `from` up to but excluding `to`; both are clamped to the string. */
static inline bt_str bt_str_slice(bt_str text, size_t from, size_t to)
{
    bt_str part = BT_STR_INIT("");
    const size_t end = to < text.len ? to : text.len;
    const size_t begin = from < end ? from : end;
    if (text.ptr) {
        part.ptr = text.ptr + begin;
        part.len = end - begin;
    }
    return part;
}

/* True when `text` begins with `prefix`; the empty prefix always matches. */
static inline bool bt_str_starts_with(bt_str text, bt_str prefix)
{
    return text.len >= prefix.len && bt_str_eq(bt_str_slice(text, 0, prefix.len), prefix);
}

/* True when `text` ends with `suffix`; the empty suffix always matches. */
static inline bool bt_str_ends_with(bt_str text, bt_str suffix)
{
    return text.len >= suffix.len &&
           bt_str_eq(bt_str_slice(text, text.len - suffix.len, text.len), suffix);
}

/* ---- Arena ----------------------------------------------------------------------------------- */

/*
 * Memory with one owner and one end: allocations live until the arena is reset or destroyed. The
 * limit counts the bytes taken from the system and is never exceeded.
 */
struct bt_arena;

/*
 * Make an empty arena that may take up to `limit` bytes from the system. NULL: no memory. Destroy
 * it with bt_arena_destroy().
 */
BT_API BT_MUST_USE struct bt_arena *bt_arena_create(size_t limit);
/* Destroy it and free all its memory. NULL is allowed. */
BT_API void bt_arena_destroy(struct bt_arena *arena);
/*
 * Forget all allocations, which ends every document and text that lives in it, but keep the largest
 * chunk, so that the next message starts warm.
 */
BT_API void bt_arena_reset(struct bt_arena *arena);
/*
 * `size` bytes aligned to 16, not initialised. NULL when the limit is reached or the system has no
 * memory.
 */
BT_API BT_MUST_USE void *bt_arena_alloc(struct bt_arena *arena, size_t size);
/*
 * Copy `text` into the arena. On BT_OK *out is the copy, followed by a NUL byte. BT_ENOMEM: as for
 * bt_arena_alloc().
 */
BT_API BT_MUST_USE enum bt_status bt_arena_copy(struct bt_arena *arena, bt_str text, bt_str *out);

/* ---- Buffer ---------------------------------------------------------------------------------- */

/*
 * Bytes that grow, up to a maximum fixed when the buffer is made.
 *
 * Failure sticks: after the first put that cannot be done later puts do nothing, and the caller
 * asks bt_buf_status() once at the end. So nothing is truncated silently.
 */
struct bt_buf;

/*
 * Make an empty buffer that holds at most `max` bytes. NULL: no memory. Destroy it with
 * bt_buf_destroy().
 */
BT_API BT_MUST_USE struct bt_buf *bt_buf_create(size_t max);
/* Destroy it and free its memory. NULL is allowed. */
BT_API void bt_buf_destroy(struct bt_buf *buf);
/* Drop the content and the sticky failure, but keep the memory. */
BT_API void bt_buf_clear(struct bt_buf *buf);
/* Append a copy of the text. A failure sticks. */
BT_API void bt_buf_put(struct bt_buf *buf, bt_str text);
/*
 * BT_OK, or the first failure since the buffer was made or cleared. BT_ELIMIT: it would hold more
 * than its maximum. BT_ENOMEM: no memory.
 */
BT_API enum bt_status bt_buf_status(const struct bt_buf *buf);
/* The content; valid until the next put. */
BT_API bt_str bt_buf_str(const struct bt_buf *buf);

/* ---- Text ------------------------------------------------------------------------------------ */

/* The offset of the first byte that does not begin a well-formed UTF-8 sequence, or text.len. */
BT_API size_t bt_utf8_check(bt_str text);

/* ---- Bytes as text --------------------------------------------------------------------------- */

/* Put base64 (RFC 4648 section 4), padded. Failures stick to the buffer. */
BT_API void bt_base64_put(struct bt_buf *buf, bt_str bytes);
/* Put base64url (section 5) without padding. Failures stick to the buffer. */
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

/* A line and column, both from 1, the column in bytes; line 0: none. */
struct bt_position {
    uint32_t line;
    uint32_t column;
};

BT_SIZE_IS(struct bt_position, 8, 8);

#ifdef __cplusplus
}
#endif

#endif
