/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema_tools.c - payload schemas as documents: load, strip, lint.
 */
#include <assert.h>

#include "base/buf.h"
#include "dialect/plan/payload.h"
#include "json/edit.h"
#include "json/emit.h"
#include "json/get.h"
#include "json/value_pointer.h"
#include "report/rules.h"

enum { SHOWN_BYTES_MAX = 1 << 30 };

enum bt_status bt_payload_facts(const struct bt_payload *payload, bool with_removable, bt_str *out)
{
    char digest[BT_SHA256_HEX_BYTES];
    struct bt_object_text text;
    *out = BT_STR("");
    if (payload->step != BT_PAYLOAD_PASSED) {
        return BT_OK;
    }
    BT_TRY(bt_sha256_hex(payload->bytes, digest));
    const bt_json_value *id =
        bt_json_get(payload->document, bt_json_root(payload->document), BT_STR("$id"));
    struct bt_emit *emit = bt_object_text_begin(&text, SHOWN_BYTES_MAX, NULL);
    bt_emit_member_string(emit, "id", bt_json_text(id));
    if (payload->file.len > 0) {
        bt_emit_member_string(emit, "file", payload->file);
    }
    bt_emit_member_string(emit, "draft",
                          payload->draft == BT_SCHEMA_DRAFT_7 ? BT_STR("draft-07")
                                                              : BT_STR("2020-12"));
    bt_emit_member_u64(emit, "depth", payload->depth);
    bt_emit_member_u64(emit, "bytes", payload->bytes.len);
    bt_emit_member_string(emit, "sha256", bt_str_of(digest));
    bt_emit_member_u64(emit, "refs", payload->refs);
    if (with_removable) {
        bt_emit_member_u64(emit, "removable", bt_payload_removable(payload));
    }
    return bt_object_text_finish(&text, BT_OK, payload->arena, out);
}

enum bt_status bt_payload_get(struct bt_payload *payload,
                              const struct bt_payload_schema_input *input)
{
    return input->root ? bt_payload_fetch(payload, input->root, input->reference)
                       : bt_payload_read(payload, input->text, input->name);
}

static enum bt_status finish_schema_result(const struct bt_payload *payload,
                                           const struct bt_payload_schema_input *input,
                                           bt_str facts, struct bt_plan_result *out)
{
    struct bt_plan_result result = *out;
    BT_TRY(bt_plan_finish(payload->findings, input->path, payload->bytes, &result.judged));
    result.judged.facts = facts;
    *out = result;
    return BT_OK;
}

static enum bt_status put_edited(const struct bt_json_edit *edit, enum bt_json_form form,
                                 struct bt_buf *buf)
{
    struct bt_json_writer writer;
    const struct bt_arena_mark mark = bt_arena_mark(edit->arena);
    bt_json_writer_init(&writer, buf, form, NULL, edit->arena);
    const enum bt_status status = bt_json_edit_write(edit, &writer, NULL);
    bt_arena_rewind(edit->arena, mark);
    return status;
}

/* Write the schema twice: laid out for reading, and compact as the member `schema`. */
static enum bt_status write_schema(const struct bt_json_edit *edit, uint64_t removed,
                                   struct bt_plan_result *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, SHOWN_BYTES_MAX);
    enum bt_status status = put_edited(edit, BT_JSON_FORM_PRETTY, &buf);
    bt_buf_put_char(&buf, '\n');
    status = status == BT_OK ? bt_buf_copy(&buf, edit->arena, &out->text) : status;
    bt_buf_clear(&buf);
    bt_buf_put_text(&buf, "\"schema\":");
    status = status == BT_OK ? put_edited(edit, BT_JSON_FORM_COMPACT, &buf) : status;
    if (removed != UINT64_MAX) {
        bt_buf_put_text(&buf, ",\"removed\":");
        bt_buf_put_u64(&buf, removed);
    }
    status = status == BT_OK ? bt_buf_copy(&buf, edit->arena, &out->members) : status;
    bt_buf_free(&buf);
    return status;
}

static enum bt_status load_schema(struct bt_payload *payload,
                                  const struct bt_payload_schema_input *input,
                                  struct bt_plan_result *out)
{
    struct bt_plan_result result = {.members = BT_STR("\"schema\":null")};
    bt_str facts;
    BT_TRY(bt_payload_get(payload, input));
    BT_TRY(bt_payload_judge(payload));
    BT_TRY(bt_payload_facts(payload, false, &facts));
    if (payload->step == BT_PAYLOAD_PASSED) {
        struct bt_json_edit edit;
        bt_json_edit_init(&edit, payload->document, UINT64_MAX, payload->arena);
        BT_TRY(write_schema(&edit, UINT64_MAX, &result));
    }
    BT_TRY(finish_schema_result(payload, input, facts, &result));
    *out = result;
    return BT_OK;
}

/* Remove the members that strip removes. They stand in objects, so none moves another. */
static enum bt_status remove_prose(const struct bt_payload *payload, struct bt_json_edit *edit)
{
    struct bt_buf pointer;
    enum bt_status status = BT_OK;
    bt_buf_init(&pointer, SHOWN_BYTES_MAX);
    for (size_t i = 0; status == BT_OK && i < payload->positions.count; i++) {
        const bt_json_value *schema = payload->positions.items[i].schema;
        const struct bt_json_member *members = bt_json_members(schema);
        for (size_t j = 0; status == BT_OK && members && j < bt_json_count(schema); j++) {
            if (bt_payload_keyword_is_prose(bt_json_name(&members[j]))) {
                bt_json_edit_slot removed;
                bt_buf_clear(&pointer);
                bt_json_put_value_pointer(&pointer, payload->document, &members[j].value);
                status = pointer.status == BT_OK
                             ? bt_json_edit_remove(edit, bt_buf_str(&pointer), &removed)
                             : pointer.status;
            }
        }
    }
    bt_buf_free(&pointer);
    return status;
}

static enum bt_status strip_schema(struct bt_payload *payload,
                                   const struct bt_payload_schema_input *input,
                                   struct bt_plan_result *out)
{
    struct bt_plan_result result = {.members = BT_STR("\"schema\":null,\"removed\":0")};
    BT_TRY(bt_payload_get(payload, input));
    if (payload->document) {
        struct bt_json_edit edit;
        bt_json_edit_init(&edit, payload->document, UINT64_MAX, payload->arena);
        BT_TRY(remove_prose(payload, &edit));
        BT_TRY(bt_payload_find_text(payload, payload->findings));
        BT_TRY(write_schema(&edit, bt_payload_removable(payload), &result));
    }
    BT_TRY(finish_schema_result(payload, input, BT_STR(""), &result));
    *out = result;
    return BT_OK;
}

static bool is_unrestricted(const struct bt_payload *payload, const bt_json_value *schema,
                            const char *keyword)
{
    const bt_json_value *value = bt_json_get(payload->document, schema, bt_str_of(keyword));
    return !value || bt_json_type(value) == BT_JSON_TRUE ||
           (bt_json_type(value) == BT_JSON_OBJECT && bt_json_count(value) == 0);
}

static bool is_object_schema(const struct bt_payload *payload, const bt_json_value *schema)
{
    const bt_json_value *type = bt_json_get(payload->document, schema, BT_STR("type"));
    return (type && bt_str_eq(bt_json_text(type), BT_STR("object"))) ||
           bt_json_lists_text(type, BT_STR("object")) ||
           bt_json_get(payload->document, schema, BT_STR("properties"));
}

static enum bt_status lint_open(struct bt_payload *payload,
                                const struct bt_payload_schema_position *position)
{
    const bt_json_value *unevaluated =
        bt_json_get(payload->document, position->schema, BT_STR("unevaluatedProperties"));
    const bool is_closed = payload->draft != BT_SCHEMA_DRAFT_7 && unevaluated &&
                           bt_json_type(unevaluated) == BT_JSON_FALSE;
    if (position->is_root || !is_object_schema(payload, position->schema) || is_closed ||
        !is_unrestricted(payload, position->schema, "additionalProperties")) {
        return BT_OK;
    }
    return bt_add_payload_schema_open_nested(payload->findings,
                                             bt_payload_location(payload, position->schema));
}

/* Whether a member says nothing about what is allowed. */
static bool is_annotation(const struct bt_payload *payload, bt_str name)
{
    static const bt_str words[] = {BT_STR_INIT("default"), BT_STR_INIT("deprecated"),
                                   BT_STR_INIT("readOnly"), BT_STR_INIT("writeOnly"),
                                   BT_STR_INIT("")};
    return bt_payload_is_listed(name, words) || bt_payload_keyword_is_prose(name) ||
           !bt_payload_keyword_is_defined(name, payload->draft);
}

static enum bt_status lint_untyped(struct bt_payload *payload,
                                   const struct bt_payload_schema_position *position)
{
    const bt_json_value *schema = position->schema;
    const struct bt_json_member *members = bt_json_members(schema);
    bool is_empty = position->is_property && bt_json_type(schema) != BT_JSON_FALSE;
    for (size_t i = 0; members && i < bt_json_count(schema); i++) {
        is_empty = is_empty && is_annotation(payload, bt_json_name(&members[i]));
    }
    return is_empty ? bt_add_payload_schema_untyped_property(payload->findings,
                                                             bt_payload_location(payload, schema))
                    : BT_OK;
}

static enum bt_status lint_unknown(struct bt_payload *payload,
                                   const struct bt_payload_schema_position *position)
{
    const struct bt_json_member *members = bt_json_members(position->schema);
    for (size_t i = 0; members && i < bt_json_count(position->schema); i++) {
        const bt_str name = bt_json_name(&members[i]);
        if (!bt_payload_keyword_is_defined(name, payload->draft) &&
            !bt_str_starts_with(name, BT_STR("x-"))) {
            BT_TRY(bt_add_payload_schema_unknown_keyword(
                payload->findings, bt_payload_location(payload, &members[i].value), name));
        }
    }
    return BT_OK;
}

static enum bt_status lint_schema(struct bt_payload *payload,
                                  const struct bt_payload_schema_input *input,
                                  struct bt_plan_result *out)
{
    struct bt_plan_result result = {0};
    bt_str facts;
    BT_TRY(bt_payload_get(payload, input));
    BT_TRY(bt_payload_judge(payload));
    for (size_t i = 0; payload->step == BT_PAYLOAD_PASSED && i < payload->positions.count; i++) {
        BT_TRY(lint_open(payload, &payload->positions.items[i]));
        BT_TRY(lint_untyped(payload, &payload->positions.items[i]));
        BT_TRY(lint_unknown(payload, &payload->positions.items[i]));
    }
    if (payload->step == BT_PAYLOAD_PASSED) {
        BT_TRY(bt_payload_find_text(payload, payload->findings));
    }
    BT_TRY(bt_payload_facts(payload, true, &facts));
    BT_TRY(finish_schema_result(payload, input, facts, &result));
    *out = result;
    return BT_OK;
}

typedef enum bt_status tool_fn(struct bt_payload *payload,
                               const struct bt_payload_schema_input *input,
                               struct bt_plan_result *out);

static enum bt_status run_tool(tool_fn *tool, struct bt_plan_checker *plans, struct bt_arena *arena,
                               const struct bt_payload_schema_input *input,
                               struct bt_plan_result *out)
{
    assert(plans);
    assert(input);
    struct bt_findings *findings = bt_findings_new(arena);
    BT_TRY(findings ? BT_OK : BT_ENOMEM);
    struct bt_payload payload;
    bt_payload_begin(&payload, plans, findings);
    const enum bt_status status = tool(&payload, input, out);
    bt_payload_end(&payload);
    return status;
}

enum bt_status bt_payload_schema_load(struct bt_plan_checker *plans, struct bt_arena *arena,
                                      const struct bt_payload_schema_input *input,
                                      struct bt_plan_result *out)
{
    return run_tool(load_schema, plans, arena, input, out);
}

enum bt_status bt_payload_schema_strip(struct bt_plan_checker *plans, struct bt_arena *arena,
                                       const struct bt_payload_schema_input *input,
                                       struct bt_plan_result *out)
{
    return run_tool(strip_schema, plans, arena, input, out);
}

enum bt_status bt_payload_schema_lint(struct bt_plan_checker *plans, struct bt_arena *arena,
                                      const struct bt_payload_schema_input *input,
                                      struct bt_plan_result *out)
{
    return run_tool(lint_schema, plans, arena, input, out);
}
