/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shortest_path.c - the shortest path from agent to agent over candidates that may hand off to each
 * other.
 *
 * One breadth-first search backwards from the target gives every agent's distance; the path and its
 * first steps follow from that. It tests each pair at most once.
 */
#include "dialect/governed/boundary_pairs.h"

#define FAR SIZE_MAX

enum bt_status bt_governed_root_check_integrity(struct bt_governed_root *governed_root)
{
    for (size_t i = 0; i < governed_root->count && governed_root->lock.is_sound; i++) {
        BT_TRY(bt_governed_agent_check_integrity(governed_root, &governed_root->agents[i]));
    }
    return BT_OK;
}

bool bt_governed_agent_is_candidate(const struct bt_governed_agent *agent)
{
    return agent->lock_state.is_examined && agent->lock_state.faults == 0 && agent->problems == 0 &&
           !agent->is_blocked;
}

struct governed_route_search {
    const struct bt_governed_root *governed_root;
    size_t *distance; /* to the target */
    size_t *queue;
    size_t count;
};

static bool may_hand(const struct bt_governed_root *governed_root, size_t from, size_t to)
{
    return bt_governed_agent_is_candidate(&governed_root->agents[from]) &&
           bt_governed_check_pair(governed_root, from, to) == BT_PAIR_ALLOWED;
}

static void find_distances(struct governed_route_search *search, size_t target)
{
    const struct bt_governed_root *governed_root = search->governed_root;
    for (size_t i = 0; i < governed_root->count; i++) {
        search->distance[i] = FAR;
    }
    search->distance[target] = 0;
    search->queue[search->count++] = target;
    for (size_t done = 0; done < search->count; done++) {
        const size_t to = search->queue[done];
        for (size_t from = 0; from < governed_root->count; from++) {
            if (search->distance[from] == FAR && may_hand(governed_root, from, to)) {
                search->distance[from] = search->distance[to] + 1;
                search->queue[search->count++] = from;
            }
        }
    }
}

/* The first agent from `start` on that comes next on a shortest way, or BT_NO_AGENT. */
static size_t next_step(const struct governed_route_search *search, size_t at, size_t start)
{
    const struct bt_governed_root *governed_root = search->governed_root;
    for (size_t i = start; i < governed_root->count; i++) {
        if (search->distance[i] != FAR && search->distance[i] + 1 == search->distance[at] &&
            may_hand(governed_root, at, i)) {
            return i;
        }
    }
    return BT_NO_AGENT;
}

enum bt_status bt_governed_root_find_route(struct bt_governed_root *governed_root, size_t from,
                                           size_t to, struct bt_governed_route *out)
{
    *out = (struct bt_governed_route){0};
    BT_TRY(bt_governed_root_check_integrity(governed_root));
    if (!governed_root->has_lists || from == to ||
        !bt_governed_agent_is_candidate(&governed_root->agents[from]) ||
        !bt_governed_agent_is_candidate(&governed_root->agents[to])) {
        return BT_OK;
    }
    struct governed_route_search search = {
        .governed_root = governed_root,
        .distance = BT_NEW_ARRAY(governed_root->arena, size_t, governed_root->count),
        .queue = BT_NEW_ARRAY(governed_root->arena, size_t, governed_root->count),
    };
    out->path = BT_NEW_ARRAY(governed_root->arena, size_t, governed_root->count + 1);
    if (!search.distance || !search.queue || !out->path) {
        return BT_ENOMEM;
    }
    find_distances(&search, to);
    if (search.distance[from] == FAR) {
        return BT_OK;
    }
    for (size_t at = from; at != BT_NO_AGENT; at = next_step(&search, at, 0)) {
        out->path[out->count++] = at;
    }
    for (size_t i = next_step(&search, from, 0);
         i != BT_NO_AGENT && out->first_count < BT_SUGGESTIONS_MAX;
         i = next_step(&search, from, i + 1)) {
        out->first[out->first_count++] = i;
    }
    return BT_OK;
}
