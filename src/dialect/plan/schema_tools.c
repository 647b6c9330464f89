/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema_tools.c - payload schemas as documents: load, strip, lint.
 */
#include <assert.h>

#include "base/buf.h"
#include "dialect/plan/payload.h"
#include "json/value_pointer.h"
#include "report/rules.h"

enum { SHOWN_BYTES_MAX = 1 << 30 };

enum bt_status bt_payload_facts(const struct bt_payload *payload, bool with_removable, bt_str *out)
{
    char digest[BT_SHA256_HEX_BYTES];
    struct bt_buf buf;
    struct bt_emit emit;
    *out = BT_STR("");
    if (payload->step != BT_PAYLOAD_PASSED) {
        return BT_OK;
    }
    BT_TRY(bt_sha256_hex(payload->bytes, digest));
    const bt_json_value *id =
        bt_json_get(payload->document, bt_json_root(payload->document), BT_STR("$id"));
    bt_buf_init(&buf, SHOWN_BYTES_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "id", bt_json_text(id));
    if (payload->file.len > 0) {
        bt_emit_member_string(&emit, "file", payload->file);
    }
    bt_emit_member_string(&emit, "draft",
                          payload->draft == BT_SCHEMA_DRAFT_7 ? BT_STR("draft-07")
                                                              : BT_STR("2020-12"));
    bt_emit_member_u64(&emit, "depth", payload->depth);
    bt_emit_member_u64(&emit, "bytes", payload->bytes.len);
    bt_emit_member_string(&emit, "sha256", bt_str_of(digest));
    bt_emit_member_u64(&emit, "refs", payload->refs);
    if (with_removable) {
        bt_emit_member_u64(&emit, "removable", bt_payload_removable(payload));
    }
    bt_emit_end(&emit);
    return bt_buf_finish(&buf, payload->arena, out);
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

/* Write the schema twice: laid out for reading, and compact as the member `schema`. */
static enum bt_status write_schema(const struct bt_payload *payload, bt_str patch_text,
                                   uint64_t removed, struct bt_plan_result *out)
{
    struct bt_json_options reading = bt_json_options_default();
    reading.document_bytes_max = SHOWN_BYTES_MAX;
    reading.string_bytes_max = SHOWN_BYTES_MAX;
    reading.nodes_max = UINT32_MAX - 1;
    reading.depth_max = 1000;
    struct bt_json_patch_options options = {.form = BT_JSON_FORM_PRETTY, .result = reading};
    struct bt_json_read_result patch;
    struct bt_json_patch_result applied = {0};
    struct bt_buf buf;
    BT_TRY(bt_json_read(payload->arena, patch_text, &reading, &patch));
    assert(patch.document);
    bt_buf_init(&buf, SHOWN_BYTES_MAX);
    enum bt_status status =
        bt_json_patch(&buf, payload->document, patch.document, &options, payload->arena, &applied);
    assert(status != BT_OK || applied.code == BT_JSON_PATCH_OK);
    status = status == BT_OK ? bt_buf_copy(&buf, payload->arena, &out->text) : status;
    bt_buf_clear(&buf);
    bt_buf_put_text(&buf, "\"schema\":");
    options.form = BT_JSON_FORM_COMPACT;
    if (status == BT_OK) {
        status = bt_json_patch(&buf, payload->document, patch.document, &options, payload->arena,
                               &applied);
    }
    if (removed != UINT64_MAX) {
        bt_buf_put_text(&buf, ",\"removed\":");
        bt_buf_put_u64(&buf, removed);
    }
    status = status == BT_OK ? bt_buf_copy(&buf, payload->arena, &out->members) : status;
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
        BT_TRY(write_schema(payload, BT_STR("[]"), UINT64_MAX, &result));
    }
    BT_TRY(finish_schema_result(payload, input, facts, &result));
    *out = result;
    return BT_OK;
}

/* One operation for each member that is removed. They stand in objects, so none moves another. */
static enum bt_status put_removals(const struct bt_payload *payload, struct bt_buf *patch)
{
    struct bt_buf pointer;
    bt_buf_init(&pointer, SHOWN_BYTES_MAX);
    bool is_first = true;
    bt_buf_put_char(patch, '[');
    for (size_t i = 0; i < payload->positions.count; i++) {
        const bt_json_value *schema = payload->positions.items[i].schema;
        const struct bt_json_member *members = bt_json_members(schema);
        for (size_t j = 0; members && j < bt_json_count(schema); j++) {
            if (!bt_payload_keyword_is_prose(bt_json_name(&members[j]))) {
                continue;
            }
            bt_buf_clear(&pointer);
            bt_json_put_value_pointer(&pointer, payload->document, &members[j].value);
            bt_buf_put_text(patch, is_first ? "" : ",");
            bt_buf_put_text(patch, "{\"op\":\"remove\",\"path\":");
            bt_json_put_string(patch, bt_buf_str(&pointer));
            bt_buf_put_char(patch, '}');
            is_first = false;
        }
    }
    bt_buf_put_char(patch, ']');
    const enum bt_status status = pointer.status == BT_OK ? patch->status : pointer.status;
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
        struct bt_buf patch;
        bt_str kept = BT_STR("");
        bt_buf_init(&patch, SHOWN_BYTES_MAX);
        enum bt_status status = put_removals(payload, &patch);
        status = status == BT_OK ? bt_buf_copy(&patch, payload->arena, &kept) : status;
        bt_buf_free(&patch);
        BT_TRY(status);
        BT_TRY(bt_payload_find_text(payload, payload->findings));
        BT_TRY(write_schema(payload, kept, bt_payload_removable(payload), &result));
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
    const bt_json_value *items = type ? bt_json_items(type) : NULL;
    bool found = type && bt_str_eq(bt_json_text(type), BT_STR("object"));
    for (size_t i = 0; items && i < bt_json_count(type); i++) {
        found = found || bt_str_eq(bt_json_text(&items[i]), BT_STR("object"));
    }
    return found || bt_json_get(payload->document, schema, BT_STR("properties"));
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
    if (!findings) {
        return BT_ENOMEM;
    }
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
