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
#include "json/write.h"
#include "report/rules.h"

#define HASH "/handoff/meta/payload_hash"
#define SIZE "/handoff/meta/payload_size_bytes"
#define COUNT "/handoff/meta/token_count"

enum { COUNT_MAX = 2000 }; /* what the schema allows */

static enum bt_status read_text(struct bt_universal_revision *revision, bt_str text)
{
    const struct bt_json_options options = bt_json_options_from_env(revision->universal->env);
    struct bt_json_read_result read;
    /* from: caller */
    BT_TRY(bt_json_read(revision->arena, text, &options, &read));
    if (!read.document) {
        return BT_EINVAL;
    }
    revision->text = text;
    revision->document = read.document;
    revision->cursor.object = NULL;
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
    BT_TRY(read_text(revision, text));
    revision->form = style_of(revision->document);
    const bt_json_value *payload = payload_of(revision);
    if (payload) {
        BT_TRY(bt_universal_seal_info_of(revision->document, payload, arena, &revision->seal));
        revision->sealed = true;
        revision->hash_true = has_payload_hash(revision, revision->seal.hash);
        revision->size_true = has_number(revision, BT_STR(SIZE), revision->seal.bytes);
    }
    bt_buf_init(&revision->changes, SIZE_MAX);
    bt_buf_init(&revision->pending, SIZE_MAX);
    bt_buf_init(&revision->cursor.pointer, SIZE_MAX);
    return BT_OK;
}

void bt_universal_revision_end(struct bt_universal_revision *revision)
{
    bt_buf_free(&revision->changes);
    bt_buf_free(&revision->pending);
    bt_buf_free(&revision->cursor.pointer);
}

struct universal_revision_operation {
    const char *op;
    bt_str from; /* move, else "" */
    bt_str path;
    bt_str value; /* add and replace, else "" */
    const char *why;
};

/* The object that holds what `pointer` names, remembered from one operation to the next. */
static const bt_json_value *holder_of(struct bt_universal_revision *revision, bt_str pointer)
{
    struct bt_revision_cursor *cursor = &revision->cursor;
    if (!cursor->object || !bt_str_eq(bt_buf_str(&cursor->pointer), pointer)) {
        const bt_json_value *holder = find_value(revision, pointer);
        bt_buf_clear(&cursor->pointer);
        bt_buf_put(&cursor->pointer, pointer);
        const bool usable =
            holder && bt_json_type(holder) == BT_JSON_OBJECT && cursor->pointer.status == BT_OK;
        cursor->object = usable ? holder : NULL;
        cursor->next = 0;
    }
    return cursor->object;
}

/* Resolve a pointer like at(), but fast for operations in document order: an object may have
 * very many members, so each search continues where the previous one ended. */
static const bt_json_value *at_next(struct bt_universal_revision *revision, bt_str pointer)
{
    const bt_str name = bt_str_after_last(pointer, '/');
    const size_t slash = pointer.len - name.len;
    const bt_json_value *object = slash > 0 && bt_str_find_byte(name, '~', 0) == name.len
                                      ? holder_of(revision, bt_str_slice(pointer, 0, slash - 1))
                                      : NULL;
    const size_t count = object ? bt_json_count(object) : 0;
    for (size_t i = 0; i < count; i++) {
        const size_t index = (revision->cursor.next + i) % count;
        const struct bt_json_member *member = &bt_json_members(object)[index];
        if (bt_str_eq(bt_json_name(member), name)) {
            revision->cursor.next = index + 1;
            return &member->value;
        }
    }
    return object ? NULL : find_value(revision, pointer);
}

static enum bt_status put_was(struct bt_universal_revision *revision, struct bt_emit *emit,
                              bt_str path)
{
    const bt_json_value *value = at_next(revision, path);
    if (!value) {
        return BT_EINVAL;
    }
    struct bt_buf text;
    bt_buf_init(&text, SIZE_MAX);
    const enum bt_status status = bt_json_write(&text, revision->document, value,
                                                BT_JSON_FORM_COMPACT, revision->arena, NULL);
    if (status == BT_OK) {
        bt_emit_member_raw(emit, "was", bt_buf_str(&text));
    }
    bt_buf_free(&text);
    return status;
}

static enum bt_status add_operation(struct bt_universal_revision *revision,
                                    const struct universal_revision_operation *operation)
{
    struct bt_emit emit;
    if (revision->pending.len > 0) {
        bt_buf_put_char(&revision->pending, ',');
    }
    bt_emit_init(&emit, &revision->pending, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "op", bt_str_of(operation->op));
    if (operation->from.len > 0) {
        bt_emit_member_string(&emit, "from", operation->from);
    }
    bt_emit_member_string(&emit, "path", operation->path);
    if (operation->value.len > 0) {
        bt_emit_member_raw(&emit, "value", operation->value);
    }
    if (strcmp(operation->op, "remove") == 0 || strcmp(operation->op, "replace") == 0) {
        BT_TRY(put_was(revision, &emit, operation->path));
    }
    bt_emit_member_string(&emit, "why", bt_str_of(operation->why));
    bt_emit_end(&emit);
    revision->pending_count++;
    revision->pending_fixes += operation->why[0] >= 'A' && operation->why[0] <= 'Z'; /* a code */
    return revision->pending.status;
}

enum bt_status bt_universal_revision_add(struct bt_universal_revision *revision, bt_str pointer,
                                         bt_str value, const char *why)
{
    const struct universal_revision_operation operation = {"add", BT_STR(""), pointer, value, why};
    return add_operation(revision, &operation);
}

enum bt_status bt_universal_revision_replace(struct bt_universal_revision *revision, bt_str pointer,
                                             bt_str value, const char *why)
{
    const struct universal_revision_operation operation = {"replace", BT_STR(""), pointer, value,
                                                           why};
    return add_operation(revision, &operation);
}

enum bt_status bt_universal_revision_remove(struct bt_universal_revision *revision, bt_str pointer,
                                            const char *why)
{
    const struct universal_revision_operation operation = {"remove", BT_STR(""), pointer,
                                                           BT_STR(""), why};
    return add_operation(revision, &operation);
}

enum bt_status bt_universal_revision_move(struct bt_universal_revision *revision, bt_str from,
                                          bt_str to, const char *why)
{
    const struct universal_revision_operation operation = {"move", from, to, BT_STR(""), why};
    return add_operation(revision, &operation);
}

/* Put the text that a patch gives, in the form of the revision. BT_ELIMIT: it is too large. */
static enum bt_status write_patched(const struct bt_universal_revision *revision,
                                    const struct bt_json_doc *patch, struct bt_buf *buf)
{
    const struct bt_json_patch_options options = {
        revision->form, bt_json_options_from_env(revision->universal->env)};
    struct bt_json_patch_result result;
    bt_buf_clear(buf);
    BT_TRY(bt_json_patch(buf, revision->document, patch, &options, revision->arena, &result));
    if (result.code == BT_JSON_PATCH_OK) {
        return BT_OK;
    }
    return result.code == BT_JSON_PATCH_TOO_LARGE ? BT_ELIMIT : BT_EINVAL;
}

/* The text that operations (separated by commas) give, in the arena. What does not fit in its own
 * style is minified from then on. */
static enum bt_status build_patched_text(struct bt_universal_revision *revision, bt_str operations,
                                         bt_str *out)
{
    struct bt_json_options reading = bt_json_options_default();
    reading.document_bytes_max = UINT64_C(1) << 30;
    reading.nodes_max = UINT64_C(1) << 30;
    bt_str list = BT_STR("");
    struct bt_json_read_result patch;
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    bt_buf_put_char(&buf, '[');
    bt_buf_put(&buf, operations);
    bt_buf_put_char(&buf, ']');
    BT_TRY(bt_buf_finish(&buf, revision->arena, &list));
    BT_TRY(bt_json_read(revision->arena, list, &reading, &patch));
    BT_TRY(patch.document ? BT_OK : BT_EINVAL);
    bt_buf_init(&buf, SIZE_MAX);
    enum bt_status status = write_patched(revision, patch.document, &buf);
    if (status == BT_ELIMIT && revision->form == BT_JSON_FORM_PRETTY) {
        revision->form = BT_JSON_FORM_COMPACT; /* white space alone must not make it too large */
        status = write_patched(revision, patch.document, &buf);
    }
    return bt_buf_finish_if(status, &buf, revision->arena, out);
}

enum bt_status bt_universal_revision_apply(struct bt_universal_revision *revision)
{
    if (revision->pending_count == 0) {
        return BT_OK;
    }
    bt_str text = BT_STR("");
    BT_TRY(build_patched_text(revision, bt_buf_str(&revision->pending), &text));
    BT_TRY(read_text(revision, text));
    if (revision->count > 0) {
        bt_buf_put_char(&revision->changes, ',');
    }
    bt_buf_put(&revision->changes, bt_buf_str(&revision->pending));
    revision->count += revision->pending_count;
    revision->fixes += revision->pending_fixes;
    bt_buf_clear(&revision->pending);
    revision->pending_count = 0;
    revision->pending_fixes = 0;
    return revision->changes.status;
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
    assert(revision->pending_count == 0);
    return (struct bt_universal_revision_mark){
        revision->text,  revision->document, revision->changes.len,
        revision->count, revision->fixes,    bt_arena_mark(revision->arena)};
}

void bt_universal_revision_roll_back(struct bt_universal_revision *revision,
                                     const struct bt_universal_revision_mark *mark)
{
    assert(mark->count <= revision->count);
    revision->text = mark->text;
    revision->document = mark->document;
    revision->cursor.object = NULL;
    revision->changes.len = mark->changes_bytes;
    revision->count = mark->count;
    revision->fixes = mark->fixes;
    bt_buf_clear(&revision->pending);
    revision->pending_count = 0;
    revision->pending_fixes = 0;
    bt_arena_rewind(revision->arena, mark->arena);
}

static enum bt_status set_value(struct bt_universal_revision *revision, bt_str pointer,
                                bt_str value, const char *why)
{
    return find_value(revision, pointer)
               ? bt_universal_revision_replace(revision, pointer, value, why)
               : bt_universal_revision_add(revision, pointer, value, why);
}

static enum bt_status set_seal(struct bt_universal_revision *revision, bool hash, bool size)
{
    struct bt_universal_seal_info seal;
    const bt_json_value *payload = payload_of(revision);
    if (!payload) {
        return BT_OK;
    }
    BT_TRY(bt_universal_seal_info_of(revision->document, payload, revision->arena, &seal));
    char text[sizeof(seal.hash) + 2];
    if (hash && !has_payload_hash(revision, seal.hash)) {
        const int length = snprintf(text, sizeof(text), "\"%s\"", seal.hash);
        BT_TRY(set_value(revision, BT_STR(HASH), (bt_str){text, (size_t)length}, "reseal"));
    }
    if (size && !has_number(revision, BT_STR(SIZE), seal.bytes)) {
        const int length = snprintf(text, sizeof(text), "%" PRIu64, seal.bytes);
        BT_TRY(set_value(revision, BT_STR(SIZE), (bt_str){text, (size_t)length}, "reseal"));
    }
    return BT_OK;
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
    bt_str operation = BT_STR("");
    BT_TRY(bt_arena_printf(revision->arena, &operation,
                           "{\"op\":\"%s\",\"path\":\"" COUNT "\",\"value\":0}",
                           there ? "replace" : "add"));
    BT_TRY(build_patched_text(revision, operation, &text));
    *out = text.len - 1;
    return BT_OK;
}

enum bt_status bt_universal_revision_count_of(const struct bt_json_doc *document,
                                              struct bt_arena *arena, uint64_t *out)
{
    const bt_json_value *root = bt_json_root(document);
    const bt_json_value *number = bt_json_resolve(document, root, BT_STR(COUNT));
    assert(number);
    const enum bt_json_form form = style_of(document);
    struct bt_buf text;
    bt_buf_init(&text, SIZE_MAX);
    const enum bt_status status = bt_json_write(&text, document, root, form, arena, NULL);
    if (status == BT_OK) {
        const struct bt_json_span span = bt_json_span(document, number);
        *out = find_stable_count(text.len - (span.end - span.begin));
    }
    bt_buf_free(&text);
    return status;
}

static enum bt_status write_count(struct bt_universal_revision *revision)
{
    const bt_json_value *meta = find_value(revision, BT_STR("/handoff/meta"));
    if (!meta || bt_json_type(meta) != BT_JSON_OBJECT) {
        return BT_OK;
    }
    size_t bytes = 0;
    BT_TRY(bytes_without_count(revision, &bytes));
    char text[24];
    const uint64_t count = find_stable_count(bytes);
    const int length = snprintf(text, sizeof(text), "%" PRIu64, count);
    if (has_number(revision, BT_STR(COUNT), count)) {
        return BT_OK;
    }
    const bool there = find_value(revision, BT_STR(COUNT)) != NULL;
    BT_TRY(set_value(revision, BT_STR(COUNT), (bt_str){text, (size_t)length},
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
    return write_count(revision);
}

void bt_universal_revision_put_changes(const struct bt_universal_revision *revision,
                                       struct bt_emit *emit)
{
    bt_emit_begin_array(emit);
    if (revision->count > 0) {
        bt_emit_raw(emit, bt_buf_str(&revision->changes));
    }
    bt_emit_end(emit);
}
