/* SPDX-License-Identifier: Apache-2.0 */
/*
 * records.h - the operations that need a store: submitting, looking up, inboxes, approvals.
 *
 * What the caller may not see does not exist for it.
 */
#ifndef BATON_SRC_OPERATION_RECORDS_H
#define BATON_SRC_OPERATION_RECORDS_H

#include <baton/deliver.h>
#include <baton/gate.h>
#include <baton/ledger_care.h>

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
BT_MUST_USE enum bt_status bt_op_receipt(struct bt_call *work, bt_str id);
/* Put the receipt of an entry in the form of tlog-proof. False when there is no such entry. */
bool bt_op_put_receipt(struct bt_call *work, bt_str id, struct bt_buf *buf);
BT_MUST_USE enum bt_status bt_op_trace(struct bt_call *work, bt_str trace_id);
/* The newest traces. */
BT_MUST_USE enum bt_status bt_op_traces(struct bt_call *work, uint64_t limit);
/* The hops of a trace from agent to agent; `format` is "json", "mermaid", "dot" or "svg". */
BT_MUST_USE enum bt_status bt_op_trace_graph(struct bt_call *work, bt_str trace_id, bt_str format);

/* Which entries of the ledger. Absent texts are "". */
struct bt_handoff_filter {
    bt_str dialect;
    bt_str verdict;
    bt_str kind;
    bt_str handoff_id;
    bt_str trace_id;
    bt_str source;
    bt_str target;
    bt_str code;
    bool has_since;
    bool has_until;
    bt_instant since;
    bt_instant until;
    bool has_after; /* only those after this one, in the requested order */
    uint64_t after;
    bool is_rising; /* ascending */
    uint64_t limit;
};

/* Read those that the caller may see; oldest first. False after bt_result_set_failed(). */
BT_MUST_USE bool bt_op_read_handoffs(struct bt_call *work, const struct bt_handoff_filter *filter,
                                     struct bt_ledger_entries *out);
BT_MUST_USE enum bt_status bt_op_handoffs(struct bt_call *work,
                                          const struct bt_handoff_filter *filter);

/* The document of an entry, unchanged. */
BT_MUST_USE enum bt_status bt_op_document(struct bt_call *work, bt_str id);
/* Judge its bytes again, now and without the store. */
BT_MUST_USE enum bt_status bt_op_handoff_report(struct bt_call *work, bt_str id);

/* ---- The ledger ------------------------------------------------------------------------------ */

/* Its newest signed state. False after bt_result_set_failed(). */
BT_MUST_USE bool bt_op_read_head(struct bt_call *work, struct bt_ledger_head *out);
BT_MUST_USE enum bt_status bt_op_checkpoint(struct bt_call *work);
BT_MUST_USE enum bt_status bt_op_prove_inclusion(struct bt_call *work, bt_str id, uint64_t size);
BT_MUST_USE enum bt_status bt_op_prove_consistency(struct bt_call *work, uint64_t old_size,
                                                   uint64_t size);
BT_MUST_USE enum bt_status bt_op_entries(struct bt_call *work,
                                         const struct bt_ledger_filter *filter);
/* `lines` are signatures, `vkeys` the keys of the witnesses that made them. */
BT_MUST_USE enum bt_status bt_op_cosignatures(struct bt_call *work, bt_str lines,
                                              const bt_str *vkeys, size_t count);
BT_MUST_USE enum bt_status bt_op_redact(struct bt_call *work,
                                        const struct bt_ledger_redact_options *requested);
/* The log for other tools: the newest checkpoint as a note, and a tile. */
BT_MUST_USE enum bt_status bt_op_ledger_note(struct bt_call *work);
BT_MUST_USE enum bt_status bt_op_tile(struct bt_call *work, bt_str path);

/* ---- Contracts and catalogues ---------------------------------------------------------------- */

BT_MUST_USE enum bt_status bt_op_contract_list_state(struct bt_call *work,
                                                     const struct bt_contract_agent_filter *filter);
BT_MUST_USE enum bt_status
bt_op_contract_clear_state(struct bt_call *work, const struct bt_contract_agent_filter *filter);
BT_MUST_USE enum bt_status bt_op_contract_store_input(struct bt_call *work,
                                                      const struct bt_contract_input_owner *owner,
                                                      bt_str input);
BT_MUST_USE enum bt_status bt_op_sections(struct bt_call *work, bt_str workspace, bt_str name,
                                          bool history);
BT_MUST_USE enum bt_status bt_op_blocked(struct bt_call *work);
BT_MUST_USE enum bt_status bt_op_unblock(struct bt_call *work, bt_str agent, bt_str reason);
BT_MUST_USE enum bt_status bt_op_path(struct bt_call *work, bt_str from, bt_str to);

struct bt_op_inbox_lease {
    bt_str agent;
    uint64_t max;
    uint64_t lease_s;
};

BT_MUST_USE enum bt_status bt_op_inbox_lease_items(struct bt_call *work,
                                                   const struct bt_op_inbox_lease *arguments);
/* Record how deliveries from one inbox ended; agent and attempts_max are filled in. */
BT_MUST_USE enum bt_status bt_op_inbox_finish_items(struct bt_call *work, bt_str agent,
                                                    struct bt_inbox_finish_item *items,
                                                    size_t count);

/* Put what is sent to the webhook of `target`: the item as leased, without its lease and
 * identical at every attempt, and its receipt. *out_leaf is the hash of the handoff's entry. */
BT_MUST_USE enum bt_status bt_op_put_webhook_body(const struct bt_deliver *deliver, bt_str target,
                                                  const struct bt_inbox_item *item,
                                                  struct bt_buf *buf, bt_str *out_leaf);

BT_MUST_USE enum bt_status bt_op_approvals(struct bt_call *work, bt_str status);
/* One of them, without recording that it was shown. */
BT_MUST_USE enum bt_status bt_op_approval(struct bt_call *work, bt_str id);
BT_MUST_USE enum bt_status bt_op_approval_use(struct bt_call *work, bt_str command, bt_str id,
                                              bt_str agent);
/* Show, grant, deny or revoke. */
BT_MUST_USE enum bt_status
bt_op_approval_act(struct bt_call *work, const struct bt_approval_action_options *action_options);

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
/* The options of an action, otherwise empty. */
struct bt_approval_action_options bt_approval_action_options_init(enum bt_approval_action act,
                                                                  bt_str id);
/* Show, decide or use a request. False after bt_result_set_failed(). */
BT_MUST_USE bool bt_op_run_approval_action(struct bt_call *work,
                                           const struct bt_approval_action_options *action_options,
                                           struct bt_approval_result *out);

#endif
