/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget.h - limits of what agents may spend, prices, and how much of a limit is used.
 *
 * Costs are exact: prices are millionths of a unit of money for a million tokens, so that numbers
 * times prices count 10^-12 units, in 128 bits. They are rounded only where they are shown.
 */
#ifndef BATON_SRC_EVIDENCE_BUDGET_H
#define BATON_SRC_EVIDENCE_BUDGET_H

#include "base/micros.h"
#include "base/uint128.h"
#include "config/config.h"
#include "report/rules.h"
#include "transcript/usage.h"

/* 10^-12 units of money; a sum that does not fit is BT_BUDGET_COST_MAX. */
typedef bt_wide bt_budget_cost;
#define BT_BUDGET_COST_MAX ((bt_budget_cost)1 << 120)

/* The limit of agents of one type. */
struct bt_budget_type {
    bt_str type;
    struct bt_config_limit limit;
};

/* What a million tokens of a model cost, in millionths. */
struct bt_budget_price {
    bt_str model; /* a pattern; * stands for characters */
    struct bt_token_usage of;
};

/* The keys `budget.*` that are in force. */
struct bt_budget_rules {
    struct bt_config_limit agent;
    struct bt_config_limit session;
    const struct bt_budget_type *types;
    size_t type_count;
    uint64_t warn_percent;
    bool counts_all; /* also what was read from a cache */
    bt_str currency;
    const struct bt_budget_price *prices;
    size_t price_count;
};

/*
 * Read the rules from a configuration, which must outlive *out, into the arena. BT_ENOMEM: the
 * arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_budget_rules_read(struct bt_arena *arena,
                                                const struct bt_config *config,
                                                struct bt_budget_rules *out);
/* True when an agent or a session has a limit. */
bool bt_budget_has_limit(const struct bt_budget_rules *rules);
/* The limit of an agent of this type; "": its type is not known. */
struct bt_config_limit bt_budget_limit_of(const struct bt_budget_rules *rules, bt_str type);

/* What was spent, as the rules count and price it. */
struct bt_budget_used {
    uint64_t tokens;
    bt_budget_cost cost;
    bt_str unpriced; /* a model without a price: the cost is not known; "": every model has one */
    bool is_unknown; /* it is not known how much was spent */
};

/* Add what one agent spent. */
void bt_budget_add_usage(const struct bt_budget_rules *rules, const struct bt_usage_agent *agent,
                         struct bt_budget_used *used);
/* A cost in millionths, rounded half up. */
uint64_t bt_budget_cost_micros(bt_budget_cost cost);
/* Write a cost with six decimals, rounded half up. The result points into `out`. */
bt_str bt_budget_write_cost(bt_budget_cost cost, char out[BT_MICROS_TEXT_BYTES]);

enum bt_budget_state {
    BT_BUDGET_STATE_NONE = 0,
    BT_BUDGET_OK,
    BT_BUDGET_LOW,
    BT_BUDGET_SPENT,
    BT_BUDGET_UNKNOWN,
};

/* "ok", "low", "spent", "unknown". */
bt_str bt_budget_state_name(enum bt_budget_state state);

/* Whose limit it is. The words are those of the findings. */
enum bt_budget_scope { BT_BUDGET_AGENT = 1, BT_BUDGET_SESSION };

/* How much of a limit is used. */
struct bt_budget_share {
    enum bt_budget_scope scope;
    enum bt_budget_state state;
    bool has_limit;
    bool is_cost;     /* of the two units the cost decides */
    uint64_t percent; /* of the limit, rounded down; when has_limit */
    struct bt_budget_used used;
    struct bt_config_limit limit;
};

/* Compare what was spent with a limit. */
struct bt_budget_share bt_budget_compare(const struct bt_budget_rules *rules,
                                         enum bt_budget_scope scope,
                                         const struct bt_budget_used *used,
                                         struct bt_config_limit limit);

/* Which findings are made, and about what. */
struct bt_budget_report {
    struct bt_findings *findings;
    enum bt_dialect_id dialect; /* BT_DIALECT_NONE: of hooks */
    enum bt_severity spent;     /* of BUDGET_SPENT */
    const struct bt_budget_rules *rules;
};

/* Add findings about a share that is not in order. `reason`: why the usage is not known, where it
 * is not. BT_ENOMEM is the only failure. */
BT_MUST_USE enum bt_status bt_budget_add_finding(const struct bt_budget_report *report,
                                                 const struct bt_budget_share *share,
                                                 enum bt_budget_unknown_reason reason);
/* What is used of which limit, for people: "750 of 700 tokens". In the arena. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_budget_write_share(struct bt_arena *arena,
                                                 const struct bt_budget_rules *rules,
                                                 const struct bt_budget_share *share, bt_str *out);

#endif
