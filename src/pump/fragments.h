/* SPDX-License-Identifier: Apache-2.0 */
/* fragments.h - split a handler's result into fragments, by what its organism allows. */
#ifndef BATON_SRC_PUMP_FRAGMENTS_H
#define BATON_SRC_PUMP_FRAGMENTS_H

#include "organism/organism.h"
#include "pump/fragment.h"

/* Whose result it is, and in which organism. */
struct bt_pump_fragment_reader {
    struct bt_env *env;
    const struct bt_organism *organism;
    const struct bt_organism *now; /* the one in force: a called listener must be in both */
    const struct bt_organism_listener *emitter;
};

/*
 * Take a result apart and judge each fragment. Everything lives in the arena, `bytes` must outlive
 * it. BT_ENOMEM is the only failure.
 */
BT_MUST_USE enum bt_status bt_pump_fragments_read(const struct bt_pump_fragment_reader *reader,
                                                  struct bt_arena *arena, bt_str bytes,
                                                  struct bt_pump_fragments *out);

/* The numbers of the listeners that a target stands for: itself, or the members of a group but for
 * `but` (UINT32_MAX: none is left out). */
BT_MUST_USE enum bt_status bt_pump_target_numbers(const struct bt_organism *organism,
                                                  struct bt_arena *arena, bt_str name, uint32_t but,
                                                  const uint32_t **out, size_t *out_count);

#endif
