/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.h - read, query, change and write JSON. Complete by itself; needs only base.h.
 *
 *     struct bt_arena *arena = bt_arena_create(64 << 20);
 *     struct bt_json_read_result read = BT_INIT(struct bt_json_read_result);
 *     if (bt_json_read(arena, text, NULL, &read) == BT_OK && read.document) {
 *         const bt_json_value *name = bt_json_get(read.document, bt_json_root(read.document),
 *                                                 BT_STR("name"));
 *         ...
 *     }
 *     bt_arena_destroy(arena); // frees the document and everything read from it
 *
 * The reader is strict RFC 8259 in UTF-8, rejects duplicate names, knows the position of every
 * value in the source, keeps numbers exactly as they were written, and is bounded in size, depth
 * and count. A document is immutable, lives in the caller's arena, and points into the source text,
 * which must outlive it.
 *
 * Sections in order of use: values, reading, access, numbers, pointers, writing, building,
 * comparing, patches.
 *
 * Threads: many threads may read one document. An emitter and a builder belong to one thread at a
 * time, and so does the arena or buffer that a function takes.
 */
#ifndef BATON_JSON_H
#define BATON_JSON_H

#include <baton/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Values ---------------------------------------------------------------------------------- */

/* In this order, so that `1 << type` makes a type mask. Zero is not a type. */
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

/* What is special about a string: bits of bt_json_value.flags. */
enum bt_json_flag {
    BT_JSON_FLAG_NON_ASCII = 1, /* string: has bytes above 0x7f */
    BT_JSON_FLAG_ESCAPED = 2,   /* string: had escapes, so its text is in the arena */
    /* string: holds a lone surrogate, as the three bytes ED A0..BF xx */
    BT_JSON_FLAG_LONE_SURROGATE = 4,
};

struct bt_json_member;

/*
 * One value: 16 bytes, copied freely. Use the functions below; the members are public so that those
 * can be inline.
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
} __attribute__((aligned(8))) bt_json_value; /* by 8, also where uint64_t is aligned by 4 */

/* One member of an object: 32 bytes; the members of an object are contiguous, in source order. */
struct bt_json_member {
    const char *name;
    uint32_t name_size;
    uint32_t name_hash;
    bt_json_value value;
};

BT_SIZE_IS(bt_json_value, 16, 16);
BT_SIZE_IS(struct bt_json_member, 32, 32);

/* A document; see bt_json_read(). */
struct bt_json_doc;

struct bt_engine; /* see call.h */

/* ---- Reading --------------------------------------------------------------------------------- */

/* What is wrong with a text. The findings have the same names. */
enum bt_json_error {
    BT_JSON_ERROR_NONE = 0,
    BT_JSON_ERROR_SYNTAX,        /* not JSON; a byte order mark, trailing bytes, NaN */
    BT_JSON_ERROR_UTF8,          /* not UTF-8 */
    BT_JSON_ERROR_DUPLICATE_KEY, /* two members of one object have the same name */
    BT_JSON_ERROR_TOO_DEEP,
    BT_JSON_ERROR_TOO_LARGE, /* bytes, members and items, or one string */
};

/*
 * How a text is read: a sized struct. Every zero means the default: the limit of the engine or,
 * without one, the number that the comment names.
 */
struct bt_json_options {
    uint32_t size;               /* of this struct; 0: that of version 0.1 */
    uint32_t depth_max;          /* the root container counts 1; at most 1000; 128 */
    uint64_t document_bytes_max; /* at most 2^30; 8 MiB */
    uint64_t string_bytes_max;   /* of one string as written, without its quotes; 4 MiB */
    uint64_t nodes_max;          /* members and items; the root is not counted; 1,000,000 */
    /* seeds the hashes of names; both zero: that of the engine or, without one, random bytes of the
     * system, which keep an attacker from constructing names with one hash */
    uint64_t hash_seed[2];
    const struct bt_engine *engine; /* whose limits and seed are the defaults; may be NULL */
    struct bt_arena *scratch; /* working memory, reset by each call; NULL: the call makes its own */
    bool duplicates_allowed;  /* RFC 8259 allows them; a lookup finds the last */
};

/* A sized struct that the library fills in; see BT_INIT(). */
struct bt_json_read_result {
    uint32_t size;                      /* of this struct; 0: that of version 0.1 */
    const struct bt_json_doc *document; /* NULL when `code` is set */
    enum bt_json_error code;            /* the first problem in reading order */
    size_t offset;                      /* where parsing stopped; the source length at its end */
    bt_str pointer;                     /* of the repeated member for a duplicate name, else "" */
    const char *detail;                 /* what was expected or exceeded, for people; never NULL */
    uint64_t limit;                     /* the bound that was exceeded, else 0 ... */
    bt_str limit_name;                  /* ... document_bytes, string_bytes, nodes, depth or "" */
};

/*
 * Read `source`. BT_OK means that the text was checked: either out_result->document is set, or
 * out_result->code says what is wrong. The order of the checks is: size, UTF-8 of the whole text,
 * then everything else in document order; only the first problem is reported.
 *
 * `options` may be NULL for the defaults. The document lives in `arena`; `source` must outlive it
 * and is never read past its end. BT_ENOMEM: the arena (or scratch) reached its limit. BT_EINVAL:
 * an option is out of range, or the size of a struct is wrong. BT_EIO: the system provided no
 * randomness. *out_result is written only on BT_OK.
 */
BT_API BT_MUST_USE enum bt_status bt_json_read(struct bt_arena *arena, bt_str source,
                                               const struct bt_json_options *options,
                                               struct bt_json_read_result *out_result);

/* ---- Access ---------------------------------------------------------------------------------- */

/* The root value. */
BT_API const bt_json_value *bt_json_root(const struct bt_json_doc *document);
/* The text that the document was read from. */
BT_API bt_str bt_json_source(const struct bt_json_doc *document);
/* The number of members and items in the whole document. */
BT_API uint64_t bt_json_node_count(const struct bt_json_doc *document);
/* True when any string or name holds a lone surrogate (BT_JSON_FLAG_LONE_SURROGATE). */
BT_API bool bt_json_has_lone_surrogate(const struct bt_json_doc *document);
/*
 * True when any number has more than 15 bytes or an exponent. A double keeps every other number
 * without loss.
 */
BT_API bool bt_json_has_long_number(const struct bt_json_doc *document);

/* The type of a value. */
static inline enum bt_json_type bt_json_type(const bt_json_value *value)
{
    return (enum bt_json_type)value->type;
}

/* True for numbers of both types. */
static inline bool bt_json_is_number(const bt_json_value *value)
{
    return value->type == BT_JSON_INTEGER || value->type == BT_JSON_NUMBER;
}

/* The number of children of an array or object; 0 for every other value. */
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

/* The name of a member, unescaped. */
static inline bt_str bt_json_name(const struct bt_json_member *member)
{
    bt_str name = {member->name, member->name_size};
    return name;
}

/* The member called `name`, or NULL. `object` may be NULL or another type, which gives NULL. */
BT_API const struct bt_json_member *bt_json_member(const struct bt_json_doc *document,
                                                   const bt_json_value *object, bt_str name);
/*
 * The value of the member called `name`, or NULL. `object` may be NULL or another type, which gives
 * NULL.
 */
BT_API const bt_json_value *bt_json_get(const struct bt_json_doc *document,
                                        const bt_json_value *object, bt_str name);
/* The hash of `name` as this document stores it in name_hash of its members. */
BT_API uint32_t bt_json_name_hash(const struct bt_json_doc *document, bt_str name);

/* A range of the source: offset of the first byte and of the byte after the last. */
struct bt_json_span {
    size_t begin;
    size_t end;
};

BT_SIZE_IS(struct bt_json_span, 16, 8);

/* The range of the value in the source, quotes and brackets included. */
BT_API struct bt_json_span bt_json_span(const struct bt_json_doc *document,
                                        const bt_json_value *value);
/* The range of the member's name in the source, quotes included. */
BT_API struct bt_json_span bt_json_member_name_span(const struct bt_json_doc *document,
                                                    const struct bt_json_member *member);

/*
 * "null", "boolean", "integer", "number", "string", "array" or "object" as in JSON Schema, so 1.0
 * and 1e2 are integers. A constant.
 */
BT_API const char *bt_json_type_name(const struct bt_json_doc *document,
                                     const bt_json_value *value);

/* ---- Numbers --------------------------------------------------------------------------------- */

/* The number as it was written. */
BT_API bt_str bt_json_number_text(const struct bt_json_doc *document, const bt_json_value *number);
/* The nearest double; an infinity when the number is too large for one. */
BT_API double bt_json_to_double(const bt_json_value *number);

/*
 * The functions below take numbers as JSON writes them and work with exact decimals, so that
 * 2^53+1, 1e400 and 0.1 keep their exact values. They allocate nothing and take time linear in the
 * text.
 */

/* Negative, zero or positive as a is below, equal to or above b. */
BT_API int bt_json_decimal_compare(bt_str a, bt_str b);
/* True when the value is a whole number: 1.0 and 1e2 are, 1e-2 is not. */
BT_API bool bt_json_decimal_is_integer(bt_str number);
/* The nearest double, ties to even; an infinity when the number is too large for one. */
BT_API double bt_json_decimal_to_double(bt_str number);

/* The space that bt_double_format() needs. */
#define BT_DOUBLE_TEXT_BYTES 32

/*
 * Write the shortest text that reads back as `number`, formatted like ECMAScript's
 * Number::toString, NUL-terminated. Returns the length. `number` must be finite.
 */
BT_API size_t bt_double_format(double number, char out[BT_DOUBLE_TEXT_BYTES]);

/* ---- Pointers (RFC 6901) --------------------------------------------------------------------- */

/*
 * The value that `pointer` names below `from`, or NULL when the pointer is malformed or names
 * nothing. "" names `from` itself.
 */
BT_API const bt_json_value *bt_json_resolve(const struct bt_json_doc *document,
                                            const bt_json_value *from, bt_str pointer);
/* True when the text is a well-formed pointer. */
BT_API bool bt_json_pointer_is_valid(bt_str pointer);
/* Put "/" and the token with ~ and / escaped. Failures stick to the buffer. */
BT_API void bt_json_pointer_put(struct bt_buf *buf, bt_str token);
/* Put "/" and the index in decimal. Failures stick to the buffer. */
BT_API void bt_json_pointer_put_index(struct bt_buf *buf, size_t index);

/* ---- Writing --------------------------------------------------------------------------------- */

/* How JSON is written. */
enum bt_json_form {
    BT_JSON_FORM_COMPACT, /* no white space; member order and number spelling are kept */
    /* indented by two spaces, one final line feed; otherwise like compact */
    BT_JSON_FORM_PRETTY,
    BT_JSON_FORM_CANONICAL, /* RFC 8785 */
    BT_JSON_FORM_STRINGIFY, /* the result of JavaScript's JSON.stringify(JSON.parse(text)) */
};

/*
 * Write a value. `arena` is working memory for sorting members and is rewound.
 *
 * BT_EINVAL, canonical form only: the value holds a lone surrogate or a number outside the range of
 * a double, which RFC 8785 rejects; *out_culprit (may be NULL) is set to that value or, when a name
 * is at fault, to the value of that member. BT_ENOMEM: the arena reached its limit. Failures of the
 * buffer stick to it and are returned as well. Unless the status is BT_OK, the content of the
 * buffer is unchanged.
 */
BT_API BT_MUST_USE enum bt_status
bt_json_write(struct bt_buf *buf, const struct bt_json_doc *document, const bt_json_value *value,
              enum bt_json_form form, struct bt_arena *arena, const bt_json_value **out_culprit);

/*
 * True when the value is written in the source exactly as in this form (compact or stringify); *out
 * is then that part of the source. May return false for such a value when that takes more than a
 * quick check.
 */
BT_API BT_MUST_USE bool bt_json_source_has_form(const struct bt_json_doc *document,
                                                const bt_json_value *value, enum bt_json_form form,
                                                bt_str *out);

/*
 * Put a JSON string, quotes included. In text that is not UTF-8 each bad byte becomes U+FFFD; lone
 * surrogates in three bytes become \udxxx. Failures stick to the buffer.
 */
BT_API void bt_json_put_string(struct bt_buf *buf, bt_str text);

/*
 * Escape U+007F, control characters, characters that reorder or hide text, and zero-width
 * characters in the JSON from offset `from` of the buffer on, as \uXXXX or as a surrogate pair. Its
 * meaning does not change. Failures stick to the buffer.
 */
BT_API void bt_json_escape_hidden(struct bt_buf *buf, size_t from);

/* True when the source has no white space outside strings, except at its end. */
BT_API bool bt_json_is_minified(const struct bt_json_doc *document);

/*
 * Writes new JSON. It places commas, colons and indentation, but no final line feed. A wrong order
 * of calls (a name where a value is expected) and more than 32 open containers are bugs of the
 * caller and assert. Failures stick to the buffer.
 */
struct bt_emit;

/*
 * Make an emitter that writes to `buf`, which must outlive it, in lines that are indented or
 * compact. NULL: no memory. Destroy it with bt_emit_destroy().
 */
BT_API BT_MUST_USE struct bt_emit *bt_emit_create(struct bt_buf *buf, bool pretty);
/* Destroy it; the buffer stays. NULL is allowed. */
BT_API void bt_emit_destroy(struct bt_emit *emit);
/* Begin an object, which bt_emit_end() ends. */
BT_API void bt_emit_begin_object(struct bt_emit *emit);
/* Begin an array, which bt_emit_end() ends. */
BT_API void bt_emit_begin_array(struct bt_emit *emit);
/* End the innermost object or array. */
BT_API void bt_emit_end(struct bt_emit *emit);
/* Put the name of the next member of the object. */
BT_API void bt_emit_name_str(struct bt_emit *emit, bt_str name);
/* Put a string, as bt_json_put_string() does. */
BT_API void bt_emit_string(struct bt_emit *emit, bt_str text);
/* Put a whole number that is not negative. */
BT_API void bt_emit_u64(struct bt_emit *emit, uint64_t number);
/* Put a whole number. */
BT_API void bt_emit_i64(struct bt_emit *emit, int64_t number);
/* Put true or false. */
BT_API void bt_emit_bool(struct bt_emit *emit, bool truth);
/* Put null. */
BT_API void bt_emit_null(struct bt_emit *emit);
/* Put a value that is already compact JSON text, unchanged. */
BT_API void bt_emit_raw(struct bt_emit *emit, bt_str json);

/* Put the name of the next member of the object, a NUL-terminated text. */
static inline void bt_emit_name(struct bt_emit *emit, const char *name)
{
    bt_emit_name_str(emit, bt_str_of(name));
}

/* Put a name and its string. */
static inline void bt_emit_member_string(struct bt_emit *emit, const char *name, bt_str text)
{
    bt_emit_name_str(emit, bt_str_of(name));
    bt_emit_string(emit, text);
}

/* Put a name and its number. */
static inline void bt_emit_member_u64(struct bt_emit *emit, const char *name, uint64_t number)
{
    bt_emit_name_str(emit, bt_str_of(name));
    bt_emit_u64(emit, number);
}

/* Put a name and its string, or null when the text is empty. */
BT_API void bt_emit_member_string_or_null(struct bt_emit *emit, const char *name, bt_str text);

/* ---- Building -------------------------------------------------------------------------------- */

/*
 * Makes a document from values, without a text in between: bt_builder_object(), a name before each
 * value of an object, bt_builder_end() for what was begun, and bt_builder_finish() at the end. Such
 * a document has no source: bt_json_source() is empty, findings about it have no position, and
 * bt_json_write() gives its text.
 *
 * Failures stick: after the first one the functions do nothing, and bt_builder_finish() says what
 * it was.
 */
struct bt_builder;

/*
 * Make a builder whose documents live in `arena`, which must outlive it. Limits and the hash seed
 * are those of the engine, which must outlive the builder too; `engine` may be NULL: the default
 * limits, and a seed from the system's randomness for each document. NULL: no memory. Destroy it
 * with bt_builder_destroy().
 */
BT_API BT_MUST_USE struct bt_builder *bt_builder_create(const struct bt_engine *engine,
                                                        struct bt_arena *arena);
/* Destroy it; finished documents stay. NULL is allowed. */
BT_API void bt_builder_destroy(struct bt_builder *builder);
/* Begin an object, which bt_builder_end() ends. */
BT_API void bt_builder_object(struct bt_builder *builder);
/* Begin an array, which bt_builder_end() ends. */
BT_API void bt_builder_array(struct bt_builder *builder);
/* Give the name of the next member of the object. It is copied. */
BT_API void bt_builder_name(struct bt_builder *builder, bt_str name);
/* Add a string, which is copied: UTF-8, in which a lone surrogate may be encoded in three bytes. */
BT_API void bt_builder_string(struct bt_builder *builder, bt_str text);
/* Add a whole number. */
BT_API void bt_builder_i64(struct bt_builder *builder, int64_t number);
/* Add a number, written as bt_double_format() does; one that is not finite is a syntax error. */
BT_API void bt_builder_double(struct bt_builder *builder, double number);
/* Add a number as JSON writes it. It is copied and keeps its spelling. */
BT_API void bt_builder_number(struct bt_builder *builder, bt_str text);
/* Add true or false. */
BT_API void bt_builder_bool(struct bt_builder *builder, bool truth);
/* Add null. */
BT_API void bt_builder_null(struct bt_builder *builder);
/* End the innermost object or array. */
BT_API void bt_builder_end(struct bt_builder *builder);
/*
 * End the document. BT_OK means that the values were checked as bt_json_read() checks a text, whose
 * size is that of the compact form: either out->document is set, or out->code says what is wrong
 * first: a repeated name, a limit, a text that is not UTF-8, a number that is none; out->offset
 * is 0. BT_EINVAL: the calls were in a wrong order (a value without its name, a second root, an
 * end too many or too few), or the size of *out is wrong. BT_ENOMEM: the arena reached its limit.
 * BT_EIO: the system provided no randomness. *out is written only on BT_OK. In every case the
 * builder is empty afterwards and may begin the next document.
 */
BT_API BT_MUST_USE enum bt_status bt_builder_finish(struct bt_builder *builder,
                                                    struct bt_json_read_result *out);

/* ---- Comparing and changing ------------------------------------------------------------------ */

/*
 * Set *out_equal when two values are equal: numbers by exact value, objects regardless of the order
 * of members. Takes time linear in their size, n log n for objects in different order. `arena` is
 * working memory and is rewound. BT_ENOMEM: the arena reached its limit.
 */
BT_API BT_MUST_USE enum bt_status bt_json_equal(const struct bt_json_doc *a_document,
                                                const bt_json_value *a,
                                                const struct bt_json_doc *b_document,
                                                const bt_json_value *b, struct bt_arena *arena,
                                                bool *out_equal);

/* Why a patch was rejected. Zero: it was not. */
enum bt_json_patch_error {
    BT_JSON_PATCH_OK = 0,
    BT_JSON_PATCH_MALFORMED,   /* not an RFC 6902 patch */
    BT_JSON_PATCH_NO_TARGET,   /* a pointer names nothing, or an index is outside the array */
    BT_JSON_PATCH_TEST_FAILED, /* a test operation failed */
    BT_JSON_PATCH_TOO_LARGE,   /* the result, or the work, would exceed a limit */
};

/* What came of a patch: a sized struct that the library fills in; see BT_INIT(). */
struct bt_json_patch_result {
    uint32_t size; /* of this struct; 0: that of version 0.1 */
    enum bt_json_patch_error code;
    /* index of the failed operation; the number of operations when the result failed */
    size_t operation;
    const char *detail; /* for people; never NULL */
};

/* How a patch is applied: a sized struct. Every zero means the default. */
struct bt_json_patch_options {
    uint32_t size;          /* of this struct; 0: that of version 0.1 */
    enum bt_json_form form; /* compact, which is the default, or pretty */
    /* limits that the result must keep, as if it were read; NULL: the defaults */
    const struct bt_json_options *result;
};

/*
 * Apply an RFC 6902 patch and write the result to `buf`. All or nothing: when out_result->code is
 * set, nothing was written. `options` may be NULL for the defaults. `arena` is working memory and
 * is rewound; values are copied only when they are changed, and the work of a hostile patch is
 * bounded by the sizes of both documents and options->result->nodes_max. BT_ENOMEM: the arena
 * reached its limit. BT_EINVAL: an option is out of range, or the size of a struct is wrong.
 * Failures of the buffer are returned as well.
 */
BT_API BT_MUST_USE enum bt_status
bt_json_patch(struct bt_buf *buf, const struct bt_json_doc *document,
              const struct bt_json_doc *patch, const struct bt_json_patch_options *options,
              struct bt_arena *arena, struct bt_json_patch_result *out_result);

/*
 * Write the RFC 6902 patch that turns `a` into something equal to `b`, compact, to `buf`. Objects
 * are compared by name; arrays by longest common subsequence or, where that is too expensive, item
 * by item. `arena` is working memory and is rewound. BT_ENOMEM: the arena reached its limit.
 * Failures of the buffer are returned as well.
 */
BT_API BT_MUST_USE enum bt_status bt_json_diff(struct bt_buf *buf, const struct bt_json_doc *a,
                                               const struct bt_json_doc *b, struct bt_arena *arena);

#ifdef __cplusplus
}
#endif

#endif
