/* SPDX-License-Identifier: Apache-2.0 */
/* tool_gate.h - the gate's reply to the use of a tool, in words for the agent and for a person. */
#ifndef BATON_APP_HOOK_TOOL_GATE_H
#define BATON_APP_HOOK_TOOL_GATE_H

#include "hook.h"

struct hook_gate_reply {
    bool denies;
    bt_str reason;  /* for the agent */
    bt_str message; /* for a person */
};

/* Decide about the tool of an event. BT_ENOMEM: the arena reached its limit; deny the tool then. */
BT_MUST_USE enum bt_status hook_gate_decide(const struct hook *hook, const struct hook_event *event,
                                            struct bt_gate_verdict *out);
/*
 * Put a decision into words; where a grant is needed, it is looked up and used first. BT_ENOMEM:
 * the arena reached its limit; deny the tool then.
 */
BT_MUST_USE enum bt_status hook_gate_answer(const struct hook *hook, const struct hook_event *event,
                                            const struct bt_gate_verdict *verdict,
                                            struct hook_gate_reply *out);

/*
 * Put what a person needs to decide a request: its id, the agent, every command, operation and
 * risk, and the two commands that show and grant it.
 */
BT_MUST_USE enum bt_status hook_put_request(struct bt_buf *buf, const struct hook *hook,
                                            const struct bt_approval *approval);

#endif
