/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_grants.h - the grant for a call of a wrapped MCP server, or the request for it. A grant is
 * found by the fingerprint of its payload, which names the call and the tool's definition exactly.
 */
#ifndef BATON_SRC_DECIDE_CALL_GRANTS_H
#define BATON_SRC_DECIDE_CALL_GRANTS_H

#include "decide/contract_state.h"

/* A call that needs a grant. */
struct bt_call_request {
    bt_str workspace;
    bt_str session;
    bt_str agent_id;
    bt_str payload;           /* canonical JSON */
    uint64_t pending_seconds; /* until the request expires; 0: one day */
    uint64_t pending_max;     /* requests of the agent that may wait */
};

enum bt_call_consent {
    BT_CALL_CONSENT_NONE = 0,
    BT_CALL_CONSENT_GRANTED,  /* the grant is used up: the call may be made now, once */
    BT_CALL_CONSENT_PENDING,  /* a person must decide */
    BT_CALL_CONSENT_DENIED,   /* a person denied it a short while ago */
    BT_CALL_CONSENT_TOO_MANY, /* so many requests wait that no other is made */
};

struct bt_call_grant {
    enum bt_call_consent consent;
    struct bt_approval approval; /* that was used, waits or was denied */
    uint64_t seq;                /* of the entry about the use */
};

/*
 * Use up the oldest active grant for this payload or, without one, find the request for it or make
 * it, in one transaction: of two processes that race for one grant exactly one gets it. Results as
 * in contract_state.h.
 */
BT_MUST_USE enum bt_status bt_call_grant_use(const struct bt_contract_state *state,
                                             const struct bt_call_request *request,
                                             struct bt_call_grant *out, struct bt_error *error);

#endif
