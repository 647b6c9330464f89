/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listener_slots.c - listeners and clients by number. A number stays valid when the organism
 * changes.
 */
#include <assert.h>

#include "pump/pump_internal.h"

enum { HELD_BYTES_MAX = 16 << 20 /* of payloads that wait */, GATEWAY_CALLS_MAX = 64 };

enum bt_status bt_pump_new_number(struct bt_pump *pump, bt_str name, uint32_t *out)
{
    struct bt_pump_core *core = &pump->core;
    *out = bt_pump_core_find_listener(core, name);
    if (*out != BT_NOBODY) {
        return BT_OK;
    }
    if (core->listeners_count == core->listeners_max) {
        return BT_ELIMIT;
    }
    struct bt_pump_core_listener *listener = &core->listeners[core->listeners_count];
    *listener = (struct bt_pump_core_listener){.next_call = 1};
    BT_TRY(bt_arena_copy(&pump->memory, name, &listener->name));
    bt_buf_init(&pump->hosting.slots[core->listeners_count].hello, SIZE_MAX);
    *out = core->listeners_count++;
    return BT_OK;
}

void bt_pump_set_listener(struct bt_pump *pump, const struct bt_organism_listener *listener,
                          struct bt_pump_generation *under)
{
    assert(listener->number < pump->core.listeners_count);
    struct bt_pump_core_listener *known = &pump->core.listeners[listener->number];
    struct bt_pump_slot *slot = &pump->hosting.slots[listener->number];
    known->lane.max = listener->limits.max_concurrent;
    known->lane.is_serial = listener->is_serial;
    known->is_agent = listener->is_agent;
    known->diagnostics_go_to_emitter = listener->diagnostics_go_to_emitter;
    slot->listener = listener;
    slot->generation = under;
    slot->is_gone = false;
}

void bt_pump_set_gateway(struct bt_pump *pump, const struct bt_organism_gateway *gateway,
                         struct bt_pump_generation *under)
{
    pump->core.listeners[gateway->number].lane.max = GATEWAY_CALLS_MAX;
    pump->hosting.slots[gateway->number].gateway = gateway;
    pump->hosting.slots[gateway->number].generation = under;
}

static enum bt_status add_client(struct bt_pump *pump, bt_str name)
{
    struct bt_pump_core *core = &pump->core;
    if (bt_pump_core_find_client(core, name) != BT_NOBODY) {
        return BT_OK;
    }
    if (core->clients_count == core->clients_max) {
        return BT_ELIMIT;
    }
    struct bt_pump_core_client *client = &core->clients[core->clients_count];
    *client = (struct bt_pump_core_client){.next_delivery = 1};
    BT_TRY(bt_arena_copy(&pump->memory, name, &client->name));
    core->clients_count++;
    return BT_OK;
}

enum bt_status bt_pump_set_organism(struct bt_pump *pump)
{
    const struct bt_organism *organism = pump->organism;
    const struct bt_organism_limits *limits = &organism->limits;
    for (size_t i = 0; i < organism->clients_count; i++) {
        BT_TRY(add_client(pump, organism->clients[i].name));
    }
    pump->core.schedule.depth_first = organism->depth_first;
    pump->core.schedule.max = limits->max_concurrent_handlers;
    pump->core.limits = (struct bt_pump_core_limits){.depth = limits->depth,
                                                     .self_iterations = limits->self_iterations,
                                                     .queue = limits->queue,
                                                     .attempts = limits->attempts,
                                                     .tokens = limits->max_tokens_per_thread,
                                                     .idle_ms = limits->thread_idle_s * 1000,
                                                     .held = HELD_BYTES_MAX};
    return BT_OK;
}

enum bt_status bt_pump_drop_listener(struct bt_pump *pump, uint32_t number, uint64_t *out_dropped)
{
    struct bt_pump_slot *slot = &pump->hosting.slots[number];
    assert(slot->is_gone);
    BT_TRY(bt_pump_core_remove(&pump->core, number, out_dropped));
    if (slot->has_host) {
        bt_pump_retire_host(pump, slot->host);
        slot->has_host = false;
    }
    slot->listener = NULL;
    slot->generation = NULL;
    pump->hosting.gone--;
    return BT_OK;
}

enum bt_status bt_pump_check_timers(struct bt_pump *pump)
{
    for (uint32_t i = 0; pump->hosting.gone > 0 && i < pump->core.listeners_count; i++) {
        const struct bt_pump_slot *slot = &pump->hosting.slots[i];
        uint64_t dropped = 0;
        if (slot->is_gone && slot->listener && !bt_pump_core_is_busy(&pump->core, i)) {
            BT_TRY(bt_pump_drop_listener(pump, i, &dropped));
            assert(dropped == 0);
        }
    }
    return BT_OK;
}

void bt_pump_forget_slots(struct bt_pump *pump)
{
    for (uint32_t i = 0; pump->hosting.slots && i < pump->core.listeners_count; i++) {
        bt_buf_free(&pump->hosting.slots[i].hello);
    }
}
