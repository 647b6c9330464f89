/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strong_components.c - strongly connected sets by Tarjan's algorithm, with a stack of our own.
 */
#include "dialect/plan/strong_components.h"

#include "base/arena.h"
#include "base/error.h"

#define NONE SIZE_MAX

struct plan_strong_tarjan {
    size_t *order;   /* when a node was first seen, from 1; 0: not yet */
    size_t *low;     /* the earliest node that can be reached and has no set yet */
    size_t *cursors; /* how far its edges were followed */
    size_t *path;    /* nodes that are being followed */
    size_t *open;    /* nodes that have no set yet */
    size_t *sets;
    size_t path_count;
    size_t open_count;
    size_t seen;
};

static void enter_node(struct plan_strong_tarjan *work, size_t node)
{
    work->order[node] = ++work->seen;
    work->low[node] = work->seen;
    work->path[work->path_count++] = node;
    work->open[work->open_count++] = node;
}

/* All edges of `node` were followed: hand its reach on, and close its set if it is the first. */
static void leave_node(struct plan_strong_tarjan *work, size_t node)
{
    work->path_count--;
    if (work->path_count > 0) {
        const size_t above = work->path[work->path_count - 1];
        work->low[above] = work->low[node] < work->low[above] ? work->low[node] : work->low[above];
    }
    if (work->low[node] != work->order[node]) {
        return;
    }
    size_t member = NONE;
    do {
        member = work->open[--work->open_count];
        work->sets[member] = node;
    } while (member != node);
}

static void follow_edges(struct plan_strong_tarjan *work, size_t start, bt_edge_fn *edge,
                         const void *context)
{
    enter_node(work, start);
    while (work->path_count > 0) {
        const size_t node = work->path[work->path_count - 1];
        const size_t to = edge(context, node, &work->cursors[node]);
        if (to == NONE) {
            leave_node(work, node);
        } else if (work->order[to] == 0) {
            enter_node(work, to);
        } else if (work->sets[to] == NONE && work->order[to] < work->low[node]) {
            work->low[node] = work->order[to];
        }
    }
}

enum bt_status bt_plan_strong_components(struct bt_arena *arena, size_t count, bt_edge_fn *edge,
                                         const void *context, size_t *out_sets)
{
    struct plan_strong_tarjan work = {.order = BT_NEW_ARRAY(arena, size_t, count + 1),
                                      .low = BT_NEW_ARRAY(arena, size_t, count + 1),
                                      .cursors = BT_NEW_ARRAY(arena, size_t, count + 1),
                                      .path = BT_NEW_ARRAY(arena, size_t, count + 1),
                                      .open = BT_NEW_ARRAY(arena, size_t, count + 1),
                                      .sets = out_sets};
    BT_TRY(work.order && work.low && work.cursors && work.path && work.open ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        out_sets[i] = NONE;
    }
    for (size_t i = 0; i < count; i++) {
        if (work.order[i] == 0) {
            follow_edges(&work, i, edge, context);
        }
    }
    return BT_OK;
}
