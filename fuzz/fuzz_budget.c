/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_budget.c - two texts, parted by the record separator of RFC 7464, taken for the budgets of
 * two hops of one chain; the first is also taken for a whole handoff.
 *
 * Promises: what is read is within its bounds and is read again as it was written; the check of a
 * handoff finds BUDGET_SHAPE exactly in what cannot be read; a budget equals itself; nothing is
 * found between two hops exactly when nothing grew, vanished or changed its currency; spending and
 * lower limits never grow a budget, also in the text of a handoff.
 */
#include "dialect/universal/chain_budget.h"

#include "base/micros.h"
#include "dialect/universal/universal.h"
#include "fuzz.h"
#include "json/emit.h"
#include "report/rules.h"

#define SEPARATOR 0x1e
#define HEAD                                                                                       \
    "{\"handoff\":{\"version\":\"3.0\",\"schema_type\":\"universal\",\"timestamp\":"               \
    "\"2026-04-14T08:30:00Z\",\"trace_id\":\"6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4\",\"source\":"   \
    "{\"skill\":\"a\",\"workflow_id\":\"w\",\"session_path\":\"s\",\"phase\":\"P\"},\"target\":"   \
    "{\"skill\":\"b\"},\"context\":{\"summary\":\"s\",\"problem_type\":\"implementation\"},"       \
    "\"payload\":{\"working\":{}},\"meta\":{\"token_count\":1,\"confidence\":\"high\","            \
    "\"baton_budget\":"
#define TOKENS_MAX ((UINT64_C(1) << 53) - 1)
#define COST_MAX UINT64_C(999999999999999999) /* 12 digits and 6 places */

struct bench {
    struct bt_env env;
    struct bt_arena arena;
    struct bt_universal_checker *universal;
};

static size_t count_code(const struct bt_findings *findings, enum bt_code code)
{
    size_t count = 0;
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        count += bt_findings_at(findings, i)->code == code ? 1 : 0;
    }
    return count;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static bt_str handoff_of(struct bench *bench, bt_str budget)
{
    bt_str text = BT_STR("");
    PROMISE(bt_arena_printf(&bench->arena, &text, "%s%.*s}}}", HEAD, BT_STR_ARG(budget)) == BT_OK);
    return text;
}

static bool read_hop(struct bench *bench, bt_str text, struct bt_universal_hop *out)
{
    const enum bt_status status =
        bt_universal_hop_read(&bench->env, &bench->arena, text, out, NULL);
    PROMISE(status == BT_OK || status == BT_EINVAL);
    return status == BT_OK;
}

static bool is_same_unit(const struct bt_universal_budget_unit *a,
                         const struct bt_universal_budget_unit *b)
{
    return a->is_there == b->is_there &&
           (!a->is_there || (a->limit == b->limit && a->left == b->left));
}

static bool is_same(const struct bt_universal_budget *a, const struct bt_universal_budget *b)
{
    return is_same_unit(&a->tokens, &b->tokens) && is_same_unit(&a->cost, &b->cost) &&
           (!a->cost.is_there || bt_str_eq(a->currency, b->currency));
}

static void bounds_hold(const struct bt_universal_budget *budget)
{
    PROMISE(!budget->tokens.is_there || budget->tokens.limit <= TOKENS_MAX);
    PROMISE(!budget->cost.is_there || budget->cost.limit <= COST_MAX);
    PROMISE(!budget->tokens.is_there || budget->tokens.left <= budget->tokens.limit);
    PROMISE(!budget->cost.is_there || budget->cost.left <= budget->cost.limit);
    PROMISE(!budget->cost.is_there || budget->currency.len == 3);
}

/* What is written is read as the same budget. */
static void writing_holds(struct bench *bench, const struct bt_universal_budget *budget)
{
    struct bt_universal_hop again;
    struct bt_buf buf;
    struct bt_emit emit;
    bt_str text = BT_STR("");
    if (!bt_universal_budget_is_set(budget)) {
        return;
    }
    bt_buf_init(&buf, FUZZ_BUF_BYTES);
    bt_emit_init(&emit, &buf, false);
    bt_universal_budget_emit(budget, &emit);
    PROMISE(bt_buf_finish(&buf, &bench->arena, &text) == BT_OK);
    PROMISE(read_hop(bench, handoff_of(bench, text), &again));
    PROMISE(is_same(budget, &again.budget));
}

/* The check finds BUDGET_SHAPE exactly where the budget cannot be read. */
static void check_agrees(struct bench *bench, bt_str budget, bool is_read)
{
    struct bt_universal_options options = bt_universal_options_default();
    const struct bt_universal_input input = {BT_STR("h.json"), handoff_of(bench, budget), &options};
    const struct bt_json_options limits = bt_json_options_from_env(&bench->env);
    struct bt_json_read_result alone = {0};
    struct bt_universal_result result;
    options.no_refs = true;
    options.encoding = BT_ENCODING_CHARS4;
    PROMISE(bt_json_read(&bench->arena, budget, &limits, &alone) == BT_OK);
    PROMISE(bt_universal_draft_check(bench->universal, &bench->arena, &input, &result) == BT_OK);
    const struct bt_judgement judged = result.judged;
    const bool has_shape = count_code(judged.findings, BT_CODE_BUDGET_SHAPE) > 0;
    PROMISE(!has_shape || !is_read);
    /* a text that is a value on its own does not change the handoff around it */
    PROMISE(!alone.document || !judged.document || has_shape == !is_read);
}

/* ---- From hop to hop ------------------------------------------------------------------------- */

static bool is_unit_smaller(const struct bt_universal_budget_unit *before,
                            const struct bt_universal_budget_unit *now)
{
    return !before->is_there ||
           (now->is_there && now->limit <= before->limit && now->left <= before->left);
}

/* Whether nothing grew, vanished or changed its currency, said another time. */
static bool is_smaller(const struct bt_universal_hop *before, const struct bt_universal_hop *now)
{
    return is_unit_smaller(&before->budget.tokens, &now->budget.tokens) &&
           is_unit_smaller(&before->budget.cost, &now->budget.cost) &&
           (!before->budget.cost.is_there ||
            bt_str_eq(before->budget.currency, now->budget.currency));
}

static void compare(struct bench *bench, const struct bt_universal_hop *before,
                    const struct bt_universal_hop *now)
{
    struct bt_findings *findings = bt_findings_new(&bench->arena);
    PROMISE(findings);
    PROMISE(bt_universal_hop_compare(findings, before, now) == BT_OK);
    const size_t grew = count_code(findings, BT_CODE_BUDGET_GREW);
    PROMISE(grew == bt_findings_count(findings));
    PROMISE((grew == 0) == is_smaller(before, now));
}

/* Spend what the other budget says. */
static void spending_holds(struct bench *bench, bt_str text, const struct bt_universal_hop *before,
                           const struct bt_universal_budget *other)
{
    const struct bt_universal_spending spending = {.tokens = other->tokens.limit,
                                                   .cost = other->cost.limit,
                                                   .currency = BT_STR("USD"),
                                                   .spent_tokens = other->tokens.left,
                                                   .spent_cost = other->cost.left,
                                                   .unpriced = BT_STR("")};
    struct bt_universal_hop now = *before;
    struct bt_universal_hop written;
    bt_str changed = BT_STR("");
    bt_universal_budget_spend(&now.budget, &spending);
    bounds_hold(&now.budget);
    writing_holds(bench, &now.budget);
    PROMISE(is_smaller(before, &now));
    compare(bench, before, &now);
    PROMISE(bt_universal_set_budget(bench->universal, &bench->arena, text, &spending, &changed) ==
            BT_OK);
    PROMISE(read_hop(bench, changed, &written));
    PROMISE(is_same(&now.budget, &written.budget));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bt_str whole = fuzz_text(data, size);
    const size_t middle = bt_str_find_byte(whole, SEPARATOR, 0);
    const bt_str given[] = {bt_str_slice(whole, 0, middle), bt_str_slice(whole, middle + 1, size)};
    struct bt_universal_hop hops[2];
    struct bt_universal_hop raw;
    bool are_read = true;
    static struct bench bench; /* compiling the schema takes longer than the rest */
    bt_str texts[2];
    if (!bench.universal) {
        PROMISE(bt_env_init(&bench.env) == BT_OK);
        bt_env_pin_clock(&bench.env, &(bt_instant){1776157200, 0});
        bt_env_pin_seed(&bench.env, 1);
        bt_arena_init(&bench.arena, FUZZ_ARENA_BYTES);
        PROMISE(bt_universal_checker_create(&bench.env, &bench.universal) == BT_OK);
    }
    bt_arena_reset(&bench.arena);
    if (read_hop(&bench, given[0], &raw)) {
        bounds_hold(&raw.budget);
    }
    for (size_t i = 0; i < 2; i++) {
        texts[i] = handoff_of(&bench, given[i]);
        const bool is_read = read_hop(&bench, texts[i], &hops[i]);
        check_agrees(&bench, given[i], is_read);
        are_read = are_read && is_read;
    }
    if (are_read) {
        bounds_hold(&hops[0].budget);
        bounds_hold(&hops[1].budget);
        writing_holds(&bench, &hops[0].budget);
        compare(&bench, &hops[0], &hops[0]);
        compare(&bench, &hops[0], &hops[1]);
        compare(&bench, &hops[1], &hops[0]);
        spending_holds(&bench, texts[0], &hops[0], &hops[1].budget);
    }
    return 0;
}
