/* SPDX-License-Identifier: Apache-2.0 */
/*
 * document_builder.c - values from a caller -> a document, within the limits of a document that is
 * read.
 *
 * The size that counts against limits is that of the compact text, with every string escaped as
 * bt_json_put_string() does.
 */
#include <assert.h>
#include <math.h>

#include "base/ascii.h"
#include "base/env.h"
#include "base/keyed_hash.h"
#include "base/sized.h"
#include "json/build.h"
#include "json/builder_parts.h"

enum { KEPT_BYTES_MAX = 1 << 20, NAMES_KNOWN = 64 };

/* A name that stands in the document. */
struct builder_name {
    const char *text;  /* NULL: none */
    uint64_t words[2]; /* of up to 16 bytes, as bt_hash_words() takes them */
    uint32_t size;
    uint32_t hash;
    uint64_t bytes; /* of its text, with quotes and colon */
};

enum builder_state {
    STATE_EMPTY = 0, /* the document is made when the first value comes */
    STATE_OPEN,      /* a value or a name may come */
    STATE_WHOLE,     /* the root has ended */
    STATE_FAILED,
};

struct bt_builder {
    const struct bt_engine *engine;
    struct bt_arena scratch; /* for open containers and names; kept from document to document */
    struct bt_json_builder inner;
    struct bt_json_build names;             /* its table of names is used again for each object */
    struct builder_name known[NAMES_KNOWN]; /* by their hash */
    struct bt_limits limits;
    enum bt_status status;             /* the first failure of the machine or of the caller ... */
    struct bt_json_read_result result; /* ... or the first problem of the values */
    uint64_t nodes;
    uint64_t bytes; /* of the compact text so far */
    enum builder_state state;
    bool is_in_object; /* the innermost open container is one */
    bool has_name;     /* of the value that comes next */
    bool has_sibling;  /* before the value that comes next stands a comma */
};

static bool is_failed(const struct bt_builder *builder)
{
    return builder->state == STATE_FAILED;
}

static void set_status(struct bt_builder *builder, enum bt_status status)
{
    if (status != BT_OK && !is_failed(builder)) {
        builder->status = status;
        builder->state = STATE_FAILED;
    }
}

static void set_error(struct bt_builder *builder, enum bt_json_error code, const char *detail)
{
    if (!is_failed(builder)) {
        builder->result = (struct bt_json_read_result){
            .code = code, .pointer = BT_STR(""), .detail = detail, .limit_name = BT_STR("")};
        builder->state = STATE_FAILED;
    }
}

/* A value is above a limit. The texts are those of the reader. */
static __attribute__((noinline)) void set_limit_error(struct bt_builder *builder, uint64_t limit,
                                                      const char *name, const char *detail)
{
    if (!is_failed(builder)) {
        set_error(builder,
                  strcmp(name, "depth") == 0 ? BT_JSON_ERROR_TOO_DEEP : BT_JSON_ERROR_TOO_LARGE,
                  detail);
        builder->result.limit = limit;
        builder->result.limit_name = bt_str_of(name);
    }
}

static inline void check_limit(struct bt_builder *builder, uint64_t value, uint64_t limit,
                               const char *name, const char *detail)
{
    if (value > limit) {
        set_limit_error(builder, limit, name, detail);
    }
}

static void count_bytes(struct bt_builder *builder, uint64_t bytes)
{
    builder->bytes += bytes;
    check_limit(builder, builder->bytes, builder->limits.document_bytes, "document_bytes",
                "the document is too large");
}

/* Make the document when the first value comes. */
static void make_document(struct bt_builder *builder)
{
    struct bt_env env = {0};
    builder->state = STATE_OPEN;
    if (!builder->engine) {
        set_status(builder, bt_env_init(&env));
    }
    const struct bt_env *from = builder->engine ? bt_engine_env(builder->engine) : &env;
    builder->limits = from->limits;
    memset(builder->known, 0, sizeof(builder->known));
    bt_json_builder_begin_again(&builder->inner, from->hash_seed);
    set_status(builder, builder->inner.source.status);
}

/* Begin the document, or refuse what cannot come now. False: there is a failure. */
static __attribute__((noinline)) bool begin_document(struct bt_builder *builder)
{
    if (builder->state == STATE_EMPTY) {
        make_document(builder);
    }
    if (builder->state == STATE_WHOLE) {
        set_status(builder, BT_EINVAL);
    }
    return !is_failed(builder);
}

/* The innermost open container, or NULL. */
static const struct bt_json_builder_frame *find_container(const struct bt_builder *builder)
{
    const size_t count = builder->inner.frames.count;
    return count > 0 ? &builder->inner.frames.items[count - 1] : NULL;
}

/* Count what stands before the next value. False: there may be none. */
static inline bool begin_value(struct bt_builder *builder)
{
    if (builder->state != STATE_OPEN && !begin_document(builder)) {
        return false;
    }
    if (builder->has_name != builder->is_in_object) {
        set_status(builder, BT_EINVAL);
        return false;
    }
    builder->nodes += builder->inner.frames.count > 0;
    check_limit(builder, builder->nodes, builder->limits.nodes, "nodes",
                "too many members and items");
    count_bytes(builder, builder->has_sibling);
    return !is_failed(builder);
}

/* Take over what the inner builder could not do. */
static inline void end_value(struct bt_builder *builder)
{
    builder->has_name = false;
    builder->has_sibling = true;
    if (builder->inner.frames.count == 0 && !is_failed(builder)) {
        builder->state = STATE_WHOLE;
    }
    set_status(builder, builder->inner.source.status);
}

/* ---- Texts ----------------------------------------------------------------------------------- */

/* True for a surrogate in three bytes at this offset: the lead byte, and the range of the next. */
static bool is_surrogate(bt_str text, size_t at, unsigned char low)
{
    return text.len - at >= 3 && (unsigned char)text.ptr[at] == 0xed &&
           ((unsigned char)text.ptr[at + 1] & 0xf0) == low &&
           ((unsigned char)text.ptr[at + 2] & 0xc0) == 0x80;
}

/* A pair of surrogates is one character, which has a form of its own. */
static size_t surrogate_size(bt_str text, size_t at)
{
    enum { SIZE = 3 };
    const bool is_high = is_surrogate(text, at, 0xa0);
    const bool is_low = is_surrogate(text, at, 0xb0);
    const bool is_pair = is_high && is_surrogate(text, at + SIZE, 0xb0);
    return (is_high || is_low) && !is_pair ? SIZE : 0;
}

/* A text, and what it needs when it is escaped. */
struct builder_text {
    bt_str text;
    size_t added; /* bytes */
    unsigned flags;
};

/* Look at a text with characters that are not plain. False: it is not UTF-8. */
static __attribute__((noinline)) bool scan_text(struct builder_text *scanned)
{
    const bt_str text = scanned->text;
    size_t at = bt_utf8_check(text);
    while (at < text.len) {
        const size_t size = surrogate_size(text, at);
        if (size == 0) {
            return false;
        }
        scanned->flags |= BT_JSON_FLAG_LONE_SURROGATE;
        scanned->added += size; /* \udxxx has six bytes */
        at += size;
        at += bt_utf8_check(bt_str_slice(text, at, text.len));
    }
    scanned->added += bt_json_string_count_escapes(text);
    scanned->flags |= bt_json_string_is_ascii(text) ? 0 : BT_JSON_FLAG_NON_ASCII;
    return true;
}

/* Count a string and what follows it. False: it may not be added. */
static inline bool check_text(struct bt_builder *builder, struct builder_text *checked,
                              size_t follow)
{
    const bt_str text = checked->text;
    assert(text.ptr || text.len == 0);
    if (!bt_json_string_needs_no_escape(text) && !scan_text(checked)) {
        set_error(builder, BT_JSON_ERROR_UTF8, "not UTF-8");
        return false;
    }
    check_limit(builder, text.len + checked->added, builder->limits.string_bytes, "string_bytes",
                "the string is too long");
    count_bytes(builder, text.len + checked->added + 2 + follow);
    return !is_failed(builder);
}

/* ---- Repeated names -------------------------------------------------------------------------- */

/* Put the pointer of the innermost object and of a member of it. */
static enum bt_status point_at_member(struct bt_builder *builder,
                                      const struct bt_json_member *member, bt_str *out)
{
    const struct bt_json_builder_frame *frames = builder->inner.frames.items;
    struct bt_buf pointer;
    bt_buf_init(&pointer, SIZE_MAX);
    for (size_t i = 1; i < builder->inner.frames.count; i++) {
        const size_t self = frames[i].first - 1;
        if (frames[i - 1].type == BT_JSON_OBJECT) {
            bt_json_pointer_put(&pointer, bt_json_name(&builder->inner.children.items[self]));
        } else {
            bt_json_pointer_put_index(&pointer, self - frames[i - 1].first);
        }
    }
    bt_json_pointer_put(&pointer, bt_json_name(member));
    return bt_buf_finish(&pointer, builder->inner.arena, out);
}

static void check_names(struct bt_builder *builder)
{
    const struct bt_json_builder_frame *frame = find_container(builder);
    const struct bt_json_member *members = builder->inner.children.items + frame->first;
    const size_t count = builder->inner.children.count - frame->first;
    bt_str pointer = BT_STR("");
    const size_t repeated = bt_json_find_duplicate_name(&builder->names, members, count);
    set_status(builder, builder->names.failure.status);
    if (repeated == count || is_failed(builder)) {
        return;
    }
    set_status(builder, point_at_member(builder, &members[repeated], &pointer));
    set_error(builder, BT_JSON_ERROR_DUPLICATE_KEY, "this name stands in the object already");
    builder->result.pointer = pointer;
}

/* ---- Values ---------------------------------------------------------------------------------- */

static void open_container(struct bt_builder *builder, enum bt_json_type type)
{
    assert(builder);
    if (!begin_value(builder)) {
        return;
    }
    check_limit(builder, builder->inner.frames.count + 1, builder->limits.depth, "depth",
                "nested too deeply");
    count_bytes(builder, 2);
    if (!is_failed(builder)) {
        bt_json_builder_open(&builder->inner, type);
        end_value(builder);
        builder->is_in_object = type == BT_JSON_OBJECT;
        builder->has_sibling = false;
    }
}

void bt_builder_object(struct bt_builder *builder)
{
    open_container(builder, BT_JSON_OBJECT);
}

void bt_builder_array(struct bt_builder *builder)
{
    open_container(builder, BT_JSON_ARRAY);
}

void bt_builder_end(struct bt_builder *builder)
{
    assert(builder);
    if (builder->state != STATE_OPEN && !begin_document(builder)) {
        return;
    }
    if (!find_container(builder) || builder->has_name) {
        set_status(builder, BT_EINVAL);
        return;
    }
    if (builder->is_in_object) {
        check_names(builder);
    }
    if (!is_failed(builder)) {
        bt_json_builder_close(&builder->inner);
        const struct bt_json_builder_frame *outer = find_container(builder);
        builder->is_in_object = outer && outer->type == BT_JSON_OBJECT;
        end_value(builder);
    }
}

/* Put a name that is not known into the document. NULL: there is a failure. */
static __attribute__((noinline)) const struct builder_name *
add_known(struct bt_builder *builder, bt_str name, struct builder_name *known)
{
    const uint64_t before = builder->bytes;
    struct builder_text checked = {.text = name, .flags = BT_JSON_FLAG_ESCAPED};
    known->text = NULL;
    if (!check_text(builder, &checked, 1)) {
        return NULL;
    }
    known->text = bt_json_builder_copy_text(&builder->inner, name, checked.flags).as.text;
    known->bytes = builder->bytes - before;
    return known;
}

/* The names of many objects are the same, and then one copy serves all of them. */
static void add_name(struct bt_builder *builder, bt_str name)
{
    const uint64_t *seed = builder->inner.document->seed;
    uint64_t words[2] = {0, 0};
    uint32_t hash = 0;
    if (name.len <= sizeof(words)) {
        words[0] = bt_hash_load_few(name.ptr, name.len);
        words[1] = name.len > 8 ? bt_hash_load_few(name.ptr + 8, name.len - 8) : 0;
        hash = bt_hash_words(seed, words[0], words[1], name.len);
    } else {
        hash = bt_hash_bytes(seed, name.ptr, name.len);
    }
    struct builder_name *known = &builder->known[hash % NAMES_KNOWN];
    if (known->text && known->hash == hash && known->size == name.len &&
        known->words[0] == words[0] && known->words[1] == words[1] &&
        (name.len <= sizeof(words) || memcmp(known->text, name.ptr, name.len) == 0)) {
        count_bytes(builder, known->bytes);
    } else {
        *known = (struct builder_name){
            .words = {words[0], words[1]}, .size = (uint32_t)name.len, .hash = hash};
        if (!add_known(builder, name, known)) {
            return;
        }
    }
    struct bt_json_member *slot = bt_json_builder_slot(&builder->inner);
    if (slot) {
        slot->name = known->text;
        slot->name_size = known->size;
        slot->name_hash = hash;
    }
    builder->has_name = true;
    set_status(builder, builder->inner.source.status);
}

void bt_builder_name(struct bt_builder *builder, bt_str name)
{
    assert(builder);
    assert(name.ptr || name.len == 0);
    if (builder->state != STATE_OPEN && !begin_document(builder)) {
        return;
    }
    if (!builder->is_in_object || builder->has_name) {
        set_status(builder, BT_EINVAL);
    } else {
        add_name(builder, name);
    }
}

void bt_builder_string(struct bt_builder *builder, bt_str text)
{
    struct builder_text checked = {.text = text, .flags = BT_JSON_FLAG_ESCAPED};
    assert(builder);
    if (begin_value(builder) && check_text(builder, &checked, 0)) {
        bt_json_builder_add_value(&builder->inner,
                                  bt_json_builder_copy_text(&builder->inner, text, checked.flags));
        end_value(builder);
    }
}

/* Add a number whose text is one. */
static void add_number(struct bt_builder *builder, bt_str text)
{
    count_bytes(builder, text.len);
    if (!is_failed(builder)) {
        const size_t begin = builder->inner.source.len;
        bt_buf_put(&builder->inner.source, text);
        bt_json_builder_number(&builder->inner, begin);
        end_value(builder);
    }
}

static bool is_number(bt_str text)
{
    struct bt_json_doc document;
    struct bt_json_build scan = {.source = text, .document = &document};
    bt_json_value value;
    for (size_t i = 0; i < text.len; i++) {
        if (!bt_ascii_is_digit(text.ptr[i]) && !memchr("+-.eE", text.ptr[i], 5)) {
            return false; /* also what may stand behind a number */
        }
    }
    return text.len > 0 && bt_json_build_number(&scan, 0, &value);
}

void bt_builder_number(struct bt_builder *builder, bt_str text)
{
    assert(builder);
    assert(text.ptr || text.len == 0);
    if (!begin_value(builder)) {
        return;
    }
    if (text.len <= builder->limits.document_bytes && !is_number(text)) {
        set_error(builder, BT_JSON_ERROR_SYNTAX, "expected a number");
    }
    add_number(builder, text);
}

void bt_builder_i64(struct bt_builder *builder, int64_t number)
{
    assert(builder);
    if (begin_value(builder)) {
        const size_t begin = builder->inner.source.len;
        bt_json_builder_integer(&builder->inner, number);
        count_bytes(builder, builder->inner.source.len - begin - 1); /* a space follows it */
        end_value(builder);
    }
}

void bt_builder_double(struct bt_builder *builder, double number)
{
    char text[BT_DOUBLE_TEXT_BYTES];
    assert(builder);
    if (!begin_value(builder)) {
        return;
    }
    if (isfinite(number)) {
        add_number(builder, (bt_str){text, bt_double_format(number, text)});
    } else {
        set_error(builder, BT_JSON_ERROR_SYNTAX, "a number must be finite");
    }
}

static void add_word(struct bt_builder *builder, enum bt_json_type type, size_t size)
{
    assert(builder);
    if (!begin_value(builder)) {
        return;
    }
    count_bytes(builder, size);
    if (!is_failed(builder)) {
        bt_json_builder_word(&builder->inner, type);
        end_value(builder);
    }
}

void bt_builder_bool(struct bt_builder *builder, bool truth)
{
    add_word(builder, truth ? BT_JSON_TRUE : BT_JSON_FALSE, truth ? 4 : 5);
}

void bt_builder_null(struct bt_builder *builder)
{
    add_word(builder, BT_JSON_NULL, 4);
}

/* ---- Builders -------------------------------------------------------------------------------- */

struct bt_builder *bt_builder_create(const struct bt_engine *engine, struct bt_arena *arena)
{
    assert(arena);
    struct bt_builder *builder = bt_handle_create(sizeof(*builder));
    if (builder) {
        builder->engine = engine;
        bt_arena_init(&builder->scratch, SIZE_MAX);
        bt_buf_init(&builder->inner.source, UINT32_MAX);
        builder->inner.arena = arena;
        builder->inner.work = &builder->scratch;
        builder->names.scratch = &builder->scratch;
    }
    return builder;
}

void bt_builder_destroy(struct bt_builder *builder)
{
    if (builder) {
        bt_buf_free(&builder->inner.source);
        bt_arena_free(&builder->scratch);
        bt_handle_destroy(builder);
    }
}

/* The document, or the first problem. */
static enum bt_status finish_document(struct bt_builder *builder)
{
    if (builder->state != STATE_WHOLE) {
        set_status(builder, BT_EINVAL);
        return builder->status;
    }
    struct bt_json_doc *document = builder->inner.document;
    document->root = builder->inner.children.items[0].value;
    builder->result = (struct bt_json_read_result){
        .document = document, .pointer = BT_STR(""), .detail = "", .limit_name = BT_STR("")};
    return bt_buf_copy(&builder->inner.source, builder->inner.arena, &document->source);
}

/* Be ready for the next document; memory that a large one needed is given back. */
static void reset_builder(struct bt_builder *builder)
{
    builder->status = BT_OK;
    builder->result = (struct bt_json_read_result){0};
    builder->nodes = 0;
    builder->bytes = 0;
    builder->state = STATE_EMPTY;
    builder->is_in_object = builder->has_name = builder->has_sibling = false;
    builder->names.failure.status = BT_OK;
    if (builder->inner.source.capacity > KEPT_BYTES_MAX ||
        builder->inner.children.capacity > KEPT_BYTES_MAX / sizeof(struct bt_json_member)) {
        const struct bt_json_builder inner = builder->inner;
        bt_buf_free(&builder->inner.source);
        bt_arena_reset(&builder->scratch);
        builder->inner = (struct bt_json_builder){
            .arena = inner.arena, .work = inner.work, .source = builder->inner.source};
        builder->names = (struct bt_json_build){.scratch = &builder->scratch};
    }
}

enum bt_status bt_builder_finish(struct bt_builder *builder, struct bt_json_read_result *out)
{
    assert(builder);
    assert(out);
    const struct bt_sized_layout layout = BT_SIZED_FIRST(struct bt_json_read_result);
    enum bt_status status = bt_sized_check(out, layout);
    status = status == BT_OK ? finish_document(builder) : status;
    if (status == BT_OK) {
        bt_sized_write(out, layout, &builder->result);
    }
    reset_builder(builder);
    return status;
}
