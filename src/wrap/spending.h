/* SPDX-License-Identifier: Apache-2.0 */
/* spending.h - how often tools are called, and what a session has spent. */
#ifndef BATON_SRC_WRAP_SPENDING_H
#define BATON_SRC_WRAP_SPENDING_H

#include <baton/base.h>

struct bt_wrap_session;
struct bt_wrap_tool_policy;

/* The calls that a rule with `rate` still allows. */
struct bt_wrap_bucket {
    uint64_t credit; /* a call costs 60,000 of it, and each millisecond adds `rate` */
    uint64_t filled_ms;
    bool is_used;
};

struct bt_wrap_spending {
    struct bt_wrap_bucket *buckets; /* one for each rule of the policy */
    uint64_t calls;
    uint64_t tokens;
    uint64_t cost;
};

/* BT_ENOMEM: no memory. */
BT_MUST_USE enum bt_status bt_wrap_spending_init(struct bt_wrap_session *session);

/*
 * Take one call of the rule that limits a tool. False: it allows none now, and one after
 * *out_retry_ms.
 */
bool bt_wrap_take_rate(struct bt_wrap_session *session, const struct bt_wrap_tool_policy *tool,
                       uint64_t *out_retry_ms);

/* In the order of the words of WRAP_SPEND. */
enum bt_wrap_spent {
    BT_WRAP_SPENT_NOTHING = 0,
    BT_WRAP_SPENT_CALLS,
    BT_WRAP_SPENT_TOKENS,
    BT_WRAP_SPENT_COST,
};

struct bt_wrap_spend_limit {
    enum bt_wrap_spent what; /* the limit that a call would exceed, or nothing */
    uint64_t limit;
    uint64_t spent;
};

/* What a call of this cost would exceed; nothing: it is counted. */
struct bt_wrap_spend_limit bt_wrap_spend_call(struct bt_wrap_session *session, uint64_t cost);

#endif
