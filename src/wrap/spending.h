/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spending.h - how often tools are called, and what was spent: by one session, or by all sessions
 * of one principal in a day.
 */
#ifndef BATON_SRC_WRAP_SPENDING_H
#define BATON_SRC_WRAP_SPENDING_H

#include <pthread.h>

#include <baton/base.h>

struct bt_wrap_session;
struct bt_wrap_tool_policy;

/* The calls that a rule with `rate` still allows. */
struct bt_wrap_bucket {
    uint64_t credit; /* a call costs 60,000 of it, and each millisecond adds `rate` */
    uint64_t filled_ms;
    bool is_used;
};

/* Counters. Sessions on several threads may share them. */
struct bt_wrap_spending {
    pthread_mutex_t lock;           /* guards what follows */
    struct bt_wrap_bucket *buckets; /* one for each rule of the policy */
    size_t bucket_count;
    bool is_daily; /* calls, tokens and cost begin at 0 on each day (UTC) */
    int64_t day;   /* of these, since 1970 */
    uint64_t calls;
    uint64_t tokens;
    uint64_t cost;
};

/* Begin at 0. Free it with bt_wrap_spending_free(). BT_EIO: the system has no lock left. */
BT_MUST_USE enum bt_status bt_wrap_spending_init(struct bt_wrap_spending *spending, bool is_daily);
void bt_wrap_spending_free(struct bt_wrap_spending *spending);
/*
 * Have a bucket for each of so many rules. When there were buckets for another number of rules, all
 * begin again. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status bt_wrap_spending_set_rules(struct bt_wrap_spending *spending,
                                                      size_t count);

/* The counters of a session: those that it shares with others, else its own. */
struct bt_wrap_counters {
    struct bt_wrap_spending *used; /* NULL: none yet */
    struct bt_wrap_spending own;
};

/* BT_ENOMEM, BT_EIO: no memory, no lock. */
BT_MUST_USE enum bt_status bt_wrap_counters_init(struct bt_wrap_session *session);
void bt_wrap_counters_free(struct bt_wrap_session *session);

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
/* Count the size of a result. */
void bt_wrap_spend_tokens(struct bt_wrap_session *session, uint64_t tokens);

#endif
