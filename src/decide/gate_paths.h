/* SPDX-License-Identifier: Apache-2.0 */
/* gate_paths.h - which paths belong to the gate. */
#ifndef BATON_SRC_DECIDE_GATE_PATHS_H
#define BATON_SRC_DECIDE_GATE_PATHS_H

#include "decide/gate.h"

/* The protected paths as absolute patterns. */
struct bt_gate_paths {
    struct bt_arena *arena;
    const struct bt_gate_place *place;
    struct bt_str_list patterns; /* by name, and with links resolved */
    bt_str *made;                /* the items of that list */
};

BT_MUST_USE enum bt_status bt_gate_paths_init(struct bt_gate_paths *paths, struct bt_arena *arena,
                                              const struct bt_gate_rules *rules,
                                              const struct bt_gate_place *place);

/* How a path is compared. */
struct bt_gate_path_use {
    bool is_pattern; /* `*` stands for characters of a name */
    bool removes;    /* the folders above a protected path count too */
    bool by_name;    /* links are not followed */
};

/* Set *out when the path, as a call has it, is protected. */
BT_MUST_USE enum bt_status bt_gate_path_is_protected(const struct bt_gate_paths *paths, bt_str path,
                                                     struct bt_gate_path_use use, bool *out);

#endif
