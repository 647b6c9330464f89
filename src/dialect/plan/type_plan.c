/* SPDX-License-Identifier: Apache-2.0 */
/*
 * type_plan.c - what would make the handoffs of a plan typed: columns, cells and schemas.
 *
 * The plan is paired as the audit pairs it. A pair with one filled cell gets the same id on its
 * other side; one with two blank cells gets a schema that was drafted from samples of the producing
 * step, or one that exists below the root. The result is audited as if it had been written.
 */
#include <assert.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/str.h"
#include "base/vec.h"
#include "dialect/plan/footprint.h"
#include "dialect/plan/plan_check.h"
#include "dialect/plan/schema_draft.h"
#include "json/emit.h"
#include "report/rules.h"

enum { TEXT_BYTES_MAX = 1 << 30, SLUG_BYTES_MAX = 200, TEXT_SHOWN = 80 };

/* A payload cell of a step: what it names, and whether that is new. */
struct plan_type_cell {
    bt_str value; /* trimmed; "": blank */
    bool is_new;
};

struct plan_type_state {
    struct bt_plan_check plan;
    const struct bt_plan_type_input *input;
    struct bt_arena *arena;
    struct bt_findings *findings; /* that end the work */
    struct plan_type_cell *cells; /* by step: what it takes, what it gives */
    size_t *artifacts;            /* by artifact of the input: its step */
    size_t *slugs;                /* by slug of the input: its step */
    BT_VEC(struct bt_plan_typed_schema) schemas;
    struct bt_map taken; /* slug -> 1 + the step whose schema has it */
};

static struct plan_type_cell *input_cell(const struct plan_type_state *state, size_t step)
{
    return &state->cells[2 * step];
}

static struct plan_type_cell *output_cell(const struct plan_type_state *state, size_t step)
{
    return &state->cells[2 * step + 1];
}

/* ---- Slugs ----------------------------------------------------------------------------------- */

/* In lower case, each run of other characters than a-z and 0-9 as one dash, none at the ends. */
static enum bt_status fold_slug(struct bt_arena *arena, bt_str text, bt_str *out)
{
    struct bt_buf buf;
    bool needs_dash = false;
    bt_buf_init(&buf, TEXT_BYTES_MAX);
    for (size_t i = 0; i < text.len && buf.len < SLUG_BYTES_MAX; i++) {
        const char byte = bt_ascii_lower(text.ptr[i]);
        if (!bt_ascii_is_lower(byte) && !bt_ascii_is_digit(byte)) {
            needs_dash = buf.len > 0;
            continue;
        }
        bt_buf_put_text(&buf, needs_dash ? "-" : "");
        bt_buf_put_char(&buf, byte);
        needs_dash = false;
    }
    return bt_buf_finish(&buf, arena, out);
}

/* The slug that was given for a step; "" when none was. */
static bt_str given_slug(const struct plan_type_state *state, size_t step)
{
    for (size_t i = state->input->slug_count; i > 0; i--) {
        if (state->slugs[i - 1] == step) {
            return state->input->slugs[i - 1].value;
        }
    }
    return BT_STR("");
}

/* The base name, up to its first dot, of the first path that the step writes; "" when it has none.
 */
static enum bt_status find_written_name(const struct plan_type_state *state, size_t step,
                                        bt_str *out)
{
    struct bt_plan_footprint footprint;
    *out = BT_STR("");
    BT_TRY(bt_plan_footprint_of(&state->plan, step, &footprint));
    for (size_t i = 0; i < footprint.count; i++) {
        if (footprint.paths[i].is_write) {
            const bt_str name = bt_str_after_last(footprint.paths[i].text, '/');
            *out = bt_str_slice(name, 0, bt_str_find_byte(name, '.', 0));
            return BT_OK;
        }
    }
    return BT_OK;
}

/* The slug of a step, before it is compared with those of other steps. */
static enum bt_status find_slug(const struct plan_type_state *state, size_t step, bt_str *out)
{
    bt_str name = BT_STR("");
    BT_TRY(fold_slug(state->arena, given_slug(state, step), out));
    if (out->len == 0) {
        BT_TRY(find_written_name(state, step, &name));
        BT_TRY(fold_slug(state->arena, name, out));
    }
    if (out->len == 0) {
        BT_TRY(bt_arena_printf(state->arena, &name, "step-%.*s",
                               BT_STR_ARG(state->plan.steps[step].id)));
        BT_TRY(fold_slug(state->arena, name, out));
    }
    return BT_OK;
}

/* Take the slug for the step, with -2 and so on when another step has it. */
static enum bt_status take_slug(struct plan_type_state *state, size_t step, bt_str slug,
                                bt_str *out)
{
    struct bt_map_entry *entry = NULL;
    *out = slug;
    for (size_t number = 2;; number++) { /* ends, because only so many slugs are taken */
        BT_TRY(bt_map_add(&state->taken, bt_map_text(*out), &entry));
        if (entry->value.number == 0 || entry->value.number == step + 1) {
            entry->value.number = step + 1;
            return BT_OK;
        }
        BT_TRY(bt_arena_printf(state->arena, out, "%.*s-%zu", BT_STR_ARG(slug), number));
    }
}

/* ---- Schemas --------------------------------------------------------------------------------- */

static enum bt_status find_reference(struct plan_type_state *state, bt_str slug,
                                     struct bt_plan_typed_schema *out)
{
    const struct bt_payload_reference reference = {.slug = slug, .version = BT_STR("1")};
    BT_TRY(bt_payload_reference_id(&reference, state->arena, &out->id));
    return bt_payload_reference_file(&reference, state->arena, &out->file);
}

static enum bt_status add_sample_finding(struct plan_type_state *state, size_t step,
                                         const struct bt_payload_draft *draft, bt_str path)
{
    static const enum bt_plan_sample_unusable_reason reasons[] = {
        [BT_PAYLOAD_DRAFT_NOT_JSON] = BT_PLAN_SAMPLE_UNUSABLE_REASON_NOT_JSON,
        [BT_PAYLOAD_DRAFT_NOT_OBJECT] = BT_PLAN_SAMPLE_UNUSABLE_REASON_NOT_OBJECT,
        [BT_PAYLOAD_DRAFT_NO_COMMON_MEMBER] = BT_PLAN_SAMPLE_UNUSABLE_REASON_NO_COMMON_MEMBER,
        [BT_PAYLOAD_DRAFT_TOO_DEEP] = BT_PLAN_SAMPLE_UNUSABLE_REASON_TOO_DEEP,
    };
    return bt_add_plan_sample_unusable(state->findings, bt_location_whole(),
                                       state->plan.steps[step].id, path, reasons[draft->error]);
}

/* Compare a drafted schema with the file of its name, if there is one. */
static enum bt_status compare_file(struct plan_type_state *state,
                                   struct bt_plan_typed_schema *schema)
{
    const struct bt_plan_options *options = &state->plan.options;
    struct bt_dir_file file;
    BT_TRY(bt_dir_read_linked(options->dir, state->arena, schema->file,
                              state->plan.plans->env->limits.document_bytes, &file, NULL));
    if (file.error == BT_PATH_NOT_FOUND) {
        return BT_OK;
    }
    schema->is_present = file.error == BT_PATH_OK && bt_str_eq(file.content, schema->text);
    return schema->is_present
               ? BT_OK
               : bt_add_plan_type_conflict(state->findings, bt_location_whole(), schema->file);
}

/* Draft the schema of a step from its samples, once; *out stays "" when it has none. */
static enum bt_status draft_schema(struct plan_type_state *state, size_t step, bt_str *out)
{
    const struct bt_plan_type_input *input = state->input;
    struct bt_plan_typed_schema schema = {.text = BT_STR("")};
    struct bt_payload_draft draft;
    bt_str slug;
    bt_str *texts = BT_NEW_ARRAY(state->arena, bt_str, input->artifact_count + 1);
    bt_str *paths = BT_NEW_ARRAY(state->arena, bt_str, input->artifact_count + 1);
    BT_TRY(texts && paths ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < input->artifact_count; i++) {
        if (state->artifacts[i] == step) {
            texts[schema.samples.count] = input->artifacts[i].text;
            paths[schema.samples.count++] = input->artifacts[i].path;
        }
    }
    if (schema.samples.count == 0) {
        return BT_OK;
    }
    schema.samples.items = paths;
    BT_TRY(find_slug(state, step, &slug));
    BT_TRY(take_slug(state, step, slug, &slug));
    BT_TRY(find_reference(state, slug, &schema));
    const struct bt_payload_draft_input drafting = {.env = state->plan.plans->env,
                                                    .samples = texts,
                                                    .count = schema.samples.count,
                                                    .id = schema.id};
    BT_TRY(bt_payload_draft_write(state->arena, &drafting, &draft));
    if (draft.error != BT_PAYLOAD_DRAFT_OK) {
        return add_sample_finding(state, step, &draft, paths[draft.sample]);
    }
    schema.text = draft.text;
    BT_TRY(compare_file(state, &schema));
    *out = schema.id;
    return bt_vec_push(state->arena, &state->schemas, schema);
}

/* Use the schema that the slug of a step names, if it exists; *out stays "" when it does not. */
static enum bt_status use_schema(struct plan_type_state *state, size_t step, bt_str *out)
{
    struct bt_plan_typed_schema schema = {.text = BT_STR(""), .is_present = true};
    bt_str slug;
    BT_TRY(fold_slug(state->arena, given_slug(state, step), &slug));
    if (slug.len == 0) {
        return BT_OK;
    }
    BT_TRY(find_reference(state, slug, &schema));
    if (bt_dir_file_kind_of(state->plan.options.dir, schema.file) != BT_FILE_REGULAR) {
        return BT_OK;
    }
    *out = schema.id;
    for (size_t i = 0; i < state->schemas.count; i++) {
        if (bt_str_eq(state->schemas.items[i].id, schema.id)) {
            return BT_OK;
        }
    }
    return bt_vec_push(state->arena, &state->schemas, schema);
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

/* The id that a cell names; "" when it is not a reference. */
static enum bt_status find_cell_id(const struct plan_type_state *state,
                                   const struct plan_type_cell *cell, bt_str *out)
{
    const struct bt_payload_reference reference = bt_plan_reference_read(cell->value);
    *out = BT_STR("");
    return reference.refuse ? BT_OK : bt_payload_reference_id(&reference, state->arena, out);
}

static enum bt_status type_pair(struct plan_type_state *state, const struct bt_plan_pair *pair)
{
    struct plan_type_cell *out = output_cell(state, pair->from);
    struct plan_type_cell *in = input_cell(state, pair->to);
    bt_str id = BT_STR("");
    if (out->value.len > 0 && in->value.len > 0) {
        return BT_OK;
    }
    if (out->value.len > 0 || in->value.len > 0) {
        BT_TRY(find_cell_id(state, out->value.len > 0 ? out : in, &id));
    } else {
        BT_TRY(draft_schema(state, pair->from, &id));
        if (id.len == 0 && bt_findings_count(state->findings) == 0) {
            BT_TRY(use_schema(state, pair->from, &id));
        }
    }
    struct plan_type_cell *const sides[2] = {out, in};
    for (size_t i = 0; i < 2; i++) {
        if (sides[i]->value.len == 0 && id.len > 0) {
            *sides[i] = (struct plan_type_cell){id, true};
        }
    }
    return BT_OK;
}

static bool is_open(const struct plan_type_state *state, const struct bt_plan_pair *pair)
{
    return output_cell(state, pair->from)->value.len == 0 ||
           input_cell(state, pair->to)->value.len == 0;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* The step of each flag; an id that is not one, or is used twice, is a finding. */
static enum bt_status find_steps(struct plan_type_state *state,
                                 const struct bt_plan_step_value *values, size_t count,
                                 size_t **out)
{
    *out = BT_NEW_ARRAY(state->arena, size_t, count + 1);
    BT_TRY(*out ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        BT_TRY(bt_plan_find_step(&state->plan, values[i].step, state->findings, &(*out)[i]));
    }
    return BT_OK;
}

/* Read the payload cells, and the slugs that other steps' schemas have. */
static enum bt_status read_cells(struct plan_type_state *state)
{
    static const enum bt_plan_column columns[2] = {BT_PLAN_COLUMN_PAYLOAD_IN,
                                                   BT_PLAN_COLUMN_PAYLOAD_OUT};
    const struct bt_plan_check *plan = &state->plan;
    state->cells = BT_NEW_ARRAY(state->arena, struct plan_type_cell, 2 * plan->steps_count + 1);
    BT_TRY(state->cells ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < 2 * plan->steps_count; i++) {
        const bt_str text = bt_plan_text(plan, plan->steps[i / 2].row, columns[i % 2]);
        struct bt_map_entry *entry = NULL;
        state->cells[i].value = bt_plan_is_blank(text) ? BT_STR("") : bt_plan_trim(text);
        const struct bt_payload_reference reference = bt_plan_reference_read(state->cells[i].value);
        if (!reference.refuse) {
            BT_TRY(bt_map_add(&state->taken, bt_map_text(reference.slug), &entry));
            entry->value.number = entry->value.number > 0 ? entry->value.number : i / 2 + 1;
        }
    }
    return BT_OK;
}

/* Read the plan and pair it; what is found is told only when it ends the work. */
static enum bt_status read_plan(struct plan_type_state *state, struct bt_plan_checker *plans)
{
    static bt_plan_stage_fn *const by_rows[] = {bt_plan_references, bt_plan_chain};
    static bt_plan_stage_fn *const by_edges[] = {bt_plan_references, bt_plan_find_edges,
                                                 bt_plan_chain};
    const struct bt_plan_input *input = &state->input->plan;
    bt_plan_begin(&state->plan, plans, input->options, state->findings);
    BT_TRY(bt_plan_read(&state->plan, input->text));
    if (!state->plan.is_readable) {
        return BT_OK;
    }
    struct bt_findings *ignored = bt_findings_new(state->arena);
    state->findings = bt_findings_new(state->arena);
    BT_TRY(ignored && state->findings ? BT_OK : BT_ENOMEM);
    bt_plan_begin(&state->plan, plans, input->options, ignored);
    return input->options->by_dependencies ? bt_plan_run(&state->plan, input->text, by_edges, 3)
                                           : bt_plan_run(&state->plan, input->text, by_rows, 2);
}

/* ---- The new plan ---------------------------------------------------------------------------- */

/* Put the new cells at the end of a row, for columns that the header lacks; NULL: the header. */
static enum bt_status put_new_columns(const struct plan_type_state *state,
                                      const struct plan_type_cell *const cells[2], bt_str *out)
{
    static const enum bt_plan_column columns[2] = {BT_PLAN_COLUMN_PAYLOAD_IN,
                                                   BT_PLAN_COLUMN_PAYLOAD_OUT};
    struct bt_buf buf;
    bt_buf_init(&buf, TEXT_BYTES_MAX);
    for (size_t i = 0; i < 2; i++) {
        if (state->plan.at[columns[i]] == BT_ABSENT) {
            bt_buf_put_char(&buf, ',');
            bt_buf_put(&buf, cells ? cells[i] ? cells[i]->value : BT_STR("")
                                   : bt_plan_column_name(columns[i]));
        }
    }
    return bt_buf_finish(&buf, state->arena, out);
}

/* Add the edits of one row: cells of columns that are there, then new ones at its end. */
static enum bt_status edit_row(const struct plan_type_state *state, size_t row,
                               const struct plan_type_cell *const cells[2], struct bt_edit *edits,
                               size_t *count)
{
    const struct bt_plan_check *plan = &state->plan;
    const struct bt_csv_row *record = &plan->table->rows[row];
    const size_t at[2] = {plan->at[BT_PLAN_COLUMN_PAYLOAD_IN],
                          plan->at[BT_PLAN_COLUMN_PAYLOAD_OUT]};
    const size_t first = at[0] <= at[1] ? 0 : 1; /* edits rise */
    for (size_t i = 0; i < 2 && cells; i++) {
        const size_t side = i == 0 ? first : 1 - first;
        if (at[side] == BT_ABSENT || !cells[side] || !cells[side]->is_new) {
            continue;
        }
        const struct bt_csv_cell *cell = &record->cells[at[side]];
        struct bt_buf buf;
        bt_buf_init(&buf, TEXT_BYTES_MAX);
        bt_csv_put_cell(&buf, cells[side]->value, cell->is_quoted);
        edits[*count] = (struct bt_edit){.begin = cell->begin, .end = cell->end};
        BT_TRY(bt_buf_finish(&buf, state->arena, &edits[(*count)++].text));
    }
    if (at[0] == BT_ABSENT || at[1] == BT_ABSENT) {
        edits[*count] = (struct bt_edit){.begin = record->end, .end = record->end};
        BT_TRY(put_new_columns(state, row == 0 ? NULL : cells, &edits[(*count)++].text));
    }
    return BT_OK;
}

static enum bt_status write_plan(const struct plan_type_state *state, bt_str *out)
{
    static const struct plan_type_cell *const no_cells[2] = {NULL, NULL};
    const struct bt_plan_check *plan = &state->plan;
    struct bt_edit *edits = BT_NEW_ARRAY(state->arena, struct bt_edit, 3 * plan->table->count);
    size_t count = 0;
    size_t step = 0;
    BT_TRY(edits ? BT_OK : BT_ENOMEM);
    for (size_t row = 0; row < plan->table->count; row++) {
        const bool is_step = step < plan->steps_count && plan->steps[step].row == row;
        const struct plan_type_cell *const cells[2] = {is_step ? input_cell(state, step) : NULL,
                                                       is_step ? output_cell(state, step) : NULL};
        BT_TRY(edit_row(state, row, is_step ? cells : no_cells, edits, &count));
        step += is_step ? 1 : 0;
    }
    struct bt_buf buf;
    bt_buf_init(&buf, TEXT_BYTES_MAX);
    bt_edit_list_put(&(struct bt_edit_list){edits, count, count}, plan->text, &buf);
    return bt_buf_finish(&buf, state->arena, out);
}

/* ---- What is shown --------------------------------------------------------------------------- */

static void put_columns(const struct plan_type_state *state, struct bt_emit *emit)
{
    static const enum bt_plan_column columns[2] = {BT_PLAN_COLUMN_PAYLOAD_IN,
                                                   BT_PLAN_COLUMN_PAYLOAD_OUT};
    bt_emit_member_array(emit, "columns");
    for (size_t i = 0; i < 2; i++) {
        if (state->plan.at[columns[i]] == BT_ABSENT) {
            bt_emit_string(emit, bt_plan_column_name(columns[i]));
        }
    }
    bt_emit_end(emit);
}

static enum bt_status put_cells(const struct plan_type_state *state, struct bt_emit *emit)
{
    static const enum bt_plan_column columns[2] = {BT_PLAN_COLUMN_PAYLOAD_IN,
                                                   BT_PLAN_COLUMN_PAYLOAD_OUT};
    bt_emit_member_array(emit, "cells");
    for (size_t i = 0; i < 2 * state->plan.steps_count; i++) {
        if (!state->cells[i].is_new) {
            continue;
        }
        bt_str pointer;
        BT_TRY(bt_arena_printf(state->arena, &pointer, "/%zu/%.*s", state->plan.steps[i / 2].row,
                               BT_STR_ARG(bt_plan_column_name(columns[i % 2]))));
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "pointer", pointer);
        bt_emit_member_string(emit, "value", state->cells[i].value);
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
    return BT_OK;
}

static void put_schemas(const struct plan_type_state *state, struct bt_emit *emit)
{
    bt_emit_member_array(emit, "schemas");
    for (size_t i = 0; i < state->schemas.count; i++) {
        const struct bt_plan_typed_schema *schema = &state->schemas.items[i];
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "id", schema->id);
        bt_emit_member_string(emit, "file", schema->file);
        bt_emit_member_string(emit, "state",
                              schema->is_present ? BT_STR("present") : BT_STR("drafted"));
        bt_emit_member_array(emit, "samples");
        for (size_t k = 0; k < schema->samples.count; k++) {
            bt_emit_string(emit, schema->samples.items[k]);
        }
        bt_emit_end(emit);
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}

static void put_open(const struct plan_type_state *state, struct bt_emit *emit)
{
    const struct bt_plan_check *plan = &state->plan;
    bt_emit_member_array(emit, "open");
    for (size_t i = 0; i < plan->handoffs.count; i++) {
        const struct bt_plan_pair *pair = &plan->handoffs.pairs[i];
        if (is_open(state, pair)) {
            bt_emit_begin_object(emit);
            bt_emit_member_string(emit, "from_step", plan->steps[pair->from].id);
            bt_emit_member_string(emit, "to_step", plan->steps[pair->to].id);
            bt_emit_end(emit);
        }
    }
    bt_emit_end(emit);
}

/* Add `type` to the members of the audit. */
static enum bt_status write_members(const struct plan_type_state *state, bool is_written,
                                    bt_str audit, bt_str *out)
{
    struct bt_object_text text;
    bt_str member;
    struct bt_emit *emit = bt_object_text_begin(&text, TEXT_BYTES_MAX, "type");
    put_columns(state, emit);
    const enum bt_status status = put_cells(state, emit);
    put_schemas(state, emit);
    put_open(state, emit);
    bt_emit_member_bool(emit, "written", is_written);
    BT_TRY(bt_object_text_finish(&text, status, state->arena, &member));
    return bt_arena_printf(state->arena, out, "%.*s%s%.*s", BT_STR_ARG(audit),
                           audit.len > 0 ? "," : "", BT_STR_ARG(member));
}

/* What a person reads before the report. */
static enum bt_status write_summary(const struct plan_type_state *state, bool is_written,
                                    bool is_changed, bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, TEXT_BYTES_MAX);
    bt_buf_put(&buf, *out);
    for (size_t i = 0; i < state->schemas.count; i++) {
        const struct bt_plan_typed_schema *schema = &state->schemas.items[i];
        bt_buf_printf(&buf, "%s  %.*s\n", schema->is_present ? "present" : "drafted",
                      BT_STR_ARG(schema->file));
    }
    for (size_t i = 0; i < state->plan.handoffs.count; i++) {
        const struct bt_plan_pair *pair = &state->plan.handoffs.pairs[i];
        if (is_open(state, pair)) {
            bt_buf_put_text(&buf, "open     ");
            bt_buf_put_printable(&buf, state->plan.steps[pair->from].id, TEXT_SHOWN);
            bt_buf_put_text(&buf, " -> ");
            bt_buf_put_printable(&buf, state->plan.steps[pair->to].id, TEXT_SHOWN);
            bt_buf_put_text(&buf, ": give a sample of it with --artifact STEP=FILE\n");
        }
    }
    bt_buf_put_text(&buf, is_written   ? "written\n\n"
                          : is_changed ? "nothing was written; --write does it\n\n"
                                       : "nothing to write\n\n");
    return bt_buf_finish(&buf, state->arena, out);
}

/* ---- The whole ------------------------------------------------------------------------------- */

static enum bt_status finish_rejected(struct plan_type_state *state,
                                      struct bt_plan_type_result *out)
{
    const struct bt_plan_input *input = &state->input->plan;
    struct bt_plan_type_result result = {.is_refused = true};
    BT_TRY(bt_plan_finish(state->findings, input->path, input->text, &result.audit.judged));
    *out = result;
    return BT_OK;
}

/* Audit the new plan as if its schemas were there. */
static enum bt_status audit_result(struct plan_type_state *state, struct bt_plan_checker *plans,
                                   struct bt_plan_type_result *out)
{
    struct bt_plan_type_result result = {.schemas = state->schemas.items,
                                         .schema_count = state->schemas.count};
    struct bt_plan_input input = state->input->plan;
    BT_TRY(write_plan(state, &result.text));
    result.is_changed = !bt_str_eq(result.text, input.text);
    const bool is_written = state->input->will_write && result.is_changed;
    input.text = result.text;
    plans->made_schemas = result.schemas;
    plans->made_count = result.schema_count;
    const enum bt_status status = bt_plan_audit(plans, state->arena, &input, &result.audit);
    plans->made_schemas = NULL;
    plans->made_count = 0;
    BT_TRY(status);
    BT_TRY(write_members(state, is_written, result.audit.members, &result.audit.members));
    BT_TRY(write_summary(state, is_written, result.is_changed, &result.audit.text));
    *out = result;
    return BT_OK;
}

enum bt_status bt_plan_type(struct bt_plan_checker *plans, struct bt_arena *arena,
                            const struct bt_plan_type_input *input, struct bt_plan_type_result *out)
{
    assert(plans);
    assert(input->plan.options->dir);
    assert(out);
    struct plan_type_state state = {
        .input = input, .arena = arena, .findings = bt_findings_new(arena)};
    BT_TRY(state.findings ? BT_OK : BT_ENOMEM);
    bt_map_init(&state.taken, arena, plans->env->hash_seed);
    BT_TRY(read_plan(&state, plans));
    if (!state.plan.is_readable) {
        return finish_rejected(&state, out);
    }
    BT_TRY(find_steps(&state, input->artifacts, input->artifact_count, &state.artifacts));
    BT_TRY(find_steps(&state, input->slugs, input->slug_count, &state.slugs));
    BT_TRY(read_cells(&state));
    for (size_t i = 0; i < state.plan.handoffs.count && !bt_findings_have_hard(state.findings, 0);
         i++) {
        BT_TRY(type_pair(&state, &state.plan.handoffs.pairs[i]));
    }
    return bt_findings_have_hard(state.findings, 0) ? finish_rejected(&state, out)
                                                    : audit_result(&state, plans, out);
}
