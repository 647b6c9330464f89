/* SPDX-License-Identifier: Apache-2.0 */
/* tool.h - the tool that an agent is about to use: a member of an event -> a call for the gate. */
#ifndef BATON_APP_HOOK_TOOL_H
#define BATON_APP_HOOK_TOOL_H

#include <baton/json.h>

#include "agent_host.h"
#include "decide/gate.h"

struct hook_tool {
    struct bt_gate_call call; /* its kind is 0 when another event of the agent host is judged */
    bt_str content;           /* what a person must grant, byte for byte */
    bt_str call_id;           /* of the agent host; "": none */
};

/* A tool and its input; the input may be NULL. */
struct hook_tool_input {
    bt_str name;
    const struct bt_json_doc *document;
    const bt_json_value *value;
};

/* Read the call of a tool. BT_ENOMEM: the arena reached its limit. */
BT_MUST_USE enum bt_status hook_tool_read(struct bt_arena *arena, const struct agent_host *host,
                                          const struct hook_tool_input *input,
                                          struct hook_tool *out);
/* The call that runs a shell command. */
struct hook_tool hook_tool_for_command(bt_str command);

/* True when the tool runs commands or writes files. */
bool hook_tool_is_risky(const struct hook_tool *tool);

#endif
