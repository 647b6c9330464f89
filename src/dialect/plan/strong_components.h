/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strong_components.h - strongly connected sets of a graph: nodes that reach each other.
 */
#ifndef BATON_SRC_DIALECT_PLAN_STRONG_COMPONENTS_H
#define BATON_SRC_DIALECT_PLAN_STRONG_COMPONENTS_H

#include <baton/base.h>

/* The next node that an edge of `node` leads to, or SIZE_MAX after the last. *cursor is 0 at
 * first; only this callback changes it. */
typedef size_t bt_edge_fn(const void *context, size_t node, size_t *cursor);

/* Set out_sets[node], for each of `count` nodes, to a number that nodes share which reach each
 * other. Takes time linear in nodes and edges, and memory from the arena. */
BT_MUST_USE enum bt_status bt_plan_strong_components(struct bt_arena *arena, size_t count,
                                                     bt_edge_fn *edge, const void *context,
                                                     size_t *out_sets);

#endif
