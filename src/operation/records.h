/* SPDX-License-Identifier: Apache-2.0 */
/*
 * records.h - the operations that need a store: submitting, looking up, inboxes, approvals.
 *
 * What the caller may not see does not exist for it.
 */
#ifndef BATON_SRC_OPERATION_RECORDS_H
#define BATON_SRC_OPERATION_RECORDS_H

#include "decide/contract_state.h"
#include "deliver/inbox.h"
#include "ledger/admin.h"
#include "ledger/audit.h"
#include "operation/operation.h"

BT_MUST_USE enum bt_status bt_op_handoff_submit(struct bt_call *work,
                                                struct bt_check_request *request);
/* Continue what was left to the writer, with the worker of this thread; see struct
 * bt_call_completion. */
BT_MUST_USE enum bt_status bt_op_submit_end(struct bt_call *work, struct bt_worker *service);
/* Submit a governed handoff, answered as POST /v1/dispatch is. */
BT_MUST_USE enum bt_status bt_op_governed_dispatch(struct bt_call *work,
                                                   struct bt_check_request *request);
/* True when the caller represents the agent that a contract block is from. */
bool bt_op_caller_represents_agent(struct bt_call *work, bt_str text);
/* Record that a message about an agent came from a caller that does not represent it. `claimed`
 * is its id where that is known, or "". The result is the refusal. */
BT_MUST_USE enum bt_status bt_op_reject_caller(struct bt_call *work, bt_str text, bt_str claimed);
/* `id` is a number of an entry, or a handoff id that is not all digits. */
BT_MUST_USE enum bt_status bt_op_handoff(struct bt_call *work, bt_str id);
/* Put the receipt of an entry in the form of tlog-proof. False when there is no such entry. */
bool bt_op_put_receipt(struct bt_call *work, bt_str id, struct bt_buf *buf);
/* Answer with the receipt of an entry that the caller may see; `missing` says what there is not. */
BT_MUST_USE enum bt_status bt_op_set_receipt(struct bt_call *call,
                                             const struct bt_receipt_request *request,
                                             const char *missing);

/* Read one end of a range of entries, a number or an instant. False: the result is set. */
BT_MUST_USE bool bt_op_take_bound(struct bt_call *call, const struct bt_args *args,
                                  const char *name, struct bt_ledger_bound *out);
/* Answer with the findings for which nothing was changed. */
BT_MUST_USE enum bt_status bt_op_set_findings(struct bt_call *work, struct bt_findings *findings);

/* Which entries of the ledger. Absent texts are "". */
struct bt_handoff_filter {
    bt_str dialect;
    bt_str verdict;
    bt_str kind;
    bt_str handoff_id;
    bt_str trace_id;
    bt_str source;
    bt_str target;
    bt_str agent; /* source or target */
    bt_str code;
    bt_str event; /* of its refs */
    bool has_since;
    bool has_until;
    bt_instant since;
    bt_instant until;
    bool has_after; /* only those after this one, in the requested order */
    uint64_t after;
    bool is_rising; /* ascending */
    uint64_t limit;
};

/* The filter of a list or a stream of entries. */
void bt_handoff_filter_read(const struct bt_args *args, struct bt_handoff_filter *out);
/* Read those that the caller may see; oldest first. False after bt_result_set_failed(). */
BT_MUST_USE bool bt_op_read_handoffs(struct bt_call *work, const struct bt_handoff_filter *filter,
                                     struct bt_ledger_entries *out);

/* ---- The ledger ------------------------------------------------------------------------------ */

/* Its newest signed state. False after bt_result_set_failed(). */
BT_MUST_USE bool bt_op_read_head(struct bt_call *work, struct bt_ledger_head *out);

/* Put what is sent to the webhook of `target`: the item as leased, without its lease and
 * identical at every attempt, and its receipt. *out_leaf is the hash of the handoff's entry. */
BT_MUST_USE enum bt_status bt_op_put_webhook_body(const struct bt_deliver *deliver, bt_str target,
                                                  const struct bt_inbox_item *item,
                                                  struct bt_buf *buf, bt_str *out_leaf);

/* ---- Approvals ------------------------------------------------------------------------------- */

/* Those with a status, or "" for all. */
BT_MUST_USE enum bt_status bt_op_approvals(struct bt_call *work, bt_str status);

/* The workspace of agent states: the requested one, the caller's, or the default. */
bt_str bt_op_workspace(const struct bt_call *work, bt_str requested);
bt_str bt_op_session(const struct bt_call *work, bt_str requested);

/* What the calls of contract decisions work with. */
BT_MUST_USE enum bt_status bt_op_contract_state(struct bt_call *work,
                                                struct bt_contract_state *out);
/* The default lifetime of a grant. */
uint64_t bt_op_grant_seconds(const struct bt_config *config);
/* The owner whose requests the caller may see: NULL for all, else `room` is filled in. */
const struct bt_approval_owner *bt_op_owner(const struct bt_caller *caller,
                                            struct bt_approval_owner *room);
/* Show, decide or use a request. False after bt_result_set_failed(). */
BT_MUST_USE bool bt_op_run_approval_action(struct bt_call *work,
                                           const struct bt_approval_action_options *action_options,
                                           struct bt_approval_result *out);

#endif
