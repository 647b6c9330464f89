/* SPDX-License-Identifier: Apache-2.0 */
/* schedule.c - lanes, the threads that wait in them, and the order in which they run. */
#include "pump/schedule.h"

#include <assert.h>
#include <stddef.h>

static bool has_waiting(const struct bt_pump_schedule_listener *lane)
{
    return lane->repeats || lane->ring.root;
}

/* A lane is listed exactly while something waits in it. */
static void update_lane_list(struct bt_pump_schedule *schedule,
                             struct bt_pump_schedule_listener *lane)
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
static void update_lane_queue(struct bt_pump_schedule *schedule,
                              struct bt_pump_schedule_thread *thread)
{
    struct bt_pump_schedule_listener *lane = thread->lane;
    const struct bt_treap_node *top = bt_treap_first(&thread->waiting);
    const bool is_free = !lane->is_serial || thread->in_flight == 0;
    if (thread->is_queued && top && is_free && thread->node.key.part[1] == top->key.part[0] &&
        thread->node.key.part[2] == top->key.part[1]) {
        return; /* it is listed already */
    }
    if (thread->is_queued) {
        bt_treap_remove(&lane->ring, &thread->node);
        thread->is_queued = false;
    }
    if (top && is_free) {
        thread->node.key =
            (struct bt_treap_key){{thread->root, top->key.part[0], top->key.part[1]}};
        bt_treap_add(&lane->ring, &thread->node);
        thread->is_queued = true;
    }
    update_lane_list(schedule, lane);
}

void bt_pump_schedule_add(struct bt_pump_schedule *schedule, struct bt_pump_schedule_slot *slot,
                          uint64_t result, uint64_t index)
{
    assert(slot->state == BT_PUMP_SLOT_FREE);
    assert(slot->thread->lane);
    slot->node.key =
        (struct bt_treap_key){{schedule->depth_first ? UINT64_MAX - result : result, index, 0}};
    slot->state = BT_PUMP_SLOT_WAITING;
    slot->is_repeat = false;
    bt_treap_add(&slot->thread->waiting, &slot->node);
    if (bt_treap_first(&slot->thread->waiting) == &slot->node) {
        update_lane_queue(schedule, slot->thread);
    }
}

void bt_pump_schedule_repeat(struct bt_pump_schedule *schedule, struct bt_pump_schedule_slot *slot)
{
    assert(slot->state == BT_PUMP_SLOT_FREE);
    struct bt_pump_schedule_listener *lane = slot->thread->lane;
    struct bt_pump_schedule_slot **last = &lane->repeats;
    while (*last) {
        last = &(*last)->next;
    }
    slot->next = NULL;
    slot->state = BT_PUMP_SLOT_REPEAT;
    *last = slot;
    update_lane_list(schedule, lane);
}

void bt_pump_schedule_drop(struct bt_pump_schedule *schedule, struct bt_pump_schedule_slot *slot)
{
    struct bt_pump_schedule_thread *thread = slot->thread;
    assert(slot->state == BT_PUMP_SLOT_WAITING || slot->state == BT_PUMP_SLOT_REPEAT);
    if (slot->state == BT_PUMP_SLOT_WAITING) {
        const bool was_top = bt_treap_first(&thread->waiting) == &slot->node;
        bt_treap_remove(&thread->waiting, &slot->node);
        if (was_top) {
            update_lane_queue(schedule, thread);
        }
    } else {
        struct bt_pump_schedule_slot **at = &thread->lane->repeats;
        while (*at != slot) {
            at = &(*at)->next;
        }
        *at = slot->next;
        update_lane_list(schedule, thread->lane);
    }
    slot->state = BT_PUMP_SLOT_FREE;
}

/* The best message of a lane; NULL: none of it can be called now. */
static struct bt_pump_schedule_slot *best_of(const struct bt_pump_schedule *schedule,
                                             const struct bt_pump_schedule_listener *lane)
{
    if (!lane->is_open || lane->in_flight >= lane->max || lane->is_repeating) {
        return NULL;
    }
    if (lane->repeats) {
        return lane->in_flight == 0 ? lane->repeats : NULL; /* repeated calls run alone */
    }
    struct bt_treap_node *node =
        schedule->depth_first ? NULL : bt_treap_find_after(&lane->ring, schedule->turn);
    node = node ? node : bt_treap_first(&lane->ring);
    return node ? BT_WITHIN(struct bt_pump_schedule_slot, node,
                            bt_treap_first(
                                &BT_WITHIN(struct bt_pump_schedule_thread, node, node)->waiting))
                : NULL;
}

/* True when `a` is called before `b`. */
static bool goes_first(const struct bt_pump_schedule *schedule,
                       const struct bt_pump_schedule_slot *a, const struct bt_pump_schedule_slot *b)
{
    const uint64_t left = a->thread->root;
    const uint64_t right = b->thread->root;
    if (left == right) {
        return bt_treap_precedes(&a->node.key, &b->node.key);
    }
    const bool is_left_behind = !schedule->depth_first && left > schedule->turn;
    const bool is_right_behind = !schedule->depth_first && right > schedule->turn;
    return is_left_behind != is_right_behind ? is_left_behind : left < right;
}

static void mark_in_flight(struct bt_pump_schedule *schedule, struct bt_pump_schedule_slot *slot)
{
    struct bt_pump_schedule_thread *thread = slot->thread;
    slot->is_repeat = slot->state == BT_PUMP_SLOT_REPEAT;
    bt_pump_schedule_drop(schedule, slot);
    slot->state = BT_PUMP_SLOT_IN_FLIGHT;
    thread->lane->is_repeating = slot->is_repeat;
    thread->lane->in_flight++;
    thread->in_flight++;
    schedule->in_flight++;
    schedule->turn = thread->root;
    update_lane_queue(schedule, thread);
}

struct bt_pump_schedule_slot *bt_pump_schedule_next(struct bt_pump_schedule *schedule)
{
    assert(schedule);
    if (schedule->in_flight >= schedule->max) {
        return NULL;
    }
    struct bt_pump_schedule_slot *best = NULL;
    for (const struct bt_pump_schedule_listener *lane = schedule->lanes; lane; lane = lane->after) {
        struct bt_pump_schedule_slot *slot = best_of(schedule, lane);
        if (slot && (!best || goes_first(schedule, slot, best))) {
            best = slot;
        }
    }
    if (best) {
        mark_in_flight(schedule, best);
    }
    return best;
}

void bt_pump_schedule_done(struct bt_pump_schedule *schedule, struct bt_pump_schedule_slot *slot)
{
    assert(slot->state == BT_PUMP_SLOT_IN_FLIGHT);
    struct bt_pump_schedule_thread *thread = slot->thread;
    slot->state = BT_PUMP_SLOT_FREE;
    thread->lane->in_flight--;
    thread->in_flight--;
    schedule->in_flight--;
    if (slot->is_repeat) {
        thread->lane->is_repeating = false;
    }
    update_lane_queue(schedule, thread);
}
