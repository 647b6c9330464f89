/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source.c - one row per dialect: how it is recognised, how it is read, what goes where. One step
 * of a plan is an object of its cells, and the agent of the step behind it.
 */
#include "convert/map.h"

#include <assert.h>
#include <stdio.h>

#include "dialect/contract/contract.h"
#include "dialect/contract/contract_check.h"
#include "dialect/plan/plan.h"
#include "dialect/plan/plan_check.h"
#include "json/builder.h"
#include "json/emit.h"
#include "json/options.h"
#include "json/peek.h"

static bool is_universal(bt_str text)
{
    return bt_json_peek(text, BT_STR("handoff")) == '{';
}

static bool is_governed(bt_str text)
{
    return bt_json_peek(text, BT_STR("handoff_id")) != '\0' &&
           bt_json_peek(text, BT_STR("source_agent")) != '\0';
}

static enum bt_status read_json(struct bt_convert_source *source)
{
    const struct bt_json_options options = bt_json_options_from_env(source->env);
    struct bt_json_read_result read = {0};
    /* from: caller */
    BT_TRY(bt_json_read(source->arena, source->text, &options, &read));
    if (read.document && bt_json_type(bt_json_root(read.document)) == BT_JSON_OBJECT) {
        source->document = read.document;
    }
    return BT_OK;
}

/* Version 3.0 is the wanted format, and any other version is rejected: both are left to the
 * checks of universal handoffs. */
static enum bt_status read_universal(struct bt_convert_source *source)
{
    BT_TRY(read_json(source));
    if (!source->document) {
        return BT_OK;
    }
    const bt_json_value *version = bt_json_resolve(source->document, bt_json_root(source->document),
                                                   BT_STR("/handoff/version"));
    if (!version || !bt_str_eq(bt_json_text(version), BT_STR("2.0"))) {
        source->document = NULL;
    }
    return BT_OK;
}

static bool is_security_event(const struct bt_findings *findings)
{
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        if (finding->security && finding->severity == BT_SEVERITY_HARD) {
            return true;
        }
    }
    return false;
}

/* The last block of a message. A credential in it would travel on, so such a block is refused. */
static enum bt_status take_block(struct bt_convert_source *source,
                                 struct bt_contract_checker *contract)
{
    static const struct bt_contract_options defaults = {.runtime_agent_id = {"", 0}};
    struct bt_contract_check turn = {.contract = contract,
                                     .options = &defaults,
                                     .findings = bt_findings_new(source->arena),
                                     .text = source->text,
                                     .fail_level = BT_SEVERITY_HARD};
    BT_TRY(turn.findings ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_contract_check_judge(&turn));
    source->is_refused =
        !turn.root || bt_json_type(turn.root) != BT_JSON_OBJECT || is_security_event(turn.findings);
    if (!source->is_refused) {
        source->document = turn.document;
        return BT_OK;
    }
    return bt_contract_check_finish(&turn, source->path, NULL, &source->refusal);
}

static enum bt_status read_contract(struct bt_convert_source *source)
{
    struct bt_contract_checker *contract = NULL;
    BT_TRY(bt_contract_checker_create(source->env, &contract));
    const enum bt_status status = take_block(source, contract);
    bt_contract_checker_destroy(contract);
    return status;
}

struct convert_source_kind {
    enum bt_dialect_id dialect;
    bool (*recognise)(bt_str text);
    enum bt_status (*read)(struct bt_convert_source *source);
    const struct bt_convert_table *table;
};

static const struct convert_source_kind kinds[] = {
    {BT_DIALECT_UNIVERSAL, is_universal, read_universal, &bt_carry_universal_2},
    {BT_DIALECT_GOVERNED, is_governed, read_json, &bt_carry_governed},
    {BT_DIALECT_CONTRACT, bt_contract_recognise, read_contract, &bt_carry_contract},
    {BT_DIALECT_PLAN, bt_plan_recognise, bt_convert_source_read_plan, &bt_carry_plan},
};

static const struct convert_source_kind *kind_of(enum bt_dialect_id dialect, bt_str text)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (dialect ? dialect == kinds[i].dialect : kinds[i].recognise(text)) {
            return &kinds[i];
        }
    }
    return NULL;
}

enum bt_dialect_id bt_convert_dialect(enum bt_dialect_id from, bt_str text)
{
    const struct convert_source_kind *kind = kind_of(from, text);
    return kind ? kind->dialect : BT_DIALECT_NONE;
}

enum bt_status bt_convert_source_read(struct bt_convert_source *source, enum bt_dialect_id dialect)
{
    assert(source);
    const struct convert_source_kind *kind = kind_of(dialect, source->text);
    if (kind) {
        source->table = kind->table;
        return kind->read(source);
    }
    return dialect ? bt_error_set(source->error, BT_EINVAL,
                                  "documents of dialect %.*s cannot be converted",
                                  BT_STR_ARG(bt_dialect_name(dialect)))
                   : bt_error_set(source->error, BT_ENOENT,
                                  "its dialect is not recognised; name it with --from");
}

enum { NAME_BYTES = 24 };

/* Names of agents lose one leading @, which only plans write. */
static bt_str agent_name(bt_str cell)
{
    const bt_str trimmed = bt_plan_trim(cell);
    return bt_str_slice(trimmed, bt_str_starts_with(trimmed, BT_STR("@")) ? 1 : 0, trimmed.len);
}

static bt_str shown_cell(const struct bt_plan_check *plan, bt_str column, bt_str cell)
{
    if (bt_str_eq(column, bt_plan_column_name(BT_PLAN_COLUMN_AGENT))) {
        return agent_name(cell);
    }
    return bt_str_eq(column, bt_plan_column_name(bt_plan_id_column(plan))) ? bt_plan_trim(cell)
                                                                           : cell;
}

/* Blank cells say nothing, and so do columns without a name. */
static void put_row(const struct bt_plan_check *plan, size_t row, struct bt_emit *emit)
{
    const struct bt_csv_row *header = &plan->table->rows[0];
    const struct bt_csv_row *cells = &plan->table->rows[row];
    bt_emit_begin_object(emit);
    for (size_t i = 0; i < header->count && i < cells->count; i++) {
        const bt_str name = header->cells[i].text;
        if (name.len > 0 && !bt_plan_is_blank(cells->cells[i].text)) {
            bt_emit_name_str(emit, name);
            bt_emit_string(emit, shown_cell(plan, name, cells->cells[i].text));
        }
    }
    bt_emit_end(emit);
}

static enum bt_status name_row(struct bt_convert_source *source, size_t at, const char *inner,
                               size_t row)
{
    char text[NAME_BYTES];
    (void)snprintf(text, sizeof(text), "/%zu", row);
    source->names.items[at].inner = bt_str_of(inner);
    return bt_arena_copy(source->arena, bt_str_of(text), &source->names.items[at].shown);
}

/* {"row": the cells of the step, "next": {"agent": who gets its result}} */
static enum bt_status make_object(struct bt_convert_source *source,
                                  const struct bt_plan_check *plan, size_t step)
{
    struct bt_json_builder builder;
    struct bt_emit *emit = bt_json_builder_begin(&builder, source->arena, NULL);
    bt_emit_begin_object(emit);
    bt_emit_name(emit, "row");
    put_row(plan, plan->steps[step].row, emit);
    if (step + 1 < plan->steps_count) {
        const bt_str agent =
            agent_name(bt_plan_text(plan, plan->steps[step + 1].row, BT_PLAN_COLUMN_AGENT));
        bt_emit_member_object(emit, "next");
        if (agent.len > 0) {
            bt_emit_member_string(emit, "agent", agent);
        }
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
    return bt_json_builder_finish(&builder, BT_OK, &source->document);
}

static enum bt_status take_step(struct bt_convert_source *source, struct bt_plan_check *plan)
{
    size_t step = SIZE_MAX;
    BT_TRY(bt_plan_find_step(plan, source->step, plan->findings, &step));
    if (step == SIZE_MAX) {
        return BT_OK;
    }
    BT_TRY(name_row(source, 0, "/row", plan->steps[step].row));
    if (step + 1 < plan->steps_count) {
        BT_TRY(name_row(source, 1, "/next", plan->steps[step + 1].row));
    }
    return make_object(source, plan, step);
}

static enum bt_status read_with(struct bt_convert_source *source, struct bt_plan_checker *plans)
{
    struct bt_plan_check plan;
    struct bt_findings *findings = bt_findings_new(source->arena);
    BT_TRY(findings ? BT_OK : BT_ENOMEM);
    bt_plan_begin(&plan, plans, NULL, findings);
    BT_TRY(bt_plan_read(&plan, source->text));
    if (plan.is_readable) {
        BT_TRY(take_step(source, &plan));
    }
    source->is_refused = !source->document;
    if (!source->is_refused) {
        return BT_OK;
    }
    BT_TRY(bt_plan_finish(findings, source->path, source->text, &source->refusal));
    return bt_plan_facts(&plan, NULL, 0, &source->refusal.facts);
}

enum bt_status bt_convert_source_read_plan(struct bt_convert_source *source)
{
    struct bt_plan_checker *plans = NULL;
    if (source->step.len == 0) {
        return bt_error_set(source->error, BT_EINVAL,
                            "a plan hands over one step at a time: name it with --step");
    }
    BT_TRY(bt_plan_checker_create(source->env, &plans));
    const enum bt_status status = read_with(source, plans);
    bt_plan_checker_destroy(plans);
    return status;
}
