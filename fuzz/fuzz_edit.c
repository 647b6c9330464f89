/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_edit.c - a document and, after the record separator of RFC 7464, one byte per value that
 * says what becomes of it.
 *
 * Promises: the edits of a patch are in order; the edited text, read again, is the document that
 * the patch gives; a second patch on top, joined with the first, leads from the first text to the
 * last.
 */
#include "fuzz.h"

#include "edit/edit.h"
#include "json/builder.h"
#include "json/emit.h"
#include "json/value_pointer.h"
#include "json/walk.h"

#define SEPARATOR 0x1e

/* What becomes of a value: two bits of its byte; the byte after it says more. */
enum fuzz_change { FUZZ_KEEP, FUZZ_REPLACE, FUZZ_RENAME, FUZZ_REMOVE };

struct fuzz_source {
    bt_str bytes;
    size_t next;
    unsigned names; /* that were made */
};

static unsigned take_byte(struct fuzz_source *source)
{
    return source->next < source->bytes.len ? (unsigned char)source->bytes.ptr[source->next++] : 0;
}

static bt_str put_pointer(struct bt_buf *buf, const struct bt_json_doc *document,
                          const bt_json_value *value)
{
    bt_buf_clear(buf);
    bt_json_put_value_pointer(buf, document, value);
    return bt_buf_str(buf);
}

/* A name that no object of the document has, since all its names are shorter. */
static void put_new_name(struct bt_buf *buf, struct fuzz_source *source)
{
    static const bt_str forms[] = {BT_STR_INIT("new"), BT_STR_INIT("\"q\\"), BT_STR_INIT("~/"),
                                   BT_STR_INIT("\303\251")};
    struct bt_buf name;
    bt_buf_init(&name, FUZZ_BUF_BYTES);
    bt_buf_put_repeat(&name, '_', 64);
    bt_buf_put(&name, forms[take_byte(source) % 4]);
    bt_buf_put_u64(&name, source->names++);
    bt_json_pointer_put(buf, bt_buf_str(&name));
    bt_buf_free(&name);
}

static void begin_operation(struct bt_emit *emit, const char *op, bt_str path)
{
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "op", bt_str_of(op));
    bt_emit_member_string(emit, "path", path);
}

static void emit_value(struct bt_emit *emit, unsigned choice)
{
    bt_emit_name(emit, "value");
    if (choice % 3 == 0) {
        bt_emit_u64(emit, choice);
    } else if (choice % 3 == 1) {
        bt_emit_string(emit, BT_STR("text \"\n"));
    } else {
        bt_emit_begin_array(emit);
        bt_emit_begin_object(emit);
        bt_emit_end(emit);
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}

static void rename_value(struct bt_emit *emit, struct fuzz_source *source, bt_str from)
{
    struct bt_buf to;
    bt_buf_init(&to, FUZZ_BUF_BYTES);
    bt_buf_put(&to, from);
    while (to.len > 0 && bt_buf_str(&to).ptr[to.len - 1] != '/') {
        to.len--;
    }
    to.len--;
    put_new_name(&to, source);
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "op", BT_STR("move"));
    bt_emit_member_string(emit, "from", from);
    bt_emit_member_string(emit, "path", bt_buf_str(&to));
    bt_emit_end(emit);
    bt_buf_free(&to);
}

static void add_to_object(struct bt_emit *emit, struct fuzz_source *source, bt_str pointer)
{
    struct bt_buf to;
    bt_buf_init(&to, FUZZ_BUF_BYTES);
    for (unsigned count = take_byte(source) % 4; count > 1; count--) {
        bt_buf_clear(&to);
        bt_buf_put(&to, pointer);
        put_new_name(&to, source);
        begin_operation(emit, "add", bt_buf_str(&to));
        emit_value(emit, take_byte(source));
    }
    bt_buf_free(&to);
}

/* What becomes of one value; true when nothing below it may change. */
static bool change_value(struct bt_emit *emit, struct fuzz_source *source,
                         const struct bt_json_walk_value *at, bt_str pointer)
{
    const unsigned choice = take_byte(source);
    if (choice % 4 == FUZZ_REPLACE) {
        begin_operation(emit, "replace", pointer);
        emit_value(emit, take_byte(source));
        return true;
    }
    if (choice % 4 == FUZZ_REMOVE && at->member) {
        begin_operation(emit, "remove", pointer);
        bt_emit_end(emit);
        return true;
    }
    if (choice % 4 == FUZZ_RENAME && at->member) {
        rename_value(emit, source, pointer);
        return true;
    }
    if (bt_json_type(at->value) == BT_JSON_OBJECT) {
        add_to_object(emit, source, pointer);
    }
    return false;
}

/* A patch whose operations do not depend on each other. */
static const struct bt_json_doc *make_patch(struct bt_arena *arena, struct fuzz_source *source,
                                            const struct bt_json_doc *document)
{
    static struct bt_json_walk walk;
    struct bt_json_walk_value at = {.value = bt_json_root(document)};
    struct bt_json_builder builder;
    const struct bt_json_doc *patch = NULL;
    struct bt_buf pointer;
    size_t changed_to = 0; /* the end of the value that was changed last */
    bt_buf_init(&pointer, FUZZ_BUF_BYTES);
    struct bt_emit *emit = bt_json_builder_begin(&builder, arena, NULL);
    bt_emit_begin_array(emit);
    bt_json_walk_begin(&walk, bt_json_root(document));
    do {
        const struct bt_json_span span = bt_json_span(document, at.value);
        if (span.begin >= changed_to &&
            change_value(emit, source, &at, put_pointer(&pointer, document, at.value))) {
            changed_to = span.end;
        }
    } while (bt_json_walk_next(&walk, &at));
    bt_emit_end(emit);
    PROMISE(bt_json_builder_finish(&builder, BT_OK, &patch) == BT_OK);
    bt_buf_free(&pointer);
    return patch;
}

/* The edited text, which is the document that the patch gives. */
static bt_str check_edits(struct bt_arena *arena, const struct bt_json_doc *document,
                          const struct bt_json_doc *patch, struct bt_edit_list *out_edits)
{
    const struct bt_json_options limits = {.document_bytes_max = FUZZ_BUF_BYTES,
                                           .string_bytes_max = FUZZ_BUF_BYTES,
                                           .nodes_max = 1 << 20,
                                           .depth_max = 1000,
                                           .hash_seed = {1, 0}};
    const struct bt_json_patch_options options = {.result = &limits};
    struct bt_json_patch_result result = {0};
    struct bt_buf patched;
    bt_str text = BT_STR("");
    bt_buf_init(&patched, FUZZ_BUF_BYTES);
    PROMISE(bt_json_patch(&patched, document, patch, &options, arena, &result) == BT_OK);
    PROMISE(result.code == BT_JSON_PATCH_OK);
    PROMISE(bt_edit_list_from_patch(document, patch, arena, out_edits) == BT_OK);
    PROMISE(bt_edit_list_sort(out_edits, arena) == BT_OK);
    PROMISE(bt_edit_list_apply(out_edits, bt_json_source(document), arena, &text) == BT_OK);
    PROMISE(fuzz_same(fuzz_reread(arena, text), fuzz_reread(arena, bt_buf_str(&patched))));
    bt_buf_free(&patched);
    return text;
}

static void edit_twice(const struct bt_json_doc *document, bt_str bytes)
{
    struct fuzz_source source = {.bytes = bytes};
    struct bt_edit_list first;
    struct bt_edit_list second;
    struct bt_edit_list both;
    bt_str joined = BT_STR("");
    struct bt_arena arena;
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    const bt_str middle =
        check_edits(&arena, document, make_patch(&arena, &source, document), &first);
    const struct bt_json_doc *changed = fuzz_reread(&arena, middle);
    const bt_str last = check_edits(&arena, changed, make_patch(&arena, &source, changed), &second);
    PROMISE(bt_edit_list_compose(&first, middle, &second, &arena, &both) == BT_OK);
    PROMISE(bt_edit_list_apply(&both, bt_json_source(document), &arena, &joined) == BT_OK);
    PROMISE(bt_str_eq(joined, last));
    bt_arena_free(&arena);
}

static bool has_long_name(const struct bt_json_doc *document)
{
    static struct bt_json_walk walk;
    struct bt_json_walk_value at;
    bt_json_walk_begin(&walk, bt_json_root(document));
    while (bt_json_walk_next(&walk, &at)) {
        if (at.member && at.member->name_size >= 64) {
            return true;
        }
    }
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bt_str text = fuzz_text(data, size);
    const size_t middle = bt_str_find_byte(text, SEPARATOR, 0);
    struct bt_arena arena;
    struct bt_json_read_result read = {0};
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    PROMISE(bt_json_read(&arena, bt_str_slice(text, 0, middle), NULL, &read) == BT_OK);
    if (read.document && bt_json_node_count(read.document) < 2000 &&
        !has_long_name(read.document)) {
        edit_twice(read.document, bt_str_slice(text, middle + 1, size));
    }
    bt_arena_free(&arena);
    return 0;
}
