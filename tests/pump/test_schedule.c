/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_schedule.c - the schedule against a model that looks at every message each time.
 */
#include <stdlib.h>

#include "pump/schedule.h"
#include "test.h"

enum { LANES = 3, ROOTS = 5, STRANDS = LANES * ROOTS * 2, SLOTS = 200, STEPS = 4000, SEEDS = 60 };

struct world {
    struct bt_pump_schedule schedule;
    struct bt_pump_schedule_listener lanes[LANES];
    struct bt_pump_schedule_thread strands[STRANDS];
    struct bt_pump_schedule_slot slots[SLOTS];
    uint64_t repeat_order[SLOTS]; /* 0: it is not to be repeated */
    uint64_t repeats;
    uint64_t results;
    uint64_t rng;
};

static uint64_t draw(struct world *world, uint64_t below)
{
    world->rng = world->rng * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (world->rng >> 33) % below;
}

static void begin(struct world *world, uint64_t seed)
{
    *world = (struct world){.rng = seed};
    world->schedule.depth_first = seed % 2 == 0;
    world->schedule.max = 1 + draw(world, 6);
    for (size_t i = 0; i < LANES; i++) {
        world->lanes[i].max = 1 + draw(world, 3);
        world->lanes[i].is_serial = draw(world, 2) == 0;
        world->lanes[i].is_open = true;
    }
    for (size_t i = 0; i < STRANDS; i++) {
        world->strands[i].lane = &world->lanes[i % LANES];
        world->strands[i].root = 1 + i / LANES % ROOTS;
    }
}

/* ---- The model ------------------------------------------------------------------------------- */

static bool lane_has(const struct world *world, const struct bt_pump_schedule_listener *lane,
                     enum bt_pump_schedule_slot_state state)
{
    for (size_t i = 0; i < SLOTS; i++) {
        if (world->slots[i].state == state && world->slots[i].thread->lane == lane &&
            (state != BT_PUMP_SLOT_IN_FLIGHT || world->slots[i].is_repeat)) {
            return true;
        }
    }
    return false;
}

static bool is_ready(const struct world *world, const struct bt_pump_schedule_slot *slot)
{
    const struct bt_pump_schedule_listener *lane = slot->thread->lane;
    if (!lane->is_open || lane->in_flight >= lane->max ||
        lane_has(world, lane, BT_PUMP_SLOT_IN_FLIGHT)) {
        return false;
    }
    if (slot->state == BT_PUMP_SLOT_REPEAT) {
        const size_t own = (size_t)(slot - world->slots);
        for (size_t i = 0; i < SLOTS; i++) {
            if (world->slots[i].state == BT_PUMP_SLOT_REPEAT &&
                world->slots[i].thread->lane == lane &&
                world->repeat_order[i] < world->repeat_order[own]) {
                return false;
            }
        }
        return lane->in_flight == 0;
    }
    return slot->state == BT_PUMP_SLOT_WAITING && !lane_has(world, lane, BT_PUMP_SLOT_REPEAT) &&
           (!lane->is_serial || slot->thread->in_flight == 0);
}

/* How many roots come before that of the slot. */
static uint64_t distance(const struct world *world, const struct bt_pump_schedule_slot *slot)
{
    const uint64_t root = slot->thread->root;
    if (world->schedule.depth_first) {
        return root;
    }
    return root > world->schedule.turn ? root - world->schedule.turn
                                       : root + ROOTS - world->schedule.turn;
}

static const struct bt_pump_schedule_slot *expected(const struct world *world)
{
    const struct bt_pump_schedule_slot *best = NULL;
    if (world->schedule.in_flight >= world->schedule.max) {
        return NULL;
    }
    for (size_t i = 0; i < SLOTS; i++) {
        const struct bt_pump_schedule_slot *slot = &world->slots[i];
        if (slot->state == BT_PUMP_SLOT_FREE || slot->state == BT_PUMP_SLOT_IN_FLIGHT ||
            !is_ready(world, slot)) {
            continue;
        }
        if (!best || distance(world, slot) < distance(world, best) ||
            (distance(world, slot) == distance(world, best) &&
             bt_treap_precedes(&slot->node.key, &best->node.key))) {
            best = slot;
        }
    }
    return best;
}

/* ---- Claims ---------------------------------------------------------------------------------- */

static struct bt_pump_schedule_slot *any(struct world *world,
                                         enum bt_pump_schedule_slot_state state)
{
    const size_t from = draw(world, SLOTS);
    for (size_t i = 0; i < SLOTS; i++) {
        struct bt_pump_schedule_slot *slot = &world->slots[(from + i) % SLOTS];
        if (slot->state == state) {
            return slot;
        }
    }
    return NULL;
}

static void end_call(struct world *world, struct bt_pump_schedule_slot *slot)
{
    bt_pump_schedule_done(&world->schedule, slot);
    if (draw(world, 4) == 0) {
        world->repeat_order[slot - world->slots] = ++world->repeats;
        bt_pump_schedule_repeat(&world->schedule, slot);
    }
}

static void queue_result(struct world *world)
{
    const uint64_t fragments = 1 + draw(world, 3);
    world->results++;
    for (uint64_t i = 0; i < fragments; i++) {
        struct bt_pump_schedule_slot *slot = any(world, BT_PUMP_SLOT_FREE);
        if (slot) {
            slot->thread = &world->strands[draw(world, STRANDS)];
            bt_pump_schedule_add(&world->schedule, slot, world->results, i);
        }
    }
}

static size_t step(struct world *world)
{
    struct bt_pump_schedule_slot *slot = NULL;
    size_t called = 0;
    switch (draw(world, 6)) {
    case 0:
    case 1:
        queue_result(world);
        break;
    case 2:
        slot = any(world, draw(world, 4) == 0 ? BT_PUMP_SLOT_REPEAT : BT_PUMP_SLOT_WAITING);
        if (slot && draw(world, 3) == 0) {
            bt_pump_schedule_drop(&world->schedule, slot);
        }
        break;
    case 3:
        world->lanes[draw(world, LANES)].is_open = draw(world, 4) != 0;
        break;
    case 4:
        slot = any(world, BT_PUMP_SLOT_IN_FLIGHT);
        if (slot) {
            end_call(world, slot);
        }
        break;
    default: {
        const struct bt_pump_schedule_slot *best = expected(world);
        slot = bt_pump_schedule_next(&world->schedule);
        assert_ptr_equal(slot, best);
        called += slot != NULL;
    }
    }
    return called;
}

static void the_next_call_is_the_one_that_looking_at_all_finds(void **state)
{
    (void)state;
    struct world *world = malloc(sizeof(*world));
    size_t called = 0;
    assert_non_null(world);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        begin(world, seed);
        for (size_t i = 0; i < STEPS; i++) {
            called += step(world);
        }
    }
    free(world);
    assert_true(called > (size_t)SEEDS * STEPS / 50);
}

static void a_busy_root_does_not_starve_another(void **state)
{
    (void)state;
    struct bt_pump_schedule schedule = {.max = 1};
    struct bt_pump_schedule_listener lane = {.max = 1, .is_open = true};
    struct bt_pump_schedule_thread busy = {.lane = &lane, .root = 1};
    struct bt_pump_schedule_thread quiet = {.lane = &lane, .root = 2};
    struct bt_pump_schedule_slot many[10] = {0};
    struct bt_pump_schedule_slot one = {.thread = &quiet};
    for (uint64_t i = 0; i < COUNT_OF(many); i++) {
        many[i].thread = &busy;
        bt_pump_schedule_add(&schedule, &many[i], i, 0);
    }
    bt_pump_schedule_add(&schedule, &one, COUNT_OF(many), 0);
    assert_ptr_equal(bt_pump_schedule_next(&schedule), &many[0]);
    assert_null(bt_pump_schedule_next(&schedule));
    bt_pump_schedule_done(&schedule, &many[0]);
    assert_ptr_equal(bt_pump_schedule_next(&schedule), &one);
    bt_pump_schedule_done(&schedule, &one);
    assert_ptr_equal(bt_pump_schedule_next(&schedule), &many[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_call_is_the_one_that_looking_at_all_finds),
        cmocka_unit_test(a_busy_root_does_not_starve_another),
    };
    return RUN_TESTS(tests);
}
