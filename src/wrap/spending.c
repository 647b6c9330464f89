/* SPDX-License-Identifier: Apache-2.0 */
/* spending.c - token buckets of rules, and counters of a session. */
#include "wrap/spending.h"

#include "wrap/session.h"

enum { MINUTE_MS = 60000, ONE_CALL = 60000 };

enum bt_status bt_wrap_spending_init(struct bt_wrap_session *session)
{
    session->spending.buckets = BT_NEW_ARRAY(&session->arena, struct bt_wrap_bucket,
                                             session->settings->policy.rules.count + 1);
    return session->spending.buckets ? BT_OK : BT_ENOMEM;
}

/* A bucket holds one minute's calls. The rate is at most 10^6, so no product overflows. */
bool bt_wrap_take_rate(struct bt_wrap_session *session, const struct bt_wrap_tool_policy *tool,
                       uint64_t *out_retry_ms)
{
    const uint64_t rate = tool->rule.rate;
    if (tool->rate_rule == BT_WRAP_NO_RULE || rate == 0) {
        return true;
    }
    struct bt_wrap_bucket *bucket = &session->spending.buckets[tool->rate_rule];
    const uint64_t full = rate * ONE_CALL;
    const uint64_t waited_ms = session->now_ms - bucket->filled_ms;
    const uint64_t added = (waited_ms < MINUTE_MS ? waited_ms : MINUTE_MS) * rate;
    const bool is_full = !bucket->is_used || bucket->credit + added >= full;
    *bucket = (struct bt_wrap_bucket){.credit = is_full ? full : bucket->credit + added,
                                      .filled_ms = session->now_ms,
                                      .is_used = true};
    if (bucket->credit < ONE_CALL) {
        *out_retry_ms = (ONE_CALL - bucket->credit + rate - 1) / rate;
        return false;
    }
    bucket->credit -= ONE_CALL;
    return true;
}

struct bt_wrap_spend_limit bt_wrap_spend_call(struct bt_wrap_session *session, uint64_t cost)
{
    struct bt_wrap_spending *spent = &session->spending;
    const struct bt_wrap_spend *limits = &session->settings->policy.spend;
    if (spent->calls >= limits->calls) {
        return (struct bt_wrap_spend_limit){BT_WRAP_SPENT_CALLS, limits->calls, spent->calls};
    }
    if (limits->tokens != BT_WRAP_UNSET && spent->tokens > limits->tokens) {
        return (struct bt_wrap_spend_limit){BT_WRAP_SPENT_TOKENS, limits->tokens, spent->tokens};
    }
    if (limits->cost != BT_WRAP_UNSET && cost > limits->cost - spent->cost) {
        return (struct bt_wrap_spend_limit){BT_WRAP_SPENT_COST, limits->cost, spent->cost};
    }
    spent->calls++;
    spent->cost += cost;
    return (struct bt_wrap_spend_limit){0};
}
