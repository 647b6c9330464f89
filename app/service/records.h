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

#include "service/service.h"

BT_MUST_USE enum bt_status op_submit(struct work *work, struct request *request);
/* The same for a governed handoff, answered as POST /v1/dispatch is. */
BT_MUST_USE enum bt_status op_dispatch(struct work *work, struct request *request);
/* `id` is a number of an entry, or a handoff id that is not all digits. */
BT_MUST_USE enum bt_status op_handoff(struct work *work, bt_str id);
BT_MUST_USE enum bt_status op_receipt(struct work *work, bt_str id);
/* Put the receipt of an entry in the form of tlog-proof. False when there is no such entry. */
bool receipt_put(struct work *work, bt_str id, struct bt_buf *buf);
BT_MUST_USE enum bt_status op_trace(struct work *work, bt_str trace_id);

struct inbox_ask {
    bt_str agent;
    uint64_t max;
    uint64_t lease_s;
};

BT_MUST_USE enum bt_status op_take(struct work *work, const struct inbox_ask *ask);
/* Say how deliveries from one inbox ended; agent and attempts_max are filled in. */
BT_MUST_USE enum bt_status op_finish(struct work *work, bt_str agent, struct bt_inbox_finish *items,
                                     size_t count);

BT_MUST_USE enum bt_status op_approvals(struct work *work, bt_str status);
BT_MUST_USE enum bt_status op_use(struct work *work, bt_str command, bt_str id, bt_str agent);

/* Where states of agents are kept: what was asked for, what is the caller's, or the usual. */
bt_str service_workspace(const struct work *work, bt_str asked);
bt_str service_session(const struct work *work, bt_str asked);

/* What the calls of gate.h work with. */
BT_MUST_USE enum bt_status service_gate(struct work *work, struct bt_gate *out);
/* Show, decide or use a request. False after answer_failed(). */
BT_MUST_USE bool service_approve(struct work *work, const struct bt_approval_wish *wish,
                                 struct bt_approval_answer *out);

#endif
