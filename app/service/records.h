/* SPDX-License-Identifier: Apache-2.0 */
/*
 * records.h - what needs a store: submitting, looking up, inboxes, approvals.
 *
 * What is not the caller's is, for the caller, not there.
 */
#ifndef BATON_APP_SERVICE_RECORDS_H
#define BATON_APP_SERVICE_RECORDS_H

#include <baton/deliver.h>
#include <baton/gate.h>
#include <baton/ledger_care.h>

#include "service/service.h"

BT_MUST_USE enum bt_status op_submit(struct work *work, struct request *request);
/* Go on with what was left to the writer, by the service of this thread; see struct later. */
BT_MUST_USE enum bt_status op_submit_end(struct work *work, struct service *service);
/* The same for a governed handoff, answered as POST /v1/dispatch is. */
BT_MUST_USE enum bt_status op_dispatch(struct work *work, struct request *request);
/* Whether the caller speaks for the agent that a contract block is from. */
bool op_speaks(struct work *work, bt_str text);
/* Record that a message about an agent came from somebody who does not speak for it. `claimed` is
 * its id where that is known, or "". The answer is the refusal. */
BT_MUST_USE enum bt_status op_refuse_speaker(struct work *work, bt_str text, bt_str claimed);
/* `id` is a number of an entry, or a handoff id that is not all digits. */
BT_MUST_USE enum bt_status op_handoff(struct work *work, bt_str id);
BT_MUST_USE enum bt_status op_receipt(struct work *work, bt_str id);
/* Put the receipt of an entry in the form of tlog-proof. False when there is no such entry. */
bool receipt_put(struct work *work, bt_str id, struct bt_buf *buf);
BT_MUST_USE enum bt_status op_trace(struct work *work, bt_str trace_id);
/* The newest traces. */
BT_MUST_USE enum bt_status op_traces(struct work *work, uint64_t limit);
/* The way of a trace from agent to agent; `format` is "json", "mermaid", "dot" or "svg". */
BT_MUST_USE enum bt_status op_trace_graph(struct work *work, bt_str trace_id, bt_str format);

/* Which entries of the ledger. Absent texts are "". */
struct handoff_filter {
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
    bool has_after; /* only those that come after this one, in the order asked for */
    uint64_t after;
    bool is_rising; /* the oldest first */
    uint64_t limit;
};

/* Read those that are the caller's; oldest first. False after answer_failed(). */
BT_MUST_USE bool handoffs_read(struct work *work, const struct handoff_filter *filter,
                               struct bt_ledger_entries *out);
BT_MUST_USE enum bt_status op_handoffs(struct work *work, const struct handoff_filter *filter);

/* The document of an entry as it came. */
BT_MUST_USE enum bt_status op_document(struct work *work, bt_str id);
/* Its bytes judged again, now and without the store. */
BT_MUST_USE enum bt_status op_rejudge(struct work *work, bt_str id);

/* ---- The ledger ------------------------------------------------------------------------------ */

/* Its newest signed state. False after answer_failed(). */
BT_MUST_USE bool ledger_head(struct work *work, struct bt_ledger_head *out);
BT_MUST_USE enum bt_status op_checkpoint(struct work *work);
BT_MUST_USE enum bt_status op_prove_inclusion(struct work *work, bt_str id, uint64_t size);
BT_MUST_USE enum bt_status op_prove_consistency(struct work *work, uint64_t old_size,
                                                uint64_t size);
BT_MUST_USE enum bt_status op_entries(struct work *work, const struct bt_ledger_filter *filter);
/* `lines` are signatures, `vkeys` the keys of the witnesses that made them. */
BT_MUST_USE enum bt_status op_cosignatures(struct work *work, bt_str lines, const bt_str *vkeys,
                                           size_t count);
BT_MUST_USE enum bt_status op_redact(struct work *work, const struct bt_ledger_redaction *asked);
/* The log for others' tools: the newest checkpoint as a note, and a tile. */
BT_MUST_USE enum bt_status op_note(struct work *work);
BT_MUST_USE enum bt_status op_tile(struct work *work, bt_str path);

/* ---- Contracts and catalogues ---------------------------------------------------------------- */

BT_MUST_USE enum bt_status op_states(struct work *work, const struct bt_agent_filter *filter);
BT_MUST_USE enum bt_status op_clear(struct work *work, const struct bt_agent_filter *filter);
BT_MUST_USE enum bt_status op_input(struct work *work, const struct bt_input_owner *owner,
                                    bt_str input);
BT_MUST_USE enum bt_status op_sections(struct work *work, bt_str workspace, bt_str name,
                                       bool history);
BT_MUST_USE enum bt_status op_blocked(struct work *work);
BT_MUST_USE enum bt_status op_unblock(struct work *work, bt_str agent, bt_str reason);
BT_MUST_USE enum bt_status op_path(struct work *work, bt_str from, bt_str to);

struct inbox_ask {
    bt_str agent;
    uint64_t max;
    uint64_t lease_s;
};

BT_MUST_USE enum bt_status op_take(struct work *work, const struct inbox_ask *ask);
/* Say how deliveries from one inbox ended; agent and attempts_max are filled in. */
BT_MUST_USE enum bt_status op_finish(struct work *work, bt_str agent, struct bt_inbox_finish *items,
                                     size_t count);

/* Put what is sent to the webhook of `target`: the item as `take` gives it, without its lease and
 * alike at every attempt, and its receipt. *out_leaf is the hash of the handoff's entry. */
BT_MUST_USE enum bt_status webhook_put(const struct bt_deliver *deliver, bt_str target,
                                       const struct bt_inbox_item *item, struct bt_buf *buf,
                                       bt_str *out_leaf);

BT_MUST_USE enum bt_status op_approvals(struct work *work, bt_str status);
/* One of them, without showing it to anybody. */
BT_MUST_USE enum bt_status op_approval(struct work *work, bt_str id);
BT_MUST_USE enum bt_status op_use(struct work *work, bt_str command, bt_str id, bt_str agent);
/* Show, grant, deny or revoke. */
BT_MUST_USE enum bt_status op_decide(struct work *work, const struct bt_approval_wish *wish);

/* Where states of agents are kept: what was asked for, what is the caller's, or the usual. */
bt_str service_workspace(const struct work *work, bt_str asked);
bt_str service_session(const struct work *work, bt_str asked);

/* What the calls of gate.h work with. */
BT_MUST_USE enum bt_status service_gate(struct work *work, struct bt_gate *out);
/* How long a grant lives when nobody says so. */
uint64_t service_grant_seconds(const struct bt_config *config);
/* Whose requests there are for the caller: NULL for who sees all, else `room` is filled in. */
const struct bt_approval_owner *service_owner(const struct caller *caller,
                                              struct bt_approval_owner *room);
/* A wish about a request, with nothing beside. */
struct bt_approval_wish service_wish(enum bt_approval_act act, bt_str id);
/* Show, decide or use a request. False after answer_failed(). */
BT_MUST_USE bool service_approve(struct work *work, const struct bt_approval_wish *wish,
                                 struct bt_approval_answer *out);

#endif
