/* SPDX-License-Identifier: Apache-2.0 */
/* protected.h - the files that belong to the gate: those that configure it, and its store. */
#ifndef BATON_APP_HOOK_PROTECTED_H
#define BATON_APP_HOOK_PROTECTED_H

#include "agent_host.h"
#include "decide/gate.h"

#define HOOK_SKILL_NAME "baton-contract"

/* What is known about the files of a hook. Absent paths are "". */
struct hook_protected_options {
    bt_str home;        /* of the user */
    bt_str user_config; /* the user's configuration directory */
    bt_str store;       /* a path or URL; relative ones start at `here` */
    bt_str pin;         /* the pinned configuration; relative ones start at `here` */
    bt_str here;        /* where relative paths of flags start, absolute */
};

/* The patterns for struct bt_gate_place. BT_ENOMEM: the arena reached its limit. */
BT_MUST_USE enum bt_status hook_protected_files(struct bt_arena *arena,
                                                const struct agent_host *host,
                                                const struct hook_protected_options *options,
                                                struct bt_str_list *out);

#endif
