/* SPDX-License-Identifier: Apache-2.0 */
/*
 * new_plan.c - a typed plan made from its steps, and the payload schema that all of them hand over.
 */
#include <assert.h>

#include "base/buf.h"
#include "dialect/plan/plan_check.h"
#include "dialect/plan/schema_draft.h"
#include "json/emit.h"

enum { PLAN_BYTES_MAX = 1 << 28 };

/* Columns of a runtime plan, then the payload columns. */
static void put_header(struct bt_buf *buf)
{
    static const enum bt_plan_column columns[] = {
        BT_PLAN_COLUMN_STEP,   BT_PLAN_COLUMN_AGENT,      BT_PLAN_COLUMN_ACTION,
        BT_PLAN_COLUMN_INPUTS, BT_PLAN_COLUMN_OUTPUTS,    BT_PLAN_COLUMN_STATUS,
        BT_PLAN_COLUMN_NOTES,  BT_PLAN_COLUMN_PAYLOAD_IN, BT_PLAN_COLUMN_PAYLOAD_OUT,
    };
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
        bt_buf_put_text(buf, i == 0 ? "" : ",");
        bt_buf_put(buf, bt_plan_column_name(columns[i]));
    }
    bt_buf_put_char(buf, '\n');
}

static enum bt_status write_plan(struct bt_arena *arena, const struct bt_plan_draft *draft,
                                 bt_str id, bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, PLAN_BYTES_MAX);
    put_header(&buf);
    for (size_t i = 0; i < draft->count; i++) {
        bt_buf_printf(&buf, "%zu,", i + 1);
        bt_csv_put_cell(&buf, draft->steps[i].agent, false);
        bt_buf_put_char(&buf, ',');
        bt_csv_put_cell(&buf, draft->steps[i].action, false);
        bt_buf_put_text(&buf, ",,,pending,,");
        bt_csv_put_cell(&buf, i > 0 ? id : BT_STR(""), false);
        bt_buf_put_char(&buf, ',');
        bt_csv_put_cell(&buf, i + 1 < draft->count ? id : BT_STR(""), false);
        bt_buf_put_char(&buf, '\n');
    }
    return bt_buf_finish(&buf, arena, out);
}

/* The schema says what this sample says: an object with one text, `summary`. */
static enum bt_status write_schema(struct bt_plan_checker *plans, struct bt_arena *arena,
                                   struct bt_plan_typed_schema *schema)
{
    static const bt_str sample = BT_STR_INIT("{\"summary\":\"\"}");
    const struct bt_payload_draft_input input = {
        .env = plans->env, .samples = &sample, .count = 1, .id = schema->id};
    struct bt_payload_draft draft;
    BT_TRY(bt_payload_draft_write(arena, &input, &draft));
    assert(draft.error == BT_PAYLOAD_DRAFT_OK);
    schema->text = draft.text;
    return BT_OK;
}

/* Judge the plan as `check` does, with the schema as if it were written. */
static enum bt_status judge_plan(struct bt_plan_checker *plans, struct bt_arena *arena,
                                 const struct bt_plan_options *options,
                                 struct bt_plan_new_result *result)
{
    struct bt_findings *findings = bt_findings_new(arena);
    struct bt_plan_check plan;
    BT_TRY(findings ? BT_OK : BT_ENOMEM);
    bt_plan_begin(&plan, plans, options, findings);
    plans->made_schemas = &result->schema;
    plans->made_count = result->schema.text.len > 0 && !result->schema.is_present ? 1 : 0;
    const enum bt_status status = bt_plan_judge(&plan, result->text);
    plans->made_schemas = NULL;
    plans->made_count = 0;
    BT_TRY(status);
    BT_TRY(bt_plan_finish(findings, BT_STR("<new>"), result->text, &result->judged));
    return bt_plan_facts(&plan, NULL, 0, &result->judged.facts);
}

enum bt_status bt_plan_new(struct bt_plan_checker *plans, struct bt_arena *arena,
                           const struct bt_plan_options *options, const struct bt_plan_draft *draft,
                           struct bt_plan_new_result *out)
{
    assert(plans);
    assert(draft);
    assert(out);
    const struct bt_payload_reference reference = {.slug = draft->payload, .version = BT_STR("1")};
    struct bt_plan_new_result result = {.schema = {.text = BT_STR(""), .id = BT_STR("")}};
    if (draft->payload.len > 0) {
        BT_TRY(bt_payload_reference_id(&reference, arena, &result.schema.id));
        BT_TRY(bt_payload_reference_file(&reference, arena, &result.schema.file));
    }
    BT_TRY(write_plan(arena, draft, result.schema.id, &result.text));
    if (draft->wants_schema && result.schema.id.len > 0) {
        BT_TRY(write_schema(plans, arena, &result.schema));
        result.schema.is_present =
            options->dir && bt_dir_file_kind_of(options->dir, result.schema.file) != BT_FILE_NONE;
    }
    BT_TRY(judge_plan(plans, arena, options, &result));
    struct bt_object_text text;
    struct bt_emit *emit = bt_object_text_begin(&text, PLAN_BYTES_MAX, NULL);
    bt_emit_member_string(emit, "document", result.text);
    bt_str object;
    BT_TRY(bt_object_text_finish(&text, BT_OK, arena, &object));
    result.judged.extra_members = bt_str_slice(object, 1, object.len - 1);
    *out = result;
    return BT_OK;
}
