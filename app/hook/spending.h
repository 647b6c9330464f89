/* SPDX-License-Identifier: Apache-2.0 */
/* spending.h - what the agent of an event has spent, beside its limits. */
#ifndef BATON_APP_HOOK_SPENDING_H
#define BATON_APP_HOOK_SPENDING_H

#include "evidence/spending.h"
#include "evidence/turn.h"
#include "hook.h"

/* What was counted at an event. */
struct hook_spending {
    bool is_counted; /* false: no budget is configured, or there is no store */
    bool is_unread;  /* the host names a transcript that cannot be read, or a limit no store */
    bool is_denied;  /* a limit is spent */
    bool is_low;     /* a limit is low, and that is told now */
    struct bt_budget_share agent;
    struct bt_budget_share session;
    const struct bt_budget_share *share; /* the share that is spent or low */
};

/*
 * Count what the agent of an event has spent, and keep it. A failure leaves out->is_counted false.
 */
void hook_spending_count(const struct hook *hook, const struct hook_event *event,
                         struct hook_spending *out);
/* What the budget adds to a comparison of a report with its turn. */
struct hook_spending_compare {
    const struct hook *hook;
    const struct hook_spending *spending;
    bt_contract_compare_fn *inner; /* NULL: nothing else is compared */
    void *inner_context;
};
/* Compare as `inner` does, and add what is found about the budget; `context` is the struct above.
 */
bt_contract_compare_fn hook_spending_compare;

/* What the agent has spent so far, for the record of its turn. BT_ENOMEM. */
BT_MUST_USE enum bt_status hook_spending_describe(const struct hook *hook,
                                                  const struct hook_spending *spending,
                                                  struct bt_evidence_usage *out);

/* What is told to the agent and to a person about a limit, in the arena of the hook. BT_ENOMEM. */
BT_MUST_USE enum bt_status hook_spending_texts(const struct hook *hook,
                                               const struct hook_event *event,
                                               const struct hook_spending *spending,
                                               bt_str *out_reason, bt_str *out_message);

#endif
