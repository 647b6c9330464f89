/* SPDX-License-Identifier: Apache-2.0 */
/* footprint.h - the files that a step reads and writes, according to its cells. */
#ifndef BATON_SRC_DIALECT_PLAN_FOOTPRINT_H
#define BATON_SRC_DIALECT_PLAN_FOOTPRINT_H

#include "dialect/plan/plan_check.h"

/* The path of one token: a run of the cell. */
struct bt_plan_footprint_path {
    bt_str text; /* normalised: segments joined by one slash, "" for the whole tree */
    bool is_write;
};

struct bt_plan_footprint {
    const char
        *alone; /* why the step must run alone: shared_state, dotdot, no_footprint; or NULL */
    const struct bt_plan_footprint_path *paths; /* reads before writes */
    size_t count;
};

/* Look at the cells of a step. */
BT_MUST_USE enum bt_status bt_plan_footprint_of(const struct bt_plan_check *plan, size_t step,
                                                struct bt_plan_footprint *out);

#endif
