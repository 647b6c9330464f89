/* SPDX-License-Identifier: Apache-2.0 */
/*
 * revision.c - a handoff that is being changed, one patch after the other.
 */
#include "dialect/universal/revision.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "json/emit.h"
#include "json/options.h"
#include "json/write.h"
#include "report/rules.h"

#define HASH "/handoff/meta/payload_hash"
#define SIZE "/handoff/meta/payload_size_bytes"
#define COUNT "/handoff/meta/token_count"

enum { COUNT_MAX = 2000 }; /* what the schema allows */

static enum bt_status read_text(struct bt_universal_revision *revision, bt_str text)
{
    const struct bt_json_options options = bt_json_options_from_env(revision->universal->env);
    struct bt_json_read_result read = {0};
    /* from: caller */
    BT_TRY(bt_json_read(revision->arena, text, &options, &read));
    if (!read.document) {
        return BT_EINVAL;
    }
    revision->text = text;
    revision->document = read.document;
    bt_json_cursor_set_document(&revision->cursor, read.document);
    return BT_OK;
}

static enum bt_json_form style_of(const struct bt_json_doc *document)
{
    return bt_json_is_minified(document) ? BT_JSON_FORM_COMPACT : BT_JSON_FORM_PRETTY;
}

static const bt_json_value *find_value(const struct bt_universal_revision *revision, bt_str pointer)
{
    return bt_json_resolve(revision->document, bt_json_root(revision->document), pointer);
}

/* The payload, if it is one that can be sealed. */
static const bt_json_value *payload_of(const struct bt_universal_revision *revision)
{
    const bt_json_value *payload = find_value(revision, BT_STR("/handoff/payload"));
    return payload && bt_json_type(payload) == BT_JSON_OBJECT ? payload : NULL;
}

static bool has_number(const struct bt_universal_revision *revision, bt_str pointer,
                       uint64_t number)
{
    const bt_json_value *value = find_value(revision, pointer);
    char text[24];
    const int length = snprintf(text, sizeof(text), "%" PRIu64, number);
    return value && bt_json_is_number(value) &&
           bt_json_decimal_compare(bt_json_number_text(revision->document, value),
                                   (bt_str){text, (size_t)length}) == 0;
}

static bool has_payload_hash(const struct bt_universal_revision *revision, const char *hash)
{
    const bt_json_value *value = find_value(revision, BT_STR(HASH));
    return value && bt_str_eq(bt_json_text(value), bt_str_of(hash));
}

enum bt_status bt_universal_revision_begin(struct bt_universal_revision *revision,
                                           struct bt_universal_checker *universal,
                                           struct bt_arena *arena, bt_str text)
{
    assert(revision);
    *revision =
        (struct bt_universal_revision){.universal = universal, .arena = arena, .given = text};
    bt_json_cursor_init(&revision->cursor, NULL); /* owns nothing until it is used */
    BT_TRY(read_text(revision, text));
    revision->form = style_of(revision->document);
    const bt_json_value *payload = payload_of(revision);
    if (payload) {
        BT_TRY(bt_universal_seal_info_of(revision->document, payload, arena, &revision->seal));
        revision->sealed = true;
        revision->hash_true = has_payload_hash(revision, revision->seal.hash);
        revision->size_true = has_number(revision, BT_STR(SIZE), revision->seal.bytes);
    }
    return BT_OK;
}

/* Forget the operations that wait. */
static void drop_pending(struct bt_universal_revision *revision)
{
    if (revision->pending.count > 0) {
        bt_buf_free(&revision->pending.list.source);
    }
    revision->pending.count = 0;
    revision->pending.fixes = 0;
}

void bt_universal_revision_end(struct bt_universal_revision *revision)
{
    drop_pending(revision);
    bt_json_cursor_free(&revision->cursor);
}

/* Begin an operation; `from` is "" but for a move. */
static struct bt_emit *begin_operation(struct bt_universal_revision *revision,
                                       struct bt_revision_operation operation, bt_str from)
{
    struct bt_emit *emit = &revision->pending.list.emit;
    if (revision->pending.count++ == 0) {
        bt_emit_begin_array(bt_json_builder_begin(&revision->pending.list, revision->arena, NULL));
    }
    revision->pending.fixes += operation.why[0] >= 'A' && operation.why[0] <= 'Z'; /* a code */
    revision->pending.operation = operation;
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "op", bt_str_of(operation.op));
    if (from.len > 0) {
        bt_emit_member_string(emit, "from", from);
    }
    bt_emit_member_string(emit, "path", operation.path);
    return emit;
}

/* End the operation with the value that was there before, and why. */
static enum bt_status end_operation(struct bt_universal_revision *revision)
{
    struct bt_emit *emit = &revision->pending.list.emit;
    const struct bt_revision_operation *operation = &revision->pending.operation;
    if (strcmp(operation->op, "remove") == 0 || strcmp(operation->op, "replace") == 0) {
        const bt_json_value *was = bt_json_cursor_find(&revision->cursor, operation->path);
        BT_TRY(was ? BT_OK : BT_EINVAL);
        bt_emit_name(emit, "was");
        bt_json_builder_copy(&revision->pending.list, (bt_ref){revision->document, was}, NULL);
    }
    bt_emit_member_string(emit, "why", bt_str_of(operation->why));
    bt_emit_end(emit);
    return emit->buf->status;
}

struct bt_emit *bt_universal_revision_begin_value(struct bt_universal_revision *revision,
                                                  bt_str pointer, bool is_there, const char *why)
{
    const struct bt_revision_operation operation = {is_there ? "replace" : "add", pointer, why};
    struct bt_emit *emit = begin_operation(revision, operation, BT_STR(""));
    bt_emit_name(emit, "value");
    return emit;
}

enum bt_status bt_universal_revision_end_value(struct bt_universal_revision *revision)
{
    return end_operation(revision);
}

enum bt_status bt_universal_revision_remove(struct bt_universal_revision *revision, bt_str pointer,
                                            const char *why)
{
    (void)begin_operation(revision, (struct bt_revision_operation){"remove", pointer, why},
                          BT_STR(""));
    return end_operation(revision);
}

enum bt_status bt_universal_revision_move(struct bt_universal_revision *revision, bt_str from,
                                          bt_str to, const char *why)
{
    (void)begin_operation(revision, (struct bt_revision_operation){"move", to, why}, from);
    return end_operation(revision);
}

/* Put the text that a patch gives, in the form of the revision. BT_ELIMIT: it is too large. */
static enum bt_status write_patched(const struct bt_universal_revision *revision,
                                    const struct bt_json_doc *patch, struct bt_buf *buf)
{
    const struct bt_json_options limits = bt_json_options_from_env(revision->universal->env);
    const struct bt_json_patch_options options = {.form = revision->form, .result = &limits};
    struct bt_json_patch_result result = {0};
    bt_buf_clear(buf);
    BT_TRY(bt_json_patch(buf, revision->document, patch, &options, revision->arena, &result));
    if (result.code == BT_JSON_PATCH_OK) {
        return BT_OK;
    }
    return result.code == BT_JSON_PATCH_TOO_LARGE ? BT_ELIMIT : BT_EINVAL;
}

/* The text that a patch gives when only the bytes concerned change. */
static enum bt_status build_edited_text(const struct bt_universal_revision *revision,
                                        const struct bt_json_doc *patch,
                                        struct bt_edit_list *out_edits, bt_str *out)
{
    BT_TRY(bt_edit_list_from_patch(revision->document, patch, revision->arena, out_edits));
    BT_TRY(bt_edit_list_apply(out_edits, revision->text, revision->arena, out));
    return out->len <= revision->universal->env->limits.document_bytes ? BT_OK : BT_ELIMIT;
}

/* The text that a patch gives, in the arena. What does not fit in its own style is minified from
 * then on. */
static enum bt_status build_patched_text(struct bt_universal_revision *revision,
                                         const struct bt_json_doc *patch, bt_str *out)
{
    struct bt_edit_list edits;
    if (revision->edits.is_wanted) {
        return build_edited_text(revision, patch, &edits, out);
    }
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    enum bt_status status = write_patched(revision, patch, &buf);
    if (status == BT_ELIMIT && revision->form == BT_JSON_FORM_PRETTY) {
        revision->form = BT_JSON_FORM_COMPACT; /* white space alone must not make it too large */
        status = write_patched(revision, patch, &buf);
    }
    return bt_buf_finish_if(status, &buf, revision->arena, out);
}

/* Find where the values that a patch is about are in the given text; of one that is added, the
 * object that gets it. */
static enum bt_status find_offsets(struct bt_universal_revision *revision,
                                   const struct bt_json_doc *patch)
{
    struct bt_edit_cursor given = bt_edit_cursor_begin(&revision->edits.list);
    for (size_t i = 0; i < bt_json_count(bt_json_root(patch)); i++) {
        const bt_json_value *operation = &bt_json_items(bt_json_root(patch))[i];
        const bt_json_value *from = bt_json_get(patch, operation, BT_STR("from"));
        const bt_json_value *path = bt_json_get(patch, operation, BT_STR("path"));
        const bt_json_value *value =
            bt_json_cursor_find(&revision->cursor, bt_json_text(from ? from : path));
        value = value ? value : revision->cursor.holder;
        BT_TRY(value ? BT_OK : BT_EINVAL);
        const size_t offset = bt_json_span(revision->document, value).begin;
        BT_TRY(bt_vec_push(revision->arena, &revision->edits.offsets,
                           bt_edit_cursor_find(&given, offset)));
    }
    return BT_OK;
}

/* Apply a patch by edits of the text, and join them with those before. */
static enum bt_status edit_text(struct bt_universal_revision *revision,
                                const struct bt_json_doc *patch)
{
    struct bt_edit_list edits;
    struct bt_edit_list joined;
    bt_str text = BT_STR("");
    BT_TRY(find_offsets(revision, patch));
    BT_TRY(build_edited_text(revision, patch, &edits, &text));
    BT_TRY(bt_edit_list_compose(&revision->edits.list, revision->text, &edits, revision->arena,
                                &joined));
    revision->edits.list = joined;
    const enum bt_status status = read_text(revision, text);
    return status == BT_EINVAL ? BT_ELIMIT : status; /* it has become too deep or too large */
}

static enum bt_status rewrite_text(struct bt_universal_revision *revision,
                                   const struct bt_json_doc *patch)
{
    bt_str text = BT_STR("");
    BT_TRY(build_patched_text(revision, patch, &text));
    return read_text(revision, text);
}

enum bt_status bt_universal_revision_apply(struct bt_universal_revision *revision)
{
    if (revision->pending.count == 0) {
        return BT_OK;
    }
    const struct bt_json_doc *patch = NULL;
    const size_t count = revision->pending.count;
    bt_emit_end(&revision->pending.list.emit);
    revision->pending.count = 0; /* the list is at its end, in every case */
    BT_TRY(bt_json_builder_finish(&revision->pending.list, BT_OK, &patch));
    BT_TRY(revision->edits.is_wanted ? edit_text(revision, patch) : rewrite_text(revision, patch));
    revision->count += count;
    revision->fixes += revision->pending.fixes;
    revision->pending.fixes = 0;
    return bt_vec_push(revision->arena, &revision->changes, patch);
}

enum bt_status bt_universal_revision_rewrite(struct bt_universal_revision *revision,
                                             enum bt_json_form form)
{
    bt_str text = BT_STR("");
    revision->form = form;
    BT_TRY(bt_json_write_text(revision->document, bt_json_root(revision->document), form,
                              revision->arena, &text));
    return read_text(revision, text);
}

struct bt_universal_revision_mark
bt_universal_revision_mark(const struct bt_universal_revision *revision)
{
    assert(revision->pending.count == 0);
    return (struct bt_universal_revision_mark){revision->text,    revision->document,
                                               revision->changes, revision->count,
                                               revision->fixes,   bt_arena_mark(revision->arena)};
}

void bt_universal_revision_roll_back(struct bt_universal_revision *revision,
                                     const struct bt_universal_revision_mark *mark)
{
    assert(mark->count <= revision->count);
    assert(!revision->edits.is_wanted);
    revision->text = mark->text;
    revision->document = mark->document;
    bt_json_cursor_set_document(&revision->cursor, mark->document);
    revision->changes = mark->changes;
    revision->count = mark->count;
    revision->fixes = mark->fixes;
    drop_pending(revision);
    bt_arena_rewind(revision->arena, mark->arena);
}

static enum bt_status set_number(struct bt_universal_revision *revision, bt_str pointer,
                                 uint64_t number, const char *why)
{
    const bool is_there = find_value(revision, pointer) != NULL;
    bt_emit_u64(bt_universal_revision_begin_value(revision, pointer, is_there, why), number);
    return bt_universal_revision_end_value(revision);
}

static enum bt_status set_seal(struct bt_universal_revision *revision, bool hash, bool size)
{
    struct bt_universal_seal_info seal;
    const bt_json_value *payload = payload_of(revision);
    if (!payload) {
        return BT_OK;
    }
    BT_TRY(bt_universal_seal_info_of(revision->document, payload, revision->arena, &seal));
    if (hash && !has_payload_hash(revision, seal.hash)) {
        const bool is_there = find_value(revision, BT_STR(HASH)) != NULL;
        bt_emit_string(
            bt_universal_revision_begin_value(revision, BT_STR(HASH), is_there, "reseal"),
            bt_str_of(seal.hash));
        BT_TRY(bt_universal_revision_end_value(revision));
    }
    return size && !has_number(revision, BT_STR(SIZE), seal.bytes)
               ? set_number(revision, BT_STR(SIZE), seal.bytes, "reseal")
               : BT_OK;
}

enum bt_status bt_universal_revision_seal(struct bt_universal_revision *revision)
{
    BT_TRY(bt_universal_revision_apply(revision));
    return set_seal(revision, true, true);
}

static size_t count_digits(uint64_t number)
{
    size_t count = 1;
    for (; number >= 10; number /= 10) {
        count++;
    }
    return count;
}

/* The least n with n = floor(bytes of the document written with n / 4): counted up from 0. The more
 * digits, the more bytes, so it never turns back. */
static uint64_t find_stable_count(size_t bytes_without)
{
    uint64_t count = 0;
    for (;;) {
        const uint64_t next = (bytes_without + count_digits(count)) / 4;
        if (next == count) {
            return count < COUNT_MAX ? count : COUNT_MAX;
        }
        count = next;
    }
}

/* The bytes of the document apart from the number at token_count, as it will be written. */
static enum bt_status bytes_without_count(struct bt_universal_revision *revision, size_t *out)
{
    bt_str text = BT_STR("");
    const bool there = find_value(revision, BT_STR(COUNT)) != NULL;
    const struct bt_json_doc *patch = NULL;
    struct bt_json_builder builder;
    struct bt_emit *emit = bt_json_builder_begin(&builder, revision->arena, NULL);
    bt_emit_begin_array(emit);
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "op", there ? BT_STR("replace") : BT_STR("add"));
    bt_emit_member_string(emit, "path", BT_STR(COUNT));
    bt_emit_member_u64(emit, "value", 0);
    bt_emit_end(emit);
    bt_emit_end(emit);
    BT_TRY(bt_json_builder_finish(&builder, BT_OK, &patch));
    BT_TRY(build_patched_text(revision, patch, &text));
    *out = text.len - 1;
    return BT_OK;
}

uint64_t bt_universal_revision_count_of(const struct bt_json_doc *document)
{
    const bt_json_value *number = bt_json_resolve(document, bt_json_root(document), BT_STR(COUNT));
    assert(number);
    const struct bt_json_span span = bt_json_span(document, number);
    return find_stable_count(bt_json_source(document).len - (span.end - span.begin));
}

static enum bt_status write_count(struct bt_universal_revision *revision)
{
    const bt_json_value *meta = find_value(revision, BT_STR("/handoff/meta"));
    if (!meta || bt_json_type(meta) != BT_JSON_OBJECT) {
        return BT_OK;
    }
    size_t bytes = 0;
    BT_TRY(bytes_without_count(revision, &bytes));
    const uint64_t count = find_stable_count(bytes);
    if (has_number(revision, BT_STR(COUNT), count)) {
        return BT_OK;
    }
    const bool there = find_value(revision, BT_STR(COUNT)) != NULL;
    BT_TRY(set_number(revision, BT_STR(COUNT), count,
                      there ? "recount" : bt_code_name(BT_CODE_SCHEMA_REQUIRED).ptr));
    return bt_universal_revision_apply(revision);
}

enum bt_status bt_universal_revision_finish(struct bt_universal_revision *revision, bool recount)
{
    BT_TRY(bt_universal_revision_apply(revision));
    if (revision->count == 0 && !recount) {
        return BT_OK;
    }
    BT_TRY(set_seal(revision, revision->hash_true, revision->size_true));
    BT_TRY(bt_universal_revision_apply(revision));
    return revision->edits.keep_count && !recount ? BT_OK : write_count(revision);
}

void bt_universal_revision_put_changes(const struct bt_universal_revision *revision,
                                       struct bt_json_builder *builder)
{
    bt_emit_begin_array(&builder->emit);
    for (size_t i = 0; i < revision->changes.count; i++) {
        const struct bt_json_doc *list = revision->changes.items[i];
        for (size_t j = 0; j < bt_json_count(bt_json_root(list)); j++) {
            bt_json_builder_copy(builder, (bt_ref){list, &bt_json_items(bt_json_root(list))[j]},
                                 NULL);
        }
    }
    bt_emit_end(&builder->emit);
}
