/* SPDX-License-Identifier: Apache-2.0 */
/*
 * organism_change.h - change the organism of a running pump: the differences, and how it takes
 * over.
 */
#ifndef BATON_SRC_PUMP_ORGANISM_CHANGE_H
#define BATON_SRC_PUMP_ORGANISM_CHANGE_H

#include "pump/pump_internal.h"

/* A generation that lives in an arena of its own. */
BT_MUST_USE enum bt_status bt_pump_generation_new(struct bt_pump_generation **out);
void bt_pump_generation_free(struct bt_pump_generation *generation);

/* What became of the listeners: their names, in the arena that was given. */
struct bt_pump_change_result {
    bt_str *added;
    bt_str *removed;
    bt_str *updated;
    bt_str *unchanged;
    size_t added_count;
    size_t removed_count;
    size_t updated_count;
    size_t unchanged_count;
};

/*
 * Let `organism`, that of the generation, be in force from now on. Hosts of listeners that are
 * unchanged stay; others are started, and old ones answer what they were asked. Listeners that are
 * gone finish what they have. All or nothing: on any status but BT_OK nothing has changed, and
 * `error` says why (BT_ELIMIT: there were too many listeners or clients).
 */
BT_MUST_USE enum bt_status bt_pump_swap_organism(struct bt_pump *pump, struct bt_arena *arena,
                                                 struct bt_pump_generation *generation,
                                                 struct bt_organism *organism,
                                                 struct bt_pump_change_result *out,
                                                 struct bt_error *error);

#endif
