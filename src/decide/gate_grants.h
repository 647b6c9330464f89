/* SPDX-License-Identifier: Apache-2.0 */
/* gate_grants.h - the grant for a call that needs one, or the request for it. */
#ifndef BATON_SRC_DECIDE_GATE_GRANTS_H
#define BATON_SRC_DECIDE_GATE_GRANTS_H

#include "decide/contract_state.h"

/* A call that needs a grant. */
struct bt_gate_request {
    bt_str workspace;
    bt_str session;
    bt_str agent_id; /* "-": the main agent */
    bt_str call_id;  /* of the agent host; "": none */
    bt_str content;  /* the bytes that must be granted */
    bt_str tier;
    bt_str pattern; /* "": the text is not understood */
    bt_str risk;
    uint64_t pending_seconds; /* until the request expires; 0: one day */
};

struct bt_gate_grant {
    bool is_granted; /* the call may be made now */
    /* the request that was used up, or that a person must decide */
    struct bt_approval approval;
};

/*
 * Use up the oldest grant for exactly these bytes or, without one, make or find the request, in one
 * transaction. The same call of the same session passes again without another use. BT_EINVAL: the
 * content has no canonical form, so no request can be made.
 */
BT_MUST_USE enum bt_status bt_gate_grant_use(const struct bt_contract_state *state,
                                             const struct bt_gate_request *request,
                                             struct bt_gate_grant *out, struct bt_error *error);

#endif
