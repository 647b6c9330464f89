/* SPDX-License-Identifier: Apache-2.0 */
/* chain_budget.c - the budget of a chain of handoffs: form, what is left, and the hop before. */
#include "dialect/universal/chain_budget.h"

#include <assert.h>
#include <inttypes.h>

#include "base/ascii.h"
#include "base/micros.h"
#include "base/str.h"
#include "base/uint128.h"
#include "dialect/universal/revision.h"
#include "json/emit.h"
#include "json/options.h"
#include "report/rules.h"

#define MEMBER "baton_budget"
#define POINTER "/handoff/meta/" MEMBER

enum { TOKENS_MAX_BITS = 53, PERCENT = 100, CURRENCY_BYTES = 3 };

/* The facts of a budget end with one of these. */
static const bt_str PREVIOUS[] = {BT_STR_INIT("none"), BT_STR_INIT("given"), BT_STR_INIT("ledger")};

/* ---- Reading --------------------------------------------------------------------------------- */

/* A value while it is read, and what is wrong with it. */
struct chain_budget_reader {
    const struct bt_json_doc *document;
    const bt_json_value *wrong; /* NULL: nothing is wrong */
    bt_str property;
};

static bool reject_value(struct chain_budget_reader *reader, const bt_json_value *at,
                         bt_str property)
{
    reader->wrong = at;
    reader->property = property;
    return false;
}

/* The number of a member: a count of tokens, or the millionths of a cost. */
static bool read_number(struct chain_budget_reader *reader, const bt_json_value *unit,
                        const char *name, bool is_cost, uint64_t *out)
{
    const bt_json_value *value = bt_json_get(reader->document, unit, bt_str_of(name));
    if (!value) {
        return reject_value(reader, unit, bt_str_of(name));
    }
    if (is_cost) {
        return (bt_json_type(value) == BT_JSON_STRING &&
                bt_micros_parse(bt_json_text(value), out) == BT_OK) ||
               reject_value(reader, value, bt_str_of(name));
    }
    if (bt_json_type(value) != BT_JSON_INTEGER || value->as.integer < 0 ||
        value->as.integer >= INT64_C(1) << TOKENS_MAX_BITS) {
        return reject_value(reader, value, bt_str_of(name));
    }
    *out = (uint64_t)value->as.integer;
    return true;
}

static bool read_currency(struct chain_budget_reader *reader, const bt_json_value *unit,
                          bt_str *out)
{
    const bt_json_value *value = bt_json_get(reader->document, unit, BT_STR("currency"));
    *out = value && bt_json_type(value) == BT_JSON_STRING ? bt_json_text(value) : BT_STR("");
    bool is_valid = out->len == CURRENCY_BYTES;
    for (size_t i = 0; is_valid && i < CURRENCY_BYTES; i++) {
        is_valid = bt_ascii_is_upper(out->ptr[i]);
    }
    return is_valid || reject_value(reader, value ? value : unit, BT_STR("currency"));
}

/* Reject a member that is none of these. */
static bool has_only(struct chain_budget_reader *reader, const bt_json_value *object,
                     const bt_str *names, size_t count)
{
    for (size_t i = 0; i < bt_json_count(object); i++) {
        const struct bt_json_member *member = &bt_json_members(object)[i];
        if (bt_str_index_in(bt_json_name(member), names, count) == count) {
            return reject_value(reader, &member->value, bt_json_name(member));
        }
    }
    return true;
}

static bool read_unit(struct chain_budget_reader *reader, const bt_json_value *unit, bool is_cost,
                      struct bt_universal_budget *out)
{
    static const bt_str names[] = {BT_STR_INIT("limit"), BT_STR_INIT("left"),
                                   BT_STR_INIT("currency")};
    struct bt_universal_budget_unit *into = is_cost ? &out->cost : &out->tokens;
    if (!unit) {
        return true;
    }
    if (bt_json_type(unit) != BT_JSON_OBJECT) {
        return reject_value(reader, unit, is_cost ? BT_STR("cost") : BT_STR("tokens"));
    }
    if (!has_only(reader, unit, names, is_cost ? 3 : 2) ||
        !read_number(reader, unit, "limit", is_cost, &into->limit) ||
        !read_number(reader, unit, "left", is_cost, &into->left) ||
        (is_cost && !read_currency(reader, unit, &out->currency))) {
        return false;
    }
    into->is_there = true;
    return into->left <= into->limit ||
           reject_value(reader, bt_json_get(reader->document, unit, BT_STR("left")),
                        BT_STR("left"));
}

static bool read_budget(struct chain_budget_reader *reader, const bt_json_value *value,
                        struct bt_universal_budget *out)
{
    static const bt_str names[] = {BT_STR_INIT("v"), BT_STR_INIT("tokens"), BT_STR_INIT("cost")};
    *out = (struct bt_universal_budget){.currency = BT_STR("")};
    if (bt_json_type(value) != BT_JSON_OBJECT) {
        return reject_value(reader, value, BT_STR(MEMBER));
    }
    const bt_json_value *version = bt_json_get(reader->document, value, BT_STR("v"));
    if (!version || bt_json_type(version) != BT_JSON_INTEGER || version->as.integer != 1) {
        return reject_value(reader, version ? version : value, BT_STR("v"));
    }
    return has_only(reader, value, names, BT_COUNT_OF(names)) &&
           read_unit(reader, bt_json_get(reader->document, value, BT_STR("tokens")), false, out) &&
           read_unit(reader, bt_json_get(reader->document, value, BT_STR("cost")), true, out) &&
           (out->tokens.is_there || out->cost.is_there ||
            reject_value(reader, value, BT_STR("tokens")));
}

enum bt_status bt_universal_hop_of(const struct bt_json_doc *document, struct bt_universal_hop *out)
{
    const bt_json_value *root = bt_json_root(document);
    const bt_json_value *trace = bt_json_resolve(document, root, BT_STR("/handoff/trace_id"));
    const bt_json_value *value = bt_json_resolve(document, root, BT_STR(POINTER));
    struct chain_budget_reader reader = {document, NULL, BT_STR_INIT("")};
    *out = (struct bt_universal_hop){.trace_id = trace ? bt_json_text(trace) : BT_STR(""),
                                     .budget.currency = BT_STR("")};
    return !value || read_budget(&reader, value, &out->budget) ? BT_OK : BT_EINVAL;
}

enum bt_status bt_universal_hop_read(const struct bt_env *env, struct bt_arena *arena, bt_str text,
                                     struct bt_universal_hop *out, struct bt_error *error)
{
    const struct bt_json_options options = bt_json_options_from_env(env);
    struct bt_json_read_result read = {0};
    /* from: caller */
    BT_TRY(bt_json_read(arena, text, &options, &read));
    if (!read.document ||
        !bt_json_resolve(read.document, bt_json_root(read.document), BT_STR("/handoff/trace_id"))) {
        return bt_error_set(error, BT_EINVAL, "it is not a universal handoff with a trace_id");
    }
    return bt_universal_hop_of(read.document, out) == BT_OK
               ? BT_OK
               : bt_error_set(error, BT_EINVAL, "its budget is malformed");
}

/* ---- Comparing ------------------------------------------------------------------------------- */

/* Findings about growth, and where they stand. */
struct chain_budget_growth {
    struct bt_findings *findings;
    struct bt_location at;
};

static enum bt_status add_growth(const struct chain_budget_growth *growth, bool is_cost,
                                 enum bt_budget_grew_reason reason, uint64_t before, uint64_t now)
{
    struct bt_arena *arena = bt_findings_arena(growth->findings);
    bt_str previous;
    bt_str actual;
    BT_TRY(bt_micros_write_json(arena, is_cost, before, &previous));
    BT_TRY(bt_micros_write_json(arena, is_cost, now, &actual));
    return bt_add_budget_grew(growth->findings, growth->at, reason, previous,
                              reason == BT_BUDGET_GREW_REASON_MISSING ? BT_STR("null") : actual);
}

static enum bt_status compare_unit(const struct chain_budget_growth *growth, bool is_cost,
                                   const struct bt_universal_budget_unit *before,
                                   const struct bt_universal_budget_unit *now)
{
    if (!before->is_there) {
        return BT_OK;
    }
    if (!now->is_there) {
        return add_growth(growth, is_cost, BT_BUDGET_GREW_REASON_MISSING, before->left, 0);
    }
    if (now->limit > before->limit) {
        BT_TRY(add_growth(growth, is_cost, BT_BUDGET_GREW_REASON_LIMIT, before->limit, now->limit));
    }
    return now->left > before->left
               ? add_growth(growth, is_cost, BT_BUDGET_GREW_REASON_LEFT, before->left, now->left)
               : BT_OK;
}

static enum bt_status compare_budgets(const struct chain_budget_growth *growth,
                                      const struct bt_universal_budget *before,
                                      const struct bt_universal_budget *now)
{
    BT_TRY(compare_unit(growth, false, &before->tokens, &now->tokens));
    if (before->cost.is_there && now->cost.is_there &&
        !bt_str_eq(before->currency, now->currency)) {
        bt_str previous;
        bt_str actual;
        struct bt_arena *arena = bt_findings_arena(growth->findings);
        BT_TRY(bt_arena_printf(arena, &previous, "\"%.*s\"", BT_STR_ARG(before->currency)));
        BT_TRY(bt_arena_printf(arena, &actual, "\"%.*s\"", BT_STR_ARG(now->currency)));
        return bt_add_budget_grew(growth->findings, growth->at, BT_BUDGET_GREW_REASON_CURRENCY,
                                  previous, actual);
    }
    return compare_unit(growth, true, &before->cost, &now->cost);
}

enum bt_status bt_universal_hop_compare(struct bt_findings *findings,
                                        const struct bt_universal_hop *before,
                                        const struct bt_universal_hop *now)
{
    const struct chain_budget_growth growth = {
        findings, bt_location_pointer(BT_STR(POINTER), BT_OFFSET_NONE)};
    return compare_budgets(&growth, &before->budget, &now->budget);
}

/* ---- The stage ------------------------------------------------------------------------------- */

/* The ceiling of the configuration for a unit. */
static enum bt_status check_ceiling(const struct chain_budget_growth *growth, bool is_cost,
                                    uint64_t ceiling, const struct bt_universal_budget_unit *unit)
{
    return ceiling > 0 && unit->is_there && unit->limit > ceiling
               ? add_growth(growth, is_cost, BT_BUDGET_GREW_REASON_LIMIT, ceiling, unit->limit)
               : BT_OK;
}

/* What is used of which limit, for people. */
static enum bt_status write_share(const struct bt_universal_check *handoff, bool is_cost,
                                  const struct bt_universal_budget_unit *unit, bt_str *out)
{
    char left[BT_MICROS_TEXT_BYTES];
    char limit[BT_MICROS_TEXT_BYTES];
    return is_cost ? bt_arena_printf(handoff->arena, out, "%.*s of %.*s %.*s",
                                     BT_STR_ARG(bt_micros_write(unit->left, left)),
                                     BT_STR_ARG(bt_micros_write(unit->limit, limit)),
                                     BT_STR_ARG(handoff->budget.currency))
                   : bt_arena_printf(handoff->arena, out, "%" PRIu64 " of %" PRIu64 " tokens",
                                     unit->left, unit->limit);
}

static enum bt_status check_left(struct bt_universal_check *handoff, struct bt_location at,
                                 bool is_cost, const struct bt_universal_budget_unit *unit)
{
    const uint64_t rest = PERCENT - handoff->options->chain_budget.warn_percent;
    const uint64_t spent = unit->limit - unit->left;
    bt_str used;
    bt_str most;
    bt_str share;
    if (!unit->is_there ||
        (unit->left > 0 && (bt_wide)unit->left * PERCENT > (bt_wide)unit->limit * rest)) {
        return BT_OK;
    }
    BT_TRY(bt_micros_write_json(handoff->arena, is_cost, spent, &used));
    BT_TRY(bt_micros_write_json(handoff->arena, is_cost, unit->limit, &most));
    BT_TRY(write_share(handoff, is_cost, unit, &share));
    if (unit->left == 0) {
        return bt_add_universal_budget_spent(
            handoff->findings, BT_SEVERITY_HARD, at, BT_UNIVERSAL_BUDGET_SPENT_SCOPE_CHAIN,
            is_cost ? BT_UNIVERSAL_BUDGET_SPENT_UNIT_COST : BT_UNIVERSAL_BUDGET_SPENT_UNIT_TOKENS,
            used, most, share);
    }
    return bt_add_universal_budget_low(
        handoff->findings, at, BT_UNIVERSAL_BUDGET_LOW_SCOPE_CHAIN,
        is_cost ? BT_UNIVERSAL_BUDGET_LOW_UNIT_COST : BT_UNIVERSAL_BUDGET_LOW_UNIT_TOKENS, used,
        most, (uint64_t)((bt_wide)spent * PERCENT / unit->limit), share);
}

/* Compare with the ceiling of the configuration and with the hop before. */
static enum bt_status check_growth(struct bt_universal_check *handoff, struct bt_location at)
{
    const struct bt_universal_chain_budget *rules = &handoff->options->chain_budget;
    const struct chain_budget_growth growth = {handoff->findings, at};
    BT_TRY(check_ceiling(&growth, false, rules->tokens, &handoff->budget.tokens));
    BT_TRY(check_ceiling(&growth, true, rules->cost, &handoff->budget.cost));
    return rules->previous ? compare_budgets(&growth, &rules->previous->budget, &handoff->budget)
                           : BT_OK;
}

enum bt_status bt_universal_check_chain_budget(struct bt_universal_check *handoff)
{
    const bt_json_value *value =
        bt_json_get(handoff->document, handoff->parts.meta, BT_STR(MEMBER));
    struct chain_budget_reader reader = {handoff->document, NULL, BT_STR_INIT("")};
    handoff->budget = (struct bt_universal_budget){.currency = BT_STR("")};
    if (!value) {
        return check_growth(handoff, bt_location_pointer(BT_STR(POINTER), BT_OFFSET_NONE));
    }
    if (!read_budget(&reader, value, &handoff->budget)) {
        handoff->budget = (struct bt_universal_budget){.currency = BT_STR("")};
        return bt_add_budget_shape(handoff->findings, bt_universal_locate(handoff, reader.wrong),
                                   reader.property);
    }
    const struct bt_location at = bt_universal_locate(handoff, value);
    BT_TRY(check_left(handoff, at, false, &handoff->budget.tokens));
    BT_TRY(check_left(handoff, at, true, &handoff->budget.cost));
    return check_growth(handoff, at);
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void put_members(const struct bt_universal_budget *budget, struct bt_emit *emit)
{
    char text[BT_MICROS_TEXT_BYTES];
    bt_emit_member_u64(emit, "v", 1);
    if (budget->tokens.is_there) {
        bt_emit_member_object(emit, "tokens");
        bt_emit_member_u64(emit, "limit", budget->tokens.limit);
        bt_emit_member_u64(emit, "left", budget->tokens.left);
        bt_emit_end(emit);
    }
    if (budget->cost.is_there) {
        bt_emit_member_object(emit, "cost");
        bt_emit_member_string(emit, "limit", bt_micros_write(budget->cost.limit, text));
        bt_emit_member_string(emit, "left", bt_micros_write(budget->cost.left, text));
        bt_emit_member_string(emit, "currency", budget->currency);
        bt_emit_end(emit);
    }
}

void bt_universal_budget_emit(const struct bt_universal_budget *budget, struct bt_emit *emit)
{
    bt_emit_begin_object(emit);
    put_members(budget, emit);
    bt_emit_end(emit);
}

/* How the facts of a budget end. */
static enum bt_status write_tail(struct bt_arena *arena, enum bt_universal_previous previous,
                                 bt_str *out)
{
    return bt_arena_printf(arena, out, "\"previous\":\"%.*s\"}}", BT_STR_ARG(PREVIOUS[previous]));
}

void bt_universal_put_chain_budget(const struct bt_universal_check *handoff, struct bt_emit *emit)
{
    const struct bt_universal_chain_budget *rules = &handoff->options->chain_budget;
    if (bt_universal_budget_is_set(&handoff->budget)) {
        bt_emit_member_object(emit, "budget");
        put_members(&handoff->budget, emit);
        bt_emit_member_string(
            emit, "previous",
            PREVIOUS[rules->previous ? BT_UNIVERSAL_PREVIOUS_GIVEN : BT_UNIVERSAL_PREVIOUS_NONE]);
        bt_emit_end(emit);
    }
}

enum bt_status bt_universal_facts_name_ledger(struct bt_arena *arena, bt_str facts, bt_str *out)
{
    bt_str before;
    bt_str after;
    BT_TRY(write_tail(arena, BT_UNIVERSAL_PREVIOUS_NONE, &before));
    BT_TRY(write_tail(arena, BT_UNIVERSAL_PREVIOUS_LEDGER, &after));
    if (!bt_str_ends_with(facts, before)) {
        *out = facts; /* it has no budget */
        return BT_OK;
    }
    return bt_arena_printf(arena, out, "%.*s%.*s",
                           BT_STR_ARG(bt_str_slice(facts, 0, facts.len - before.len)),
                           BT_STR_ARG(after));
}

/* ---- Spending -------------------------------------------------------------------------------- */

static void spend_unit(struct bt_universal_budget_unit *unit, uint64_t limit, uint64_t spent)
{
    if (!unit->is_there && limit > 0) {
        *unit = (struct bt_universal_budget_unit){true, limit, limit};
    }
    unit->limit = limit > 0 && limit < unit->limit ? limit : unit->limit;
    unit->left = unit->left > spent ? unit->left - spent : 0;
    unit->left = unit->left < unit->limit ? unit->left : unit->limit;
}

void bt_universal_budget_spend(struct bt_universal_budget *budget,
                               const struct bt_universal_spending *spending)
{
    if (!budget->cost.is_there) {
        budget->currency = spending->currency;
    }
    spend_unit(&budget->tokens, spending->tokens, spending->spent_tokens);
    spend_unit(&budget->cost, spending->cost, spending->spent_cost);
}

bool bt_universal_budget_is_set(const struct bt_universal_budget *budget)
{
    return budget->tokens.is_there || budget->cost.is_there;
}

enum bt_status bt_universal_set_budget(struct bt_universal_checker *universal,
                                       struct bt_arena *arena, bt_str text,
                                       const struct bt_universal_spending *spending, bt_str *out)
{
    struct bt_universal_revision revision;
    struct bt_universal_hop hop;
    BT_TRY(bt_universal_revision_begin(&revision, universal, arena, text));
    const struct bt_json_doc *document = revision.document;
    const bool is_there =
        bt_json_resolve(document, bt_json_root(document), BT_STR(POINTER)) != NULL;
    enum bt_status status = bt_universal_hop_of(document, &hop);
    if (status == BT_OK) {
        bt_universal_budget_spend(&hop.budget, spending);
    }
    if (status == BT_OK && bt_universal_budget_is_set(&hop.budget)) {
        bt_universal_budget_emit(&hop.budget, bt_universal_revision_begin_value(
                                                  &revision, BT_STR(POINTER), is_there, "budget"));
        status = bt_universal_revision_end_value(&revision);
        status = status == BT_OK ? bt_universal_revision_finish(&revision, true) : status;
    }
    if (status == BT_OK) {
        *out = revision.text;
    }
    bt_universal_revision_end(&revision);
    return status;
}
