/* SPDX-License-Identifier: Apache-2.0 */
/* decide_absent.c - what commands ask about stored state, in a build without a store. */
#include "base/error.h"
#include "decide/contract_decide.h"
#include "decide/contract_state.h"
#include "decide/governed_decide.h"
#include "decide/governed_state.h"
#include "decide/hop_budget.h"

enum bt_status bt_approvals_list(const struct bt_contract_state *gate,
                                 const struct bt_approval_filter *filter,
                                 struct bt_approval_list *out, struct bt_error *error)
{
    (void)gate;
    (void)filter;
    (void)out;
    return bt_error_set(error, BT_EINVAL, "this build has no store");
}

enum bt_status bt_agent_blocks_list(const struct bt_governed_state *govern,
                                    struct bt_agent_block_list *out, struct bt_error *error)
{
    (void)govern;
    (void)out;
    return bt_error_set(error, BT_EINVAL, "this build has no store");
}

enum bt_status bt_contract_decide(struct bt_submission *submission,
                                  struct bt_ledger_transaction *transaction, struct bt_error *error)
{
    (void)submission;
    (void)transaction;
    return bt_error_set(error, BT_EINVAL, "this build has no store");
}

enum bt_status bt_governed_decide(struct bt_submission *submission,
                                  struct bt_ledger_transaction *transaction, struct bt_error *error)
{
    (void)submission;
    (void)transaction;
    return bt_error_set(error, BT_EINVAL, "this build has no store");
}

enum bt_status bt_hop_budget_check(struct bt_submission *submission,
                                   struct bt_ledger_transaction *transaction,
                                   struct bt_error *error)
{
    (void)submission;
    (void)transaction;
    return bt_error_set(error, BT_EINVAL, "this build has no store");
}
