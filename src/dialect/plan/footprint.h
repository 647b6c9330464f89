/* SPDX-License-Identifier: Apache-2.0 */
/*
 * footprint.h - the files that a step reads and writes, and placed footprints as a tree of path
 * segments: which placed step that conflicts with a path has the highest wave?
 *
 * A path conflicts with itself, the folders above it and everything below it. So a query reads the
 * nodes from the root to the path, and a summary of everything below; its time depends on the
 * number of segments, not on the number of placed paths.
 */
#ifndef BATON_SRC_DIALECT_PLAN_FOOTPRINT_H
#define BATON_SRC_DIALECT_PLAN_FOOTPRINT_H

#include <baton/base.h>

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

/* ---- Placed footprints ----------------------------------------------------------------------- */

/* A placed step; wave 0 is none. */
struct bt_plan_placed_step {
    size_t wave;
    size_t step;
};

/* The one that comes first: the highest wave, then the lowest step. */
struct bt_plan_placed_step bt_plan_placed_step_first(struct bt_plan_placed_step a,
                                                     struct bt_plan_placed_step b);

struct bt_plan_path_tree;

/* An empty tree in the arena. `seed` is that of bt_env. NULL when the arena is exhausted. */
BT_MUST_USE struct bt_plan_path_tree *bt_plan_path_tree_new(struct bt_arena *arena,
                                                            const uint64_t seed[2]);
/* Add that a placed step reads or writes `path`, which is normalised. */
BT_MUST_USE enum bt_status bt_plan_path_tree_add(struct bt_plan_path_tree *tree, bt_str path,
                                                 bool is_write, struct bt_plan_placed_step placed);
/* The first of the placed steps with which a step that reads or writes `path` conflicts. */
struct bt_plan_placed_step bt_plan_path_tree_conflict(struct bt_plan_path_tree *tree, bt_str path,
                                                      bool is_write);
/* Nodes visited so far by queries and additions, for tests of growth. */
uint64_t bt_plan_path_tree_work(const struct bt_plan_path_tree *tree);

#endif
