/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate.h - the command gate: may an agent use a tool now, and what must a person grant first?
 *
 * The decision is pure: it reads the call, the rules and, for links, the file system, and stores
 * nothing. It never answers "allow": a pass leaves the permissions of the agent host in force.
 */
#ifndef BATON_SRC_DECIDE_GATE_H
#define BATON_SRC_DECIDE_GATE_H

#include "config/config.h"
#include "shell/shell.h"

/* ---- Rules ----------------------------------------------------------------------------------- */

struct bt_gate_rules {
    const struct bt_config_tier *tiers; /* in the order in which they are tried */
    size_t tier_count;
    /* paths below the project directory; `*` within a part, a last part `**` for all below */
    struct bt_str_list protect;
};

/* The rules of a configuration, with the built-in tier unless it is switched off. */
BT_MUST_USE enum bt_status bt_gate_rules_read(struct bt_arena *arena,
                                              const struct bt_config *config,
                                              struct bt_gate_rules *out);

/* ---- Places ---------------------------------------------------------------------------------- */

/* Where the paths of a call start, and what belongs to the gate. */
struct bt_gate_place {
    bt_str project; /* absolute */
    bt_str folder;  /* where relative paths of the call start, absolute */
    bt_str home;    /* of the user, absolute; "": unknown */
    /* of the gate: absolute, or below `project`; patterns like those of bt_gate_rules */
    struct bt_str_list files;
    bool is_remote; /* the paths are of another machine: links are not followed */
};

/* ---- Decision -------------------------------------------------------------------------------- */

/* What a tool does with its input. Zero is not a kind. */
enum bt_gate_tool {
    BT_GATE_TOOL_OTHER = 1,
    BT_GATE_TOOL_SHELL,   /* runs `text` */
    BT_GATE_TOOL_UNKNOWN, /* runs something that is not understood; `text` is its input */
    BT_GATE_TOOL_FILE,    /* writes `paths` */
};

struct bt_gate_call {
    enum bt_gate_tool kind;
    bt_str tool; /* its name; "": the agent host tells none */
    bt_str text; /* of a shell tool: the command */
    struct bt_str_list paths;
};

/* Zero is not a decision. */
enum bt_gate_decision {
    BT_GATE_PASS = 1,
    BT_GATE_NEEDS_APPROVAL,
    BT_GATE_DENIED, /* no grant exists for it */
};

struct bt_gate_verdict {
    enum bt_gate_decision decision;
    bt_str code; /* of the rule; "": pass */
    const struct bt_config_tier *tier;
    bt_str pattern; /* of the tier; "": the text is not understood, and mentions one */
    bt_str about;   /* what is denied: the path, or the pattern of the command */
    struct bt_shell_text read;
};

/*
 * Decide about a call: the gate itself first, then protected paths, then the tiers. BT_ENOMEM: the
 * arena reached its limit, and then the call must not be made.
 */
BT_MUST_USE enum bt_status bt_gate_decide(struct bt_arena *arena, const struct bt_gate_rules *rules,
                                          const struct bt_gate_place *place,
                                          const struct bt_gate_call *call,
                                          struct bt_gate_verdict *out);

#endif
