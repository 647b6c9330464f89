/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.h - read, look at, change and write JSON. Complete by itself; needs only base.h.
 *
 *     struct bt_arena arena;
 *     bt_arena_init(&arena, 64 << 20);
 *     struct bt_json_read_result read;
 *     if (bt_json_read(&arena, text, NULL, &read) == BT_OK && read.document) {
 *         const bt_json_value *name = bt_json_get(read.document, bt_json_root(read.document),
 *                                            BT_STR("name"));
 *         ...
 *     }
 *     bt_arena_free(&arena);    // ends the document and everything read from it
 *
 * The reader is strict RFC 8259 in UTF-8, refuses duplicate names, knows where every value stood in
 * the source, keeps numbers exactly as they were written, and is bounded in size, depth and count.
 * A document is immutable, lives in the caller's arena, and points into the source text, which must
 * stay in place as long as the document does. Many threads may read one document.
 *
 * Sections in order of use: values, reading, looking, numbers, pointers, writing, comparing,
 * patches.
 */
#ifndef BATON_JSON_H
#define BATON_JSON_H

#include <baton/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Values ---------------------------------------------------------------------------------- */

/* In this order, so that `1 << type` makes a type mask. Zero is no type. */
enum bt_json_type {
    BT_JSON_NONE = 0,
    BT_JSON_NULL,
    BT_JSON_FALSE,
    BT_JSON_TRUE,
    BT_JSON_INTEGER, /* written without fraction or exponent, and within int64 */
    BT_JSON_NUMBER,  /* every other number: `real` is the nearest double, the text is exact */
    BT_JSON_STRING,
    BT_JSON_ARRAY,
    BT_JSON_OBJECT,
};

enum bt_json_flag {
    BT_JSON_FLAG_NON_ASCII = 1, /* string: has bytes above 0x7f */
    BT_JSON_FLAG_ESCAPED = 2,   /* string: had escapes, so its text stands in the arena */
    BT_JSON_FLAG_LONE_SURROGATE =
        4, /* string: holds a lone surrogate, in the three bytes ED A0..BF xx */
};

struct bt_json_member;

/*
 * One value: 16 bytes, copied freely. Read it through the functions below; the members are public
 * so that these can be inline.
 */
typedef struct bt_json_value {
    uint8_t type;  /* enum bt_json_type */
    uint8_t flags; /* enum bt_json_flag */
    uint16_t spare;
    uint32_t size; /* string: bytes; array, object: children; others: offset in the source */
    union {
        int64_t integer;
        double real;
        const char *text;
        const struct bt_json_value *items;
        const struct bt_json_member *members;
    } as;
} bt_json_value;

/* One member of an object: 32 bytes; the members of an object are contiguous, in source order. */
struct bt_json_member {
    const char *name;
    uint32_t name_size;
    uint32_t name_hash;
    bt_json_value value;
};

/* A read document; see bt_json_read(). */
struct bt_json_doc;

struct bt_env; /* see env.h */

/* ---- Reading --------------------------------------------------------------------------------- */

/* What is wrong with a text. The names are those of the findings. */
enum bt_json_error {
    BT_JSON_ERROR_NONE = 0,
    BT_JSON_ERROR_SYNTAX,        /* not JSON; a byte order mark, trailing bytes, NaN */
    BT_JSON_ERROR_UTF8,          /* not UTF-8 */
    BT_JSON_ERROR_DUPLICATE_KEY, /* two members of one object have the same name */
    BT_JSON_ERROR_TOO_DEEP,
    BT_JSON_ERROR_TOO_LARGE, /* bytes, members and items, or one string */
};

struct bt_json_options {
    uint64_t document_bytes_max; /* at most 2^30 */
    uint64_t string_bytes_max;   /* of one string as written, without its quotes */
    uint64_t nodes_max;          /* members and items; the root counts as none */
    uint32_t depth_max;          /* the root container counts 1; at most 1000 */
    bool duplicates_allowed;     /* read as RFC 8259 allows; looking up a name finds the last */
    uint64_t hash_seed[2];       /* make it random per process when texts come from strangers */
    struct bt_arena *scratch;    /* working memory, reset by each call; NULL: its own */
};

/* 8 MiB, 4 MiB, 1,000,000, 128, no duplicates, no seed, no scratch. */
BT_API struct bt_json_options bt_json_options_default(void);
/* The limits and the seed of a world (env.h). */
BT_API struct bt_json_options bt_json_options_from_env(const struct bt_env *env);

struct bt_json_read_result {
    const struct bt_json_doc *document; /* NULL when `code` is set */
    enum bt_json_error code;            /* the first problem in reading order */
    size_t offset;      /* where reading could not go on; the source length at its end */
    bt_str pointer;     /* of the repeated member for a duplicate name, else "" */
    const char *detail; /* what was expected or exceeded, for people; never NULL */
    uint64_t limit;     /* the bound that was exceeded, else 0 ... */
    bt_str limit_name;  /* ... document_bytes, string_bytes, nodes, depth or "" */
};

/*
 * Read `source`. BT_OK means that the text was judged: either result->document is set, or
 * result->code says what is wrong with it. The order of judgement is: size, UTF-8 of the whole
 * text, then everything else in document order; the first problem is the only one.
 *
 * `options` may be NULL for the defaults. `source` must outlive the document and is never read past
 * its end. BT_ENOMEM: the arena (or scratch) reached its limit; BT_EINVAL: an option is out of
 * range. *out_result is written only on BT_OK.
 */
BT_API BT_MUST_USE enum bt_status bt_json_read(struct bt_arena *arena, bt_str source,
                                               const struct bt_json_options *options,
                                               struct bt_json_read_result *out_result);

/* "JSON_SYNTAX" and so on; "" for BT_JSON_ERROR_NONE. */
BT_API bt_str bt_json_error_name(enum bt_json_error code);

/* ---- Looking --------------------------------------------------------------------------------- */

BT_API const bt_json_value *bt_json_root(const struct bt_json_doc *document);
BT_API bt_str bt_json_source(const struct bt_json_doc *document);
/* Members and items in the whole document. */
BT_API uint64_t bt_json_node_count(const struct bt_json_doc *document);
/* Whether any string or name holds a lone surrogate (BT_JSON_FLAG_LONE_SURROGATE). */
BT_API bool bt_json_has_lone_surrogate(const struct bt_json_doc *document);
/* Whether any number has more than 15 bytes, or an exponent. Every other is kept by a double. */
BT_API bool bt_json_has_long_number(const struct bt_json_doc *document);

static inline enum bt_json_type bt_json_type(const bt_json_value *value)
{
    return (enum bt_json_type)value->type;
}

static inline bool bt_json_is_number(const bt_json_value *value)
{
    return value->type == BT_JSON_INTEGER || value->type == BT_JSON_NUMBER;
}

/* Children of an array or object; 0 for every other value. */
static inline size_t bt_json_count(const bt_json_value *value)
{
    return value->type >= BT_JSON_ARRAY ? value->size : 0;
}

/* The text of a string, unescaped; "" for every other value. */
static inline bt_str bt_json_text(const bt_json_value *value)
{
    bt_str text = {"", 0};
    if (value->type == BT_JSON_STRING) {
        text.ptr = value->as.text;
        text.len = value->size;
    }
    return text;
}

/* The items of an array, bt_json_count() of them; NULL for every other value. */
static inline const bt_json_value *bt_json_items(const bt_json_value *array)
{
    return array->type == BT_JSON_ARRAY ? array->as.items : NULL;
}

/* The members of an object, bt_json_count() of them; NULL for every other value. */
static inline const struct bt_json_member *bt_json_members(const bt_json_value *object)
{
    return object->type == BT_JSON_OBJECT ? object->as.members : NULL;
}

static inline bt_str bt_json_name(const struct bt_json_member *member)
{
    bt_str name = {member->name, member->name_size};
    return name;
}

/* The member called `name`, or NULL; NULL also when `object` is NULL or no object. */
BT_API const struct bt_json_member *bt_json_member(const struct bt_json_doc *document,
                                                   const bt_json_value *object, bt_str name);
/* Its value, or NULL. */
BT_API const bt_json_value *bt_json_get(const struct bt_json_doc *document,
                                        const bt_json_value *object, bt_str name);
/* The hash that the document's members carry in name_hash. */
BT_API uint32_t bt_json_name_hash(const struct bt_json_doc *document, bt_str name);

/* A run of the source: offset of the first byte and of the byte after the last. */
struct bt_json_span {
    size_t begin;
    size_t end;
};

/* Where the value stands in the source, quotes and brackets included. */
BT_API struct bt_json_span bt_json_span(const struct bt_json_doc *document,
                                        const bt_json_value *value);
/* Where the member's name stands, quotes included. */
BT_API struct bt_json_span bt_json_member_name_span(const struct bt_json_doc *document,
                                                    const struct bt_json_member *member);

/* "null", "boolean", "integer", "number", "string", "array", "object": JSON Schema's words, so
 * 1.0 and 1e2 are integers. */
BT_API const char *bt_json_type_name(const struct bt_json_doc *document,
                                     const bt_json_value *value);

/* ---- Numbers --------------------------------------------------------------------------------- */

/* The number as it was written. */
BT_API bt_str bt_json_number_text(const struct bt_json_doc *document, const bt_json_value *number);
/* The nearest double; an infinity when the number is too large for one. */
BT_API double bt_json_to_double(const bt_json_value *number);

/* The functions below take numbers as JSON writes them and work with exact decimals, so that
 * 2^53+1, 1e400 and 0.1 are what they say. They use no memory and take time linear in the text. */

/* Negative, zero or positive as a is below, equal to or above b. */
BT_API int bt_decimal_compare(bt_str a, bt_str b);
/* Whether the value is a whole number: 1.0 and 1e2 are, 1e-2 is not. */
BT_API bool bt_decimal_is_integer(bt_str number);
/* The nearest double, ties to even; an infinity when it is too large. */
BT_API double bt_decimal_to_double(bt_str number);

#define BT_DOUBLE_TEXT_BYTES 32

/* The shortest text that reads back as `number`, spelled as ECMAScript's Number::toString does.
 * NUL-terminated; returns the length. `number` must be finite. */
BT_API size_t bt_double_format(double number, char out[BT_DOUBLE_TEXT_BYTES]);

/* ---- Pointers (RFC 6901) --------------------------------------------------------------------- */

/* The value that `pointer` names below `from`, or NULL when the pointer is ill-formed or names
 * nothing. "" names `from` itself. */
BT_API const bt_json_value *bt_json_resolve(const struct bt_json_doc *document,
                                            const bt_json_value *from, bt_str pointer);
/* Whether the text is a well-formed pointer. */
BT_API bool bt_json_pointer_is_valid(bt_str pointer);
/* Put "/" and the token with ~ and / escaped. */
BT_API void bt_json_pointer_put(struct bt_buf *buf, bt_str token);
BT_API void bt_json_pointer_put_index(struct bt_buf *buf, size_t index);

/* ---- Writing --------------------------------------------------------------------------------- */

enum bt_json_form {
    BT_JSON_FORM_COMPACT,   /* no white space; member order and number spelling are kept */
    BT_JSON_FORM_PRETTY,    /* two blanks of indentation, one final line feed; else like compact */
    BT_JSON_FORM_CANONICAL, /* RFC 8785 */
    BT_JSON_FORM_STRINGIFY, /* what JavaScript's JSON.stringify(JSON.parse(text)) gives */
};

/*
 * Write a value. `arena` is working memory for ordering members and is rewound.
 *
 * BT_EINVAL, canonical form only: the value holds a lone surrogate or a number beyond the doubles,
 * which RFC 8785 refuses; *out_culprit (may be NULL) is set to it, or, when a name is at fault, to
 * the value of that member. Failures of the buffer stick to the buffer and are returned as well.
 * Unless the status is BT_OK, the buffer keeps what stood there before and nothing more.
 */
BT_API BT_MUST_USE enum bt_status
bt_json_write(struct bt_buf *buf, const struct bt_json_doc *document, const bt_json_value *value,
              enum bt_json_form form, struct bt_arena *arena, const bt_json_value **out_culprit);

/* Whether the value stands in its source as it would be written in this form, compact or
 * JSON.stringify's; *out is that run of the source. False also when a quick look cannot tell. */
BT_API BT_MUST_USE bool bt_json_source_has_form(const struct bt_json_doc *document,
                                                const bt_json_value *value, enum bt_json_form form,
                                                bt_str *out);

/* Put a JSON string, quotes included. Text that is not UTF-8 is written with U+FFFD for each bad
 * byte; lone surrogates in three bytes come out as \udxxx. */
BT_API void bt_json_put_string(struct bt_buf *buf, bt_str text);

/*
 * Escape the characters that control, reorder, hide or have no width (U+007F, and those of
 * bt_schema_code_point_is_hidden()) in the JSON that stands in the buffer from `from` on, as \uXXXX
 * or as a surrogate pair. It still means the same. Failures stick to the buffer.
 */
BT_API void bt_json_escape_hidden(struct bt_buf *buf, size_t from);

/* Whether the source has white space outside strings other than at its end. */
BT_API bool bt_json_is_minified(const struct bt_json_doc *document);

/*
 * A writer for JSON made from scratch. It places commas, colons and indentation (no final line
 * feed); the caller says what comes. Wrong order (a name where none is due) is a mistake of ours
 * and asserts.
 */
#define BT_EMIT_DEPTH_MAX 32

struct bt_emit {
    struct bt_buf *buf;
    bool pretty;
    uint8_t depth;
    bool after_name;
    uint32_t has_items; /* bit per level: something stands there already */
    uint32_t object;    /* bit per level: it is an object */
};

BT_API void bt_emit_init(struct bt_emit *emit, struct bt_buf *buf, bool pretty);
BT_API void bt_emit_begin_object(struct bt_emit *emit);
BT_API void bt_emit_begin_array(struct bt_emit *emit);
BT_API void bt_emit_end(struct bt_emit *emit);
BT_API void bt_emit_name_str(struct bt_emit *emit, bt_str name);
BT_API void bt_emit_string(struct bt_emit *emit, bt_str text);
BT_API void bt_emit_u64(struct bt_emit *emit, uint64_t number);
BT_API void bt_emit_i64(struct bt_emit *emit, int64_t number);
BT_API void bt_emit_bool(struct bt_emit *emit, bool truth);
BT_API void bt_emit_null(struct bt_emit *emit);
/* A value that is JSON text already, compact; it is put as it stands. */
BT_API void bt_emit_raw(struct bt_emit *emit, bt_str json);

static inline void bt_emit_name(struct bt_emit *emit, const char *name)
{
    bt_emit_name_str(emit, bt_str_of(name));
}

/* Shorthands for a name and its value. */
static inline void bt_emit_member_string(struct bt_emit *emit, const char *name, bt_str text)
{
    bt_emit_name_str(emit, bt_str_of(name));
    bt_emit_string(emit, text);
}

static inline void bt_emit_member_u64(struct bt_emit *emit, const char *name, uint64_t number)
{
    bt_emit_name_str(emit, bt_str_of(name));
    bt_emit_u64(emit, number);
}

/* A text that may be absent: an empty one becomes null. */
BT_API void bt_emit_member_string_or_null(struct bt_emit *emit, const char *name, bt_str text);

/* ---- Comparing and changing ------------------------------------------------------------------ */

/*
 * Whether two values are equal: numbers by exact value, objects without regard to order. Takes time
 * linear in their size, n log n for objects whose members stand in another order. `arena` is
 * working memory and is rewound; BT_ENOMEM is its only failure.
 */
BT_API BT_MUST_USE enum bt_status bt_json_equal(const struct bt_json_doc *a_document,
                                                const bt_json_value *a,
                                                const struct bt_json_doc *b_document,
                                                const bt_json_value *b, struct bt_arena *arena,
                                                bool *out_equal);

/* Why a patch was refused. Zero is "not refused". */
enum bt_json_patch_error {
    BT_JSON_PATCH_OK = 0,
    BT_JSON_PATCH_MALFORMED,   /* the patch is no RFC 6902 patch */
    BT_JSON_PATCH_NO_TARGET,   /* a pointer names nothing, or an index lies outside the array */
    BT_JSON_PATCH_TEST_FAILED, /* a test operation did not hold */
    BT_JSON_PATCH_TOO_LARGE,   /* the result would break a limit, or the work would */
};

struct bt_json_patch_result {
    enum bt_json_patch_error code;
    size_t operation;   /* index of the one at fault; their number when it is the result */
    const char *detail; /* for people; never NULL */
};

struct bt_json_patch_options {
    enum bt_json_form form;        /* compact or pretty */
    struct bt_json_options result; /* the result keeps these bounds, like a document that is read */
};

/*
 * Apply an RFC 6902 patch and write the result to `buf`. All or nothing: when out_result->code is
 * set, nothing was written. `arena` is working memory and is rewound; copies take none until they
 * are changed, and the work of a hostile patch is bounded by the sizes of both documents and
 * options->result.nodes_max.
 */
BT_API BT_MUST_USE enum bt_status
bt_json_patch(struct bt_buf *buf, const struct bt_json_doc *document,
              const struct bt_json_doc *patch, const struct bt_json_patch_options *options,
              struct bt_arena *arena, struct bt_json_patch_result *out_result);

/*
 * Write the RFC 6902 patch that turns `a` into something equal to `b`, compact, to `buf`. Objects
 * are compared by name, arrays by longest common subsequence where that is affordable and item by
 * item where not. `arena` is working memory and is rewound.
 */
BT_API BT_MUST_USE enum bt_status bt_json_diff(struct bt_buf *buf, const struct bt_json_doc *a,
                                               const struct bt_json_doc *b, struct bt_arena *arena);

#ifdef __cplusplus
}
#endif

#endif
