/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schedule.c - lanes, the threads that wait in them, and whose turn it is.
 */
#include "pump/schedule.h"

#include <assert.h>
#include <stddef.h>

/* ---- What waits ------------------------------------------------------------------------------ */

static bool has_waiting(const struct bt_lane *lane)
{
    return lane->repeats || lane->ring.root;
}

/* A lane is listed exactly while something waits in it. */
static void list(struct bt_schedule *schedule, struct bt_lane *lane)
{
    if (lane->is_listed == has_waiting(lane)) {
        return;
    }
    lane->is_listed = !lane->is_listed;
    if (lane->is_listed) {
        lane->before = NULL;
        lane->after = schedule->lanes;
        if (schedule->lanes) {
            schedule->lanes->before = lane;
        }
        schedule->lanes = lane;
        return;
    }
    if (lane->before) {
        lane->before->after = lane->after;
    } else {
        schedule->lanes = lane->after;
    }
    if (lane->after) {
        lane->after->before = lane->before;
    }
}

/* A thread stands in the ring of its lane, at its first message, exactly while it could be called.
 */
static void ring(struct bt_schedule *schedule, struct bt_strand *strand)
{
    struct bt_lane *lane = strand->lane;
    const struct bt_ring_node *top = bt_ring_first(&strand->waiting);
    const bool is_free = !lane->is_serial || strand->in_flight == 0;
    if (strand->is_ringed && top && is_free && strand->node.key.part[1] == top->key.part[0] &&
        strand->node.key.part[2] == top->key.part[1]) {
        return; /* it stands there */
    }
    if (strand->is_ringed) {
        bt_ring_remove(&lane->ring, &strand->node);
        strand->is_ringed = false;
    }
    if (top && is_free) {
        strand->node.key = (struct bt_ring_key){{strand->root, top->key.part[0], top->key.part[1]}};
        bt_ring_add(&lane->ring, &strand->node);
        strand->is_ringed = true;
    }
    list(schedule, lane);
}

void bt_schedule_add(struct bt_schedule *schedule, struct bt_slot *slot, uint64_t result,
                     uint64_t index)
{
    assert(slot->state == BT_SLOT_FREE);
    assert(slot->strand->lane);
    slot->node.key =
        (struct bt_ring_key){{schedule->depth_first ? UINT64_MAX - result : result, index, 0}};
    slot->state = BT_SLOT_WAITING;
    slot->is_repeat = false;
    bt_ring_add(&slot->strand->waiting, &slot->node);
    if (bt_ring_first(&slot->strand->waiting) == &slot->node) {
        ring(schedule, slot->strand);
    }
}

void bt_schedule_repeat(struct bt_schedule *schedule, struct bt_slot *slot)
{
    assert(slot->state == BT_SLOT_FREE);
    struct bt_lane *lane = slot->strand->lane;
    struct bt_slot **last = &lane->repeats;
    while (*last) {
        last = &(*last)->next;
    }
    slot->next = NULL;
    slot->state = BT_SLOT_REPEAT;
    *last = slot;
    list(schedule, lane);
}

void bt_schedule_drop(struct bt_schedule *schedule, struct bt_slot *slot)
{
    struct bt_strand *strand = slot->strand;
    assert(slot->state == BT_SLOT_WAITING || slot->state == BT_SLOT_REPEAT);
    if (slot->state == BT_SLOT_WAITING) {
        const bool was_top = bt_ring_first(&strand->waiting) == &slot->node;
        bt_ring_remove(&strand->waiting, &slot->node);
        if (was_top) {
            ring(schedule, strand);
        }
    } else {
        struct bt_slot **at = &strand->lane->repeats;
        while (*at != slot) {
            at = &(*at)->next;
        }
        *at = slot->next;
        list(schedule, strand->lane);
    }
    slot->state = BT_SLOT_FREE;
}

/* ---- Whose turn it is ------------------------------------------------------------------------ */

/* The best message of a lane; NULL: none of it can be called now. */
static struct bt_slot *best_of(const struct bt_schedule *schedule, const struct bt_lane *lane)
{
    if (!lane->is_open || lane->in_flight >= lane->max || lane->is_repeating) {
        return NULL;
    }
    if (lane->repeats) {
        return lane->in_flight == 0 ? lane->repeats : NULL; /* alone */
    }
    struct bt_ring_node *node =
        schedule->depth_first ? NULL : bt_ring_behind(&lane->ring, schedule->turn);
    node = node ? node : bt_ring_first(&lane->ring);
    return node ? BT_WITHIN(struct bt_slot, node,
                            bt_ring_first(&BT_WITHIN(struct bt_strand, node, node)->waiting))
                : NULL;
}

/* Whether `a` is called before `b`. */
static bool goes_first(const struct bt_schedule *schedule, const struct bt_slot *a,
                       const struct bt_slot *b)
{
    const uint64_t left = a->strand->root;
    const uint64_t right = b->strand->root;
    if (left == right) {
        return bt_ring_precedes(&a->node.key, &b->node.key);
    }
    const bool is_left_behind = !schedule->depth_first && left > schedule->turn;
    const bool is_right_behind = !schedule->depth_first && right > schedule->turn;
    return is_left_behind != is_right_behind ? is_left_behind : left < right;
}

static void begin(struct bt_schedule *schedule, struct bt_slot *slot)
{
    struct bt_strand *strand = slot->strand;
    slot->is_repeat = slot->state == BT_SLOT_REPEAT;
    bt_schedule_drop(schedule, slot);
    slot->state = BT_SLOT_IN_FLIGHT;
    strand->lane->is_repeating = slot->is_repeat;
    strand->lane->in_flight++;
    strand->in_flight++;
    schedule->in_flight++;
    schedule->turn = strand->root;
    ring(schedule, strand);
}

struct bt_slot *bt_schedule_next(struct bt_schedule *schedule)
{
    assert(schedule);
    if (schedule->in_flight >= schedule->max) {
        return NULL;
    }
    struct bt_slot *best = NULL;
    for (const struct bt_lane *lane = schedule->lanes; lane; lane = lane->after) {
        struct bt_slot *slot = best_of(schedule, lane);
        if (slot && (!best || goes_first(schedule, slot, best))) {
            best = slot;
        }
    }
    if (best) {
        begin(schedule, best);
    }
    return best;
}

void bt_schedule_done(struct bt_schedule *schedule, struct bt_slot *slot)
{
    assert(slot->state == BT_SLOT_IN_FLIGHT);
    struct bt_strand *strand = slot->strand;
    slot->state = BT_SLOT_FREE;
    strand->lane->in_flight--;
    strand->in_flight--;
    schedule->in_flight--;
    if (slot->is_repeat) {
        strand->lane->is_repeating = false;
    }
    ring(schedule, strand);
}
