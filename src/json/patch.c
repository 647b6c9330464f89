/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patch.c - RFC 6902: a list of operations applied to a document, all of them or none.
 *
 * The operations work on an edit (edit.h), which leaves the document as it is; only when the last
 * one has succeeded is the result written, and the writer holds it to its limits.
 */
#include <baton/json.h>

#include <assert.h>

#include "base/arena.h"
#include "base/sized.h"
#include "json/edit.h"
#include "json/options.h"

struct json_patch_operation {
    bt_str path;
    bt_str from;
    const bt_json_value *value;
};

struct json_patch_state {
    struct bt_json_edit edit;
    const struct bt_json_doc *patch;
    struct bt_json_builder *builder; /* that gets the result, too; NULL: none */
    struct bt_json_patch_result result;
};

/* Refuse the patch. The status is that of the call, which did its work. */
static enum bt_status set_patch_error(struct json_patch_state *patching,
                                      enum bt_json_patch_error code, const char *detail)
{
    patching->result.code = code;
    patching->result.detail = detail;
    return BT_OK;
}

/* Turn what an edit says into what a patch says. */
static enum bt_status map_edit_status(struct json_patch_state *patching, enum bt_status status,
                                      const char *missing)
{
    if (status == BT_ENOENT) {
        return set_patch_error(patching, BT_JSON_PATCH_NO_TARGET, missing);
    }
    if (status == BT_ELIMIT) {
        return set_patch_error(patching, BT_JSON_PATCH_TOO_LARGE, "the patch takes too much work");
    }
    return status;
}

static const char path_missing[] = "there is nothing at 'path'";
static const char from_missing[] = "there is nothing at 'from'";
static const char parent_missing[] = "nothing can be added at 'path'";

static bt_json_edit_slot value_slot(const struct json_patch_state *patching,
                                    const struct json_patch_operation *operation)
{
    return bt_slot_of((bt_ref){patching->patch, operation->value});
}

static enum bt_status run_add(struct json_patch_state *patching,
                              const struct json_patch_operation *operation)
{
    return map_edit_status(
        patching,
        bt_json_edit_add(&patching->edit, operation->path, value_slot(patching, operation)),
        parent_missing);
}

static enum bt_status run_replace(struct json_patch_state *patching,
                                  const struct json_patch_operation *operation)
{
    return map_edit_status(
        patching,
        bt_json_edit_replace(&patching->edit, operation->path, value_slot(patching, operation)),
        path_missing);
}

static enum bt_status run_remove(struct json_patch_state *patching,
                                 const struct json_patch_operation *operation)
{
    if (operation->path.len == 0) {
        return set_patch_error(patching, BT_JSON_PATCH_MALFORMED,
                               "the whole document cannot be removed");
    }
    bt_json_edit_slot removed;
    return map_edit_status(
        patching, bt_json_edit_remove(&patching->edit, operation->path, &removed), path_missing);
}

static enum bt_status run_copy(struct json_patch_state *patching,
                               const struct json_patch_operation *operation)
{
    bt_json_edit_slot slot;
    const enum bt_status found = bt_json_edit_find(&patching->edit, operation->from, &slot);
    if (found != BT_OK) {
        return map_edit_status(patching, found, from_missing);
    }
    bt_json_edit_share(slot);
    return map_edit_status(patching, bt_json_edit_add(&patching->edit, operation->path, slot),
                           parent_missing);
}

static enum bt_status run_move(struct json_patch_state *patching,
                               const struct json_patch_operation *operation)
{
    const bt_str from = operation->from;
    const bt_str path = operation->path;
    /* Each pointer has one spelling, so bytes tell whether one leads through the other. */
    if (bt_str_starts_with(path, from) &&
        bt_str_starts_with(bt_str_slice(path, from.len, path.len), BT_STR("/"))) {
        return set_patch_error(patching, BT_JSON_PATCH_MALFORMED,
                               "a value cannot move into itself");
    }
    bt_json_edit_slot slot;
    if (bt_str_eq(from, path)) {
        return map_edit_status(patching, bt_json_edit_find(&patching->edit, from, &slot),
                               from_missing);
    }
    const enum bt_status removed = bt_json_edit_remove(&patching->edit, from, &slot);
    if (removed != BT_OK) {
        return map_edit_status(patching, removed, from_missing);
    }
    return map_edit_status(patching, bt_json_edit_add(&patching->edit, path, slot), parent_missing);
}

static enum bt_status run_test(struct json_patch_state *patching,
                               const struct json_patch_operation *operation)
{
    bt_json_edit_slot slot;
    const enum bt_status found = bt_json_edit_find(&patching->edit, operation->path, &slot);
    if (found != BT_OK) {
        return map_edit_status(patching, found, path_missing);
    }
    bool equal = false;
    const enum bt_status compared = bt_json_edit_equal(
        &patching->edit, slot, (bt_ref){patching->patch, operation->value}, &equal);
    if (compared == BT_OK && !equal) {
        return set_patch_error(patching, BT_JSON_PATCH_TEST_FAILED,
                               "the value at 'path' is another one");
    }
    return map_edit_status(patching, compared, path_missing);
}

/* What each operation is called, what it needs, and what it does. */
static const struct json_patch_kind {
    bt_str name;
    bool needs_from;
    bool needs_value;
    enum bt_status (*run)(struct json_patch_state *patching,
                          const struct json_patch_operation *operation);
} kinds[] = {
    {BT_STR_INIT("add"), false, true, run_add},
    {BT_STR_INIT("remove"), false, false, run_remove},
    {BT_STR_INIT("replace"), false, true, run_replace},
    {BT_STR_INIT("move"), true, false, run_move},
    {BT_STR_INIT("copy"), true, false, run_copy},
    {BT_STR_INIT("test"), false, true, run_test},
};

static const struct json_patch_kind *kind_called(bt_str name)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (bt_str_eq(kinds[i].name, name)) {
            return &kinds[i];
        }
    }
    return NULL;
}

/* The member `name` of an operation, which must be a pointer. */
static bool take_pointer(const struct bt_json_doc *patch, const bt_json_value *object, bt_str name,
                         bt_str *out)
{
    const bt_json_value *pointer = bt_json_get(patch, object, name);
    if (!pointer || pointer->type != BT_JSON_STRING ||
        !bt_json_pointer_is_valid(bt_json_text(pointer))) {
        return false;
    }
    *out = bt_json_text(pointer);
    return true;
}

static enum bt_status run_operation(struct json_patch_state *patching, const bt_json_value *object)
{
    struct json_patch_operation operation = {.path = BT_STR(""), .from = BT_STR("")};
    const struct bt_json_doc *patch = patching->patch;
    if (object->type != BT_JSON_OBJECT) {
        return set_patch_error(patching, BT_JSON_PATCH_MALFORMED, "an operation is not an object");
    }
    const bt_json_value *op = bt_json_get(patch, object, BT_STR("op"));
    const struct json_patch_kind *kind = op ? kind_called(bt_json_text(op)) : NULL;
    if (!kind) {
        return set_patch_error(patching, BT_JSON_PATCH_MALFORMED,
                               "'op' is none of add, remove, replace, move, copy, test");
    }
    if (!take_pointer(patch, object, BT_STR("path"), &operation.path)) {
        return set_patch_error(patching, BT_JSON_PATCH_MALFORMED, "'path' is not a JSON Pointer");
    }
    if (kind->needs_from && !take_pointer(patch, object, BT_STR("from"), &operation.from)) {
        return set_patch_error(patching, BT_JSON_PATCH_MALFORMED, "'from' is not a JSON Pointer");
    }
    operation.value = bt_json_get(patch, object, BT_STR("value"));
    if (kind->needs_value && !operation.value) {
        return set_patch_error(patching, BT_JSON_PATCH_MALFORMED, "'value' is missing");
    }
    return kind->run(patching, &operation);
}

static enum bt_status run_all(struct json_patch_state *patching)
{
    const bt_json_value *operations = bt_json_root(patching->patch);
    if (operations->type != BT_JSON_ARRAY) {
        return set_patch_error(patching, BT_JSON_PATCH_MALFORMED, "the patch is not an array");
    }
    for (size_t i = 0; i < bt_json_count(operations); i++) {
        patching->result.operation = i;
        BT_TRY(run_operation(patching, &operations->as.items[i]));
        if (patching->result.code != BT_JSON_PATCH_OK) {
            return BT_OK;
        }
    }
    patching->result.operation = bt_json_count(operations);
    return BT_OK;
}

/* How a patch is applied, with everything given. */
struct json_patch_how {
    enum bt_json_form form;
    struct bt_json_options result;
};

/* Complete the options of a caller. BT_EINVAL: one is out of range, or a size is wrong. */
static enum bt_status read_options(const struct bt_json_patch_options *given,
                                   struct json_patch_how *out)
{
    struct bt_json_patch_options known;
    BT_TRY(bt_sized_read(given, BT_SIZED_FIRST(struct bt_json_patch_options), &known));
    out->form = known.form;
    BT_TRY(bt_json_options_complete(known.result, &out->result));
    return known.form == BT_JSON_FORM_COMPACT || known.form == BT_JSON_FORM_PRETTY ? BT_OK
                                                                                   : BT_EINVAL;
}

static enum bt_status write_result(struct json_patch_state *patching, struct bt_buf *buf,
                                   const struct json_patch_how *options)
{
    const struct bt_json_write_limits limits = {
        .bytes = options->result.document_bytes_max,
        .string_bytes = options->result.string_bytes_max,
        .nodes = options->result.nodes_max,
        .depth = options->result.depth_max,
    };
    struct bt_json_writer writer;
    bt_json_writer_init(&writer, buf, options->form, &limits, patching->edit.arena);
    enum bt_status status = bt_json_edit_write(&patching->edit, &writer, patching->builder);
    if (status == BT_OK && options->form == BT_JSON_FORM_PRETTY) {
        bt_buf_put_char(buf, '\n');
        status = buf->status;
    }
    if (status == BT_OK && buf->len - writer.start > limits.bytes) {
        writer.exceeded = "the result is too long";
    }
    if (status != BT_OK || writer.exceeded) {
        buf->len = writer.start;
    }
    return writer.exceeded ? set_patch_error(patching, BT_JSON_PATCH_TOO_LARGE, writer.exceeded)
                           : status;
}

/* Apply a patch; the state has the patch and the builder. */
static enum bt_status apply_patch(struct json_patch_state *patching, struct bt_buf *buf,
                                  const struct bt_json_doc *document,
                                  const struct json_patch_how *options, struct bt_arena *arena)
{
    assert(document && patching->patch);
    assert(options && arena);
    /* Going into everything there is, once, and into as much again as the result may hold. */
    const uint64_t given = bt_json_node_count(document) + bt_json_node_count(patching->patch);
    uint64_t work = 0;
    if (__builtin_add_overflow(2 * given, options->result.nodes_max, &work)) {
        work = UINT64_MAX;
    }
    const struct bt_arena_mark mark = bt_arena_mark(arena);
    patching->result = (struct bt_json_patch_result){.detail = ""};
    bt_json_edit_init(&patching->edit, document, work, arena);
    patching->edit.may_be_lone |= bt_json_has_lone_surrogate(patching->patch);
    enum bt_status status = run_all(patching);
    if (status == BT_OK && patching->result.code == BT_JSON_PATCH_OK) {
        status = write_result(patching, buf, options);
    }
    bt_arena_rewind(arena, mark);
    return status;
}

enum bt_status bt_json_patch(struct bt_buf *buf, const struct bt_json_doc *document,
                             const struct bt_json_doc *patch,
                             const struct bt_json_patch_options *options, struct bt_arena *arena,
                             struct bt_json_patch_result *out_result)
{
    assert(buf && out_result);
    const struct bt_sized_layout layout = BT_SIZED_FIRST(struct bt_json_patch_result);
    struct json_patch_state patching = {.patch = patch};
    struct json_patch_how how;
    BT_TRY(bt_sized_check(out_result, layout));
    BT_TRY(read_options(options, &how));
    BT_TRY(apply_patch(&patching, buf, document, &how, arena));
    bt_sized_write(out_result, layout, &patching.result);
    return BT_OK;
}

enum bt_status bt_json_patch_document(const struct bt_json_doc *document,
                                      const struct bt_json_doc *patch,
                                      const struct bt_json_patch_options *options,
                                      struct bt_arena *arena, const struct bt_json_doc **out,
                                      struct bt_json_patch_result *out_result)
{
    struct bt_json_builder builder;
    struct json_patch_state patching = {.patch = patch, .builder = &builder};
    struct bt_arena scratch;
    struct json_patch_how how;
    struct bt_buf buf; /* the text is held to the limits */
    BT_TRY(read_options(options, &how));
    bt_buf_init(&buf, SIZE_MAX);
    bt_arena_init(&scratch, arena->limit);
    (void)bt_json_builder_begin(&builder, arena, how.result.hash_seed);
    const enum bt_status status = apply_patch(&patching, &buf, document, &how, &scratch);
    bt_arena_free(&scratch);
    bt_buf_free(&buf);
    *out = NULL;
    *out_result = patching.result;
    if (status == BT_OK && patching.result.code == BT_JSON_PATCH_OK) {
        return bt_json_builder_finish(&builder, BT_OK, out);
    }
    bt_buf_free(&builder.source);
    return status;
}
