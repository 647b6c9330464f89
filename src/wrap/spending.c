/* SPDX-License-Identifier: Apache-2.0 */
/* spending.c - token buckets of rules, and counters of sessions. */
#include "wrap/spending.h"

#include "base/arena.h"
#include "wrap/session.h"

enum { MINUTE_MS = 60000, ONE_CALL = 60000, DAY_SECONDS = 86400 };

enum bt_status bt_wrap_spending_init(struct bt_wrap_spending *spending, bool is_daily)
{
    *spending = (struct bt_wrap_spending){.is_daily = is_daily};
    return pthread_mutex_init(&spending->lock, NULL) == 0 ? BT_OK : BT_EIO;
}

void bt_wrap_spending_free(struct bt_wrap_spending *spending)
{
    (void)pthread_mutex_destroy(&spending->lock);
    bt_handle_destroy(spending->buckets);
}

enum bt_status bt_wrap_spending_set_rules(struct bt_wrap_spending *spending, size_t count)
{
    enum bt_status status = BT_OK;
    (void)pthread_mutex_lock(&spending->lock);
    if (!spending->buckets || spending->bucket_count != count) {
        struct bt_wrap_bucket *buckets = bt_handle_create((count + 1) * sizeof(*buckets));
        status = buckets ? BT_OK : BT_ENOMEM;
        if (buckets) {
            bt_handle_destroy(spending->buckets);
            spending->buckets = buckets;
            spending->bucket_count = count;
        }
    }
    (void)pthread_mutex_unlock(&spending->lock);
    return status;
}

enum bt_status bt_wrap_counters_init(struct bt_wrap_session *session)
{
    struct bt_wrap_counters *counters = &session->spending;
    struct bt_wrap_spending *shared = session->settings->spending;
    if (!shared) {
        BT_TRY(bt_wrap_spending_init(&counters->own, false));
    }
    counters->used = shared ? shared : &counters->own;
    return bt_wrap_spending_set_rules(counters->used, session->settings->policy.rules.count);
}

void bt_wrap_counters_free(struct bt_wrap_session *session)
{
    if (session->spending.used == &session->spending.own) {
        bt_wrap_spending_free(&session->spending.own);
    }
}

/* A bucket holds one minute's calls. The rate is at most 10^6, so no product overflows. */
static bool take_from_bucket(struct bt_wrap_bucket *bucket, uint64_t rate, uint64_t now_ms,
                             uint64_t *out_retry_ms)
{
    const uint64_t full = rate * ONE_CALL;
    const uint64_t waited_ms = now_ms > bucket->filled_ms ? now_ms - bucket->filled_ms : 0;
    const uint64_t added = (waited_ms < MINUTE_MS ? waited_ms : MINUTE_MS) * rate;
    const bool is_full = !bucket->is_used || bucket->credit + added >= full;
    *bucket = (struct bt_wrap_bucket){.credit = is_full ? full : bucket->credit + added,
                                      .filled_ms = bucket->filled_ms + waited_ms,
                                      .is_used = true};
    if (bucket->credit < ONE_CALL) {
        *out_retry_ms = (ONE_CALL - bucket->credit + rate - 1) / rate;
        return false;
    }
    bucket->credit -= ONE_CALL;
    return true;
}

bool bt_wrap_take_rate(struct bt_wrap_session *session, const struct bt_wrap_tool_policy *tool,
                       uint64_t *out_retry_ms)
{
    struct bt_wrap_spending *spent = session->spending.used;
    bool is_taken = true;
    if (tool->rate_rule == BT_WRAP_NO_RULE || tool->rule.rate == 0) {
        return true;
    }
    (void)pthread_mutex_lock(&spent->lock);
    /* A session that is ending may have more rules than the configuration has now. */
    if ((size_t)tool->rate_rule < spent->bucket_count) {
        is_taken = take_from_bucket(&spent->buckets[tool->rate_rule], tool->rule.rate,
                                    session->now_ms, out_retry_ms);
    }
    (void)pthread_mutex_unlock(&spent->lock);
    return is_taken;
}

/* With the lock: on another day the counters begin again. */
static void begin_day(struct bt_wrap_session *session)
{
    struct bt_wrap_spending *spent = session->spending.used;
    const int64_t day = spent->is_daily ? bt_env_now(session->env).seconds / DAY_SECONDS : 0;
    if (day != spent->day) {
        spent->day = day;
        spent->calls = 0;
        spent->tokens = 0;
        spent->cost = 0;
    }
}

/* With the lock: what a call of this cost would exceed. */
static struct bt_wrap_spend_limit find_exceeded(const struct bt_wrap_spending *spent,
                                                const struct bt_wrap_spend *limits, uint64_t cost)
{
    if (spent->calls >= limits->calls) {
        return (struct bt_wrap_spend_limit){BT_WRAP_SPENT_CALLS, limits->calls, spent->calls};
    }
    if (limits->tokens != BT_WRAP_UNSET && spent->tokens > limits->tokens) {
        return (struct bt_wrap_spend_limit){BT_WRAP_SPENT_TOKENS, limits->tokens, spent->tokens};
    }
    if (limits->cost != BT_WRAP_UNSET &&
        (spent->cost > limits->cost || cost > limits->cost - spent->cost)) {
        return (struct bt_wrap_spend_limit){BT_WRAP_SPENT_COST, limits->cost, spent->cost};
    }
    return (struct bt_wrap_spend_limit){0};
}

struct bt_wrap_spend_limit bt_wrap_spend_call(struct bt_wrap_session *session, uint64_t cost)
{
    struct bt_wrap_spending *spent = session->spending.used;
    (void)pthread_mutex_lock(&spent->lock);
    begin_day(session);
    const struct bt_wrap_spend_limit exceeded =
        find_exceeded(spent, &session->settings->policy.spend, cost);
    if (exceeded.what == BT_WRAP_SPENT_NOTHING) {
        spent->calls++;
        spent->cost += cost;
    }
    (void)pthread_mutex_unlock(&spent->lock);
    return exceeded;
}

void bt_wrap_spend_tokens(struct bt_wrap_session *session, uint64_t tokens)
{
    struct bt_wrap_spending *spent = session->spending.used;
    (void)pthread_mutex_lock(&spent->lock);
    begin_day(session);
    spent->tokens += tokens;
    (void)pthread_mutex_unlock(&spent->lock);
}
