/* SPDX-License-Identifier: Apache-2.0 */
/* test_budget.c - exact costs, and how much of a limit is used. */
#include "test.h"

#include "evidence/budget.h"

static struct bt_usage_model models[] = {
    {.model = BT_STR_INIT("claude-opus-5"), .count = {15, 80, 2400, 500}},
    {.model = BT_STR_INIT("claude-haiku-5"), .count = {100, 20, 0, 0}},
};
static const struct bt_usage_agent agent = {.agent = BT_STR_INIT("-"),
                                            .models = {models, COUNT_OF(models), 2}};
static const struct bt_budget_price prices[] = {
    {BT_STR_INIT("claude-*"), {15000000, 75000000, 1500000, 18750000}},
    {BT_STR_INIT("claude-haiku-*"), {1000000, 5000000, 100000, 1250000}},
};

static struct bt_budget_used count(const struct bt_budget_rules *rules)
{
    struct bt_budget_used used = {.unpriced = BT_STR("")};
    bt_budget_add_usage(rules, &agent, &used);
    return used;
}

static void the_longest_pattern_prices_a_model(void **state)
{
    (void)state;
    char text[BT_MICROS_TEXT_BYTES];
    const struct bt_budget_rules rules = {.prices = prices, .price_count = 2};
    const struct bt_budget_used used = count(&rules);
    assert_int_equal(used.tokens, 715);
    assert_str(bt_budget_write_cost(used.cost, text), "0.019400");
    const struct bt_budget_rules other = {.prices = &prices[1], .price_count = 1};
    assert_str(count(&other).unpriced, "claude-opus-5");
}

static void costs_are_exact_and_rounded_half_up(void **state)
{
    (void)state;
    char text[BT_MICROS_TEXT_BYTES];
    assert_str(bt_budget_write_cost(499999, text), "0.000000");
    assert_str(bt_budget_write_cost(500000, text), "0.000001");
    assert_str(bt_budget_write_cost(1499999, text), "0.000001");
    struct bt_usage_model one = {.model = BT_STR("m"), .count = {.input = UINT64_MAX}};
    const struct bt_usage_agent big = {.agent = BT_STR("-"), .models = {&one, 1, 1}};
    const struct bt_budget_price price = {BT_STR("*"), {.input = UINT64_C(999999999999999999)}};
    const struct bt_budget_rules rules = {.prices = &price, .price_count = 1, .warn_percent = 80};
    struct bt_budget_used used = {.unpriced = BT_STR("")};
    for (size_t i = 0; i < 100; i++) {
        bt_budget_add_usage(&rules, &big, &used);
    }
    assert_true(used.cost == BT_BUDGET_COST_MAX);
    assert_int_equal(
        bt_budget_compare(&rules, BT_BUDGET_AGENT, &used,
                          (struct bt_config_limit){.cost = UINT64_C(999999999999999999)})
            .state,
        BT_BUDGET_SPENT);
}

static void a_share_is_ok_low_spent_or_unknown(void **state)
{
    (void)state;
    struct bt_budget_rules rules = {
        .prices = prices, .price_count = 2, .warn_percent = 80, .currency = BT_STR("USD")};
    static const struct {
        struct bt_config_limit limit;
        enum bt_budget_state state;
        uint64_t percent;
        bool is_cost;
    } rows[] = {
        {{0, 0}, BT_BUDGET_OK, 0, false},         {{1000, 0}, BT_BUDGET_OK, 71, false},
        {{800, 0}, BT_BUDGET_LOW, 89, false},     {{716, 0}, BT_BUDGET_LOW, 99, false},
        {{715, 0}, BT_BUDGET_SPENT, 100, false},  {{0, 19400}, BT_BUDGET_SPENT, 100, true},
        {{0, 19401}, BT_BUDGET_LOW, 99, true},    {{800, 1000000}, BT_BUDGET_LOW, 89, false},
        {{8000, 20000}, BT_BUDGET_LOW, 97, true},
    };
    const struct bt_budget_used used = count(&rules);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct bt_budget_share share =
            bt_budget_compare(&rules, BT_BUDGET_AGENT, &used, rows[i].limit);
        assert_int_equal(share.state, rows[i].state);
        assert_int_equal(share.percent, rows[i].percent);
        assert_int_equal(share.is_cost, rows[i].is_cost);
    }
    rules.price_count = 0;
    const struct bt_budget_used unpriced = count(&rules);
    const struct bt_config_limit both = {800, 1};
    const struct bt_config_limit cost = {0, 1};
    const struct bt_config_limit few = {10, 1};
    assert_int_equal(bt_budget_compare(&rules, BT_BUDGET_AGENT, &unpriced, cost).state,
                     BT_BUDGET_UNKNOWN);
    assert_int_equal(bt_budget_compare(&rules, BT_BUDGET_AGENT, &unpriced, both).state,
                     BT_BUDGET_LOW);
    assert_int_equal(bt_budget_compare(&rules, BT_BUDGET_AGENT, &unpriced, few).state,
                     BT_BUDGET_SPENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_longest_pattern_prices_a_model),
        cmocka_unit_test(costs_are_exact_and_rounded_half_up),
        cmocka_unit_test(a_share_is_ok_low_spent_or_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
