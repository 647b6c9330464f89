/* SPDX-License-Identifier: Apache-2.0 */
/* budget.c - usage and prices -> tokens and cost, and how much of a limit that is. */
#include "evidence/budget.h"

#include <assert.h>
#include <inttypes.h>

#include "base/buf.h"
#include "base/str.h"
#include "report/rules.h"
#include "shell/shell.h"

enum { MICROS = 1000000, PERCENT = 100 };

/* ---- Configuration --------------------------------------------------------------------------- */

static uint64_t read_micros(bt_str text)
{
    uint64_t micros = 0;
    const bool is_valid = text.len == 0 || bt_micros_parse(text, &micros) == BT_OK;
    assert(is_valid); /* the configuration was checked */
    (void)is_valid;
    return micros;
}

enum bt_status bt_budget_rules_read(struct bt_arena *arena, const struct bt_config *config,
                                    struct bt_budget_rules *out)
{
    const size_t price_count = bt_config_count(config, "budget.prices");
    const size_t type_count = bt_config_count(config, "budget.types");
    struct bt_budget_price *prices = BT_NEW_ARRAY(arena, struct bt_budget_price, price_count + 1);
    struct bt_budget_type *types = BT_NEW_ARRAY(arena, struct bt_budget_type, type_count + 1);
    BT_TRY(prices && types ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < price_count; i++) {
        const char *const key = "budget.prices";
        prices[i] = (struct bt_budget_price){
            .model = bt_config_item_member(config, key, i, "model"),
            .of = {.input = read_micros(bt_config_item_member(config, key, i, "input")),
                   .output = read_micros(bt_config_item_member(config, key, i, "output")),
                   .cache_read = read_micros(bt_config_item_member(config, key, i, "cache_read")),
                   .cache_write =
                       read_micros(bt_config_item_member(config, key, i, "cache_write"))}};
    }
    for (size_t i = 0; i < type_count; i++) {
        types[i] = (struct bt_budget_type){.type = bt_config_item_name(config, "budget.types", i),
                                           .limit = bt_config_type_limit(config, i)};
    }
    *out = (struct bt_budget_rules){
        .agent = bt_config_limit(config, "budget.agent"),
        .session = bt_config_limit(config, "budget.session"),
        .types = types,
        .type_count = type_count,
        .warn_percent = bt_config_u64(config, "budget.warn_percent"),
        .counts_all = bt_str_eq(bt_config_text(config, "budget.count"), BT_STR("all")),
        .currency = bt_config_text(config, "budget.currency"),
        .prices = prices,
        .price_count = price_count};
    return BT_OK;
}

bool bt_budget_has_limit(const struct bt_budget_rules *rules)
{
    return rules->type_count > 0 || rules->agent.tokens > 0 || rules->agent.cost > 0 ||
           rules->session.tokens > 0 || rules->session.cost > 0;
}

struct bt_config_limit bt_budget_limit_of(const struct bt_budget_rules *rules, bt_str type)
{
    for (size_t i = 0; type.len > 0 && i < rules->type_count; i++) {
        if (bt_str_eq(rules->types[i].type, type)) {
            return rules->types[i].limit;
        }
    }
    return rules->agent;
}

/* ---- Counting -------------------------------------------------------------------------------- */

/* The prices of a model: those of the longest pattern, of equally long ones the first; or NULL. */
static const struct bt_token_usage *find_price(const struct bt_budget_rules *rules, bt_str model)
{
    const struct bt_budget_price *found = NULL;
    for (size_t i = 0; i < rules->price_count; i++) {
        const struct bt_budget_price *price = &rules->prices[i];
        if (bt_str_glob_matches(price->model, model, BT_GLOB_ANY) &&
            (!found || price->model.len > found->model.len)) {
            found = price;
        }
    }
    return found ? &found->of : NULL;
}

/* A price is below 10^18 and a number below 2^64, so no product and no sum of four overflows. */
static bt_budget_cost price_usage(const struct bt_token_usage *count,
                                  const struct bt_token_usage *price)
{
    const bt_budget_cost cost = (bt_budget_cost)count->input * price->input +
                                (bt_budget_cost)count->output * price->output +
                                (bt_budget_cost)count->cache_read * price->cache_read +
                                (bt_budget_cost)count->cache_write * price->cache_write;
    return cost < BT_BUDGET_COST_MAX ? cost : BT_BUDGET_COST_MAX;
}

static uint64_t add_numbers(uint64_t a, uint64_t b)
{
    uint64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

void bt_budget_add_usage(const struct bt_budget_rules *rules, const struct bt_usage_agent *agent,
                         struct bt_budget_used *used)
{
    used->is_unknown = used->is_unknown || agent->is_uncertain;
    for (size_t i = 0; i < agent->models.count; i++) {
        const struct bt_usage_model *model = &agent->models.items[i];
        const struct bt_token_usage *price = find_price(rules, model->model);
        const uint64_t cached = rules->counts_all ? model->count.cache_read : 0;
        used->tokens = add_numbers(used->tokens, model->count.input);
        used->tokens = add_numbers(used->tokens, model->count.output);
        used->tokens = add_numbers(used->tokens, model->count.cache_write);
        used->tokens = add_numbers(used->tokens, cached);
        if (price) {
            const bt_budget_cost cost = used->cost + price_usage(&model->count, price);
            used->cost = cost < BT_BUDGET_COST_MAX ? cost : BT_BUDGET_COST_MAX;
        } else if (used->unpriced.len == 0) {
            used->unpriced = model->model;
        }
    }
}

uint64_t bt_budget_cost_micros(bt_budget_cost cost)
{
    const bt_budget_cost micros = (cost + MICROS / 2) / MICROS;
    return micros < UINT64_MAX ? (uint64_t)micros : UINT64_MAX;
}

bt_str bt_budget_write_cost(bt_budget_cost cost, char out[BT_MICROS_TEXT_BYTES])
{
    return bt_micros_write(bt_budget_cost_micros(cost), out);
}

/* ---- Comparing ------------------------------------------------------------------------------- */

bt_str bt_budget_state_name(enum bt_budget_state state)
{
    static const bt_str names[] = {BT_STR_INIT(""), BT_STR_INIT("ok"), BT_STR_INIT("low"),
                                   BT_STR_INIT("spent"), BT_STR_INIT("unknown")};
    return names[state];
}

/* Rounded down. */
static uint64_t percent_of(bt_budget_cost used, bt_budget_cost limit)
{
    const bt_budget_cost percent = used * PERCENT / limit;
    return percent < UINT64_MAX ? (uint64_t)percent : UINT64_MAX;
}

struct bt_budget_share bt_budget_compare(const struct bt_budget_rules *rules,
                                         enum bt_budget_scope scope,
                                         const struct bt_budget_used *used,
                                         struct bt_config_limit limit)
{
    struct bt_budget_share share = {.scope = scope, .used = *used, .limit = limit};
    const bool has_price = used->unpriced.len == 0;
    if (limit.tokens > 0) {
        share.percent = percent_of(used->tokens, limit.tokens);
    }
    if (limit.cost > 0 && has_price) {
        const uint64_t percent = percent_of(used->cost, (bt_budget_cost)limit.cost * MICROS);
        share.is_cost = limit.tokens == 0 || percent > share.percent;
        share.percent = share.is_cost ? percent : share.percent;
    }
    share.has_limit = limit.tokens > 0 || limit.cost > 0;
    const bool is_unknown = used->is_unknown || (limit.cost > 0 && !has_price);
    share.state = share.has_limit && share.percent >= PERCENT               ? BT_BUDGET_SPENT
                  : share.has_limit && share.percent >= rules->warn_percent ? BT_BUDGET_LOW
                  : is_unknown                                              ? BT_BUDGET_UNKNOWN
                                                                            : BT_BUDGET_OK;
    return share;
}

/* ---- Findings -------------------------------------------------------------------------------- */

/* The numbers of a share as JSON: tokens are numbers, costs are texts. */
struct budget_numbers {
    bt_str used;
    bt_str limit;
};

static enum bt_status write_numbers(struct bt_arena *arena, const struct bt_budget_share *share,
                                    const char *quote, struct budget_numbers *out)
{
    char used[BT_MICROS_TEXT_BYTES];
    char limit[BT_MICROS_TEXT_BYTES];
    if (!share->is_cost) {
        BT_TRY(bt_arena_printf(arena, &out->used, "%" PRIu64, share->used.tokens));
        return bt_arena_printf(arena, &out->limit, "%" PRIu64, share->limit.tokens);
    }
    const bt_str cost = bt_budget_write_cost(share->used.cost, used);
    const bt_str most = bt_micros_write(share->limit.cost, limit);
    BT_TRY(bt_arena_printf(arena, &out->used, "%s%.*s%s", quote, BT_STR_ARG(cost), quote));
    return bt_arena_printf(arena, &out->limit, "%s%.*s%s", quote, BT_STR_ARG(most), quote);
}

enum bt_status bt_budget_write_share(struct bt_arena *arena, const struct bt_budget_rules *rules,
                                     const struct bt_budget_share *share, bt_str *out)
{
    struct budget_numbers numbers;
    BT_TRY(write_numbers(arena, share, "", &numbers));
    return bt_arena_printf(arena, out, "%.*s of %.*s %.*s", BT_STR_ARG(numbers.used),
                           BT_STR_ARG(numbers.limit),
                           BT_STR_ARG(share->is_cost ? rules->currency : BT_STR("tokens")));
}

static enum bt_status add_share_finding(const struct bt_budget_report *report,
                                        const struct bt_budget_share *share)
{
    struct bt_arena *arena = bt_findings_arena(report->findings);
    const bool is_session = share->scope == BT_BUDGET_SESSION;
    struct budget_numbers numbers;
    bt_str text;
    BT_TRY(write_numbers(arena, share, "\"", &numbers));
    BT_TRY(bt_budget_write_share(arena, report->rules, share, &text));
    if (share->state == BT_BUDGET_LOW) {
        return bt_add_hook_budget_low(
            report->findings, report->dialect, bt_location_whole(),
            is_session ? BT_HOOK_BUDGET_LOW_SCOPE_SESSION : BT_HOOK_BUDGET_LOW_SCOPE_AGENT,
            share->is_cost ? BT_HOOK_BUDGET_LOW_UNIT_COST : BT_HOOK_BUDGET_LOW_UNIT_TOKENS,
            numbers.used, numbers.limit, share->percent, text);
    }
    return bt_add_hook_budget_spent(
        report->findings, report->dialect, report->spent, bt_location_whole(),
        is_session ? BT_HOOK_BUDGET_SPENT_SCOPE_SESSION : BT_HOOK_BUDGET_SPENT_SCOPE_AGENT,
        share->is_cost ? BT_HOOK_BUDGET_SPENT_UNIT_COST : BT_HOOK_BUDGET_SPENT_UNIT_TOKENS,
        numbers.used, numbers.limit, text);
}

enum bt_status bt_budget_add_finding(const struct bt_budget_report *report,
                                     const struct bt_budget_share *share,
                                     enum bt_budget_unknown_reason reason)
{
    if (share->state == BT_BUDGET_LOW || share->state == BT_BUDGET_SPENT) {
        BT_TRY(add_share_finding(report, share));
    }
    if (share->limit.cost > 0 && share->used.unpriced.len > 0) {
        BT_TRY(bt_add_budget_price_unknown(report->findings, report->dialect, bt_location_whole(),
                                           share->used.unpriced));
    }
    return share->has_limit && share->used.is_unknown
               ? bt_add_budget_unknown(report->findings, report->dialect, bt_location_whole(),
                                       reason)
               : BT_OK;
}
