/* SPDX-License-Identifier: Apache-2.0 */
/*
 * organism_swap.c - an organism takes over from another while the pump runs: first everything that
 * can fail, then everything at once.
 */
#include <assert.h>
#include <stdlib.h>

#include "pump/organism_change.h"

enum { GENERATION_BYTES_MAX = 64 << 20 };

enum bt_status bt_pump_generation_new(struct bt_pump_generation **out)
{
    struct bt_arena arena;
    bt_arena_init(&arena, GENERATION_BYTES_MAX);
    struct bt_pump_generation *generation = BT_NEW(&arena, struct bt_pump_generation);
    if (!generation) {
        bt_arena_free(&arena);
        return BT_ENOMEM;
    }
    generation->arena = arena;
    *out = generation;
    return BT_OK;
}

void bt_pump_generation_free(struct bt_pump_generation *generation)
{
    struct bt_arena arena = generation->arena; /* the generation itself lies in it */
    bt_arena_free(&arena);
}

static bool same_replies(const struct bt_organism_capability *a,
                         const struct bt_organism_capability *b)
{
    bool is_same = a->replying == b->replying && a->replies_count == b->replies_count;
    for (size_t i = 0; is_same && i < a->replies_count; i++) {
        is_same = bt_str_eq(a->replies[i].tag, b->replies[i].tag) &&
                  bt_str_eq(a->replies[i].xsd, b->replies[i].xsd) &&
                  bt_payload_type_equal(a->replies[i].type, b->replies[i].type);
    }
    return is_same;
}

static bool same_settings(const struct bt_organism_listener *a,
                          const struct bt_organism_listener *b)
{
    return a->limits.max_concurrent == b->limits.max_concurrent &&
           bt_str_eq(a->takes.tag, b->takes.tag) && bt_str_eq(a->takes.xsd, b->takes.xsd) &&
           bt_payload_type_equal(a->takes.type, b->takes.type) &&
           same_replies(&a->takes, &b->takes);
}

/* What a host knows about its listener: its node of the file, and the prompt of an agent. */
static enum bt_status write_description(struct bt_arena *arena, const struct bt_organism *organism,
                                        const struct bt_organism_listener *listener, bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    bt_organism_node_put(&buf, listener->node);
    enum bt_status status = buf.status;
    if (status == BT_OK && listener->is_agent) {
        status = bt_organism_put_text(&buf, arena, organism, listener->takes.name,
                                      BT_ORGANISM_TEXT_PROMPT);
    }
    status = status == BT_OK ? bt_buf_copy(&buf, arena, out) : status;
    bt_buf_free(&buf);
    return status;
}

/* Whether a host that was started for `a` serves `b` as well. */
static enum bt_status compare_listeners(struct bt_arena *arena,
                                        const struct bt_organism *a_organism,
                                        const struct bt_organism_listener *a,
                                        const struct bt_organism *b_organism,
                                        const struct bt_organism_listener *b, bool *out)
{
    bt_str old;
    bt_str new;
    BT_TRY(write_description(arena, a_organism, a, &old));
    BT_TRY(write_description(arena, b_organism, b, &new));
    *out = bt_str_eq(old, new) && same_settings(a, b);
    return BT_OK;
}

/* A listener of the new organism. */
struct pump_new_listener {
    struct bt_organism_listener *listener;
    bool is_same; /* its host stays */
    bt_host_id host;
};

struct pump_change_state {
    struct bt_pump *pump;
    struct bt_arena *arena;
    struct bt_pump_generation *generation;
    struct bt_organism *organism;
    struct pump_new_listener *new_listeners;
    struct bt_pump_change_result *out;
};

static bool has_listener(const struct bt_pump *pump, uint32_t number)
{
    return pump->hosting.slots[number].listener && !pump->hosting.slots[number].is_gone;
}

static enum bt_status compare_listener(struct pump_change_state *adopting,
                                       struct pump_new_listener *new_listener)
{
    struct bt_pump *pump = adopting->pump;
    struct bt_organism_listener *listener = new_listener->listener;
    struct bt_pump_change_result *out = adopting->out;
    BT_TRY(bt_pump_new_number(pump, listener->takes.name, &listener->number));
    const struct bt_pump_slot *slot = &pump->hosting.slots[listener->number];
    if (!has_listener(pump, listener->number)) {
        out->added[out->added_count++] = listener->takes.name;
        return BT_OK;
    }
    BT_TRY(compare_listeners(adopting->arena, slot->generation->organism, slot->listener,
                             adopting->organism, listener, &new_listener->is_same));
    if (new_listener->is_same) {
        out->unchanged[out->unchanged_count++] = listener->takes.name;
    } else {
        out->updated[out->updated_count++] = listener->takes.name;
    }
    return BT_OK;
}

static enum bt_status start_new_hosts(struct pump_change_state *adopting, struct bt_error *error)
{
    struct bt_pump *pump = adopting->pump;
    size_t started = 0;
    enum bt_status status = BT_OK;
    while (status == BT_OK && started < adopting->organism->listeners_count) {
        struct pump_new_listener *new_listener = &adopting->new_listeners[started];
        if (!new_listener->is_same) {
            status = bt_pump_start_host(pump, new_listener->listener, adopting->generation,
                                        &new_listener->host, error);
        }
        started += status == BT_OK;
    }
    for (size_t i = 0; status != BT_OK && i < started; i++) {
        const bt_host_id host = adopting->new_listeners[i].host;
        if (!adopting->new_listeners[i].is_same) {
            bt_host_pool_remove(pump->hosting.pool, host);
            pump->hosting.by_id.items[host] =
                (struct bt_pump_host){.state = BT_PUMP_HOST_FORGOTTEN};
        }
    }
    return status;
}

static enum bt_status prepare_listeners(struct pump_change_state *adopting, struct bt_error *error)
{
    const size_t count = adopting->organism->listeners_count;
    const size_t all = count + adopting->pump->core.listeners_count;
    struct bt_pump_change_result *out = adopting->out;
    adopting->new_listeners = BT_NEW_ARRAY(adopting->arena, struct pump_new_listener, count + 1);
    *out =
        (struct bt_pump_change_result){.added = BT_NEW_ARRAY(adopting->arena, bt_str, all + 1),
                                       .removed = BT_NEW_ARRAY(adopting->arena, bt_str, all + 1),
                                       .updated = BT_NEW_ARRAY(adopting->arena, bt_str, all + 1),
                                       .unchanged = BT_NEW_ARRAY(adopting->arena, bt_str, all + 1)};
    if (!adopting->new_listeners || !out->added || !out->removed || !out->updated ||
        !out->unchanged) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        adopting->new_listeners[i].listener = &adopting->organism->listeners[i];
        BT_TRY(compare_listener(adopting, &adopting->new_listeners[i]));
    }
    return start_new_hosts(adopting, error);
}

static void take_place(struct pump_change_state *adopting,
                       const struct pump_new_listener *new_listener)
{
    struct bt_pump *pump = adopting->pump;
    struct bt_pump_slot *slot = &pump->hosting.slots[new_listener->listener->number];
    if (new_listener->is_same) {
        pump->hosting.by_id.items[slot->host].listener = new_listener->listener;
        pump->hosting.by_id.items[slot->host].under = adopting->generation;
    } else {
        if (slot->has_host) {
            bt_pump_retire_host(pump, slot->host);
        }
        pump->hosting.gone -= slot->is_gone && slot->listener;
        slot->host = new_listener->host;
        slot->has_host = true;
        bt_buf_clear(&slot->hello);
    }
    bt_pump_set_listener(pump, new_listener->listener, adopting->generation);
}

/* Listeners that the new organism does not have finish their pending work. */
static void leave_places(struct pump_change_state *adopting)
{
    struct bt_pump *pump = adopting->pump;
    struct bt_pump_change_result *out = adopting->out;
    for (uint32_t i = 0; i < pump->core.listeners_count; i++) {
        const bt_str name = pump->core.listeners[i].name;
        if (has_listener(pump, i) && !bt_organism_listener(adopting->organism, name)) {
            out->removed[out->removed_count++] = name;
            pump->hosting.slots[i].is_gone = true;
            pump->hosting.gone++;
        }
    }
}

static int by_name(const void *left, const void *right)
{
    return bt_str_compare(*(const bt_str *)left, *(const bt_str *)right);
}

enum bt_status bt_pump_swap_organism(struct bt_pump *pump, struct bt_arena *arena,
                                     struct bt_pump_generation *generation,
                                     struct bt_organism *organism,
                                     struct bt_pump_change_result *out, struct bt_error *error)
{
    struct pump_change_state adopting = {
        .pump = pump, .arena = arena, .generation = generation, .organism = organism, .out = out};
    const struct bt_organism *old = pump->organism;
    generation->organism = organism;
    pump->organism = organism;
    enum bt_status status = bt_pump_set_organism(pump); /* limits and clients */
    status = status == BT_OK ? prepare_listeners(&adopting, error) : status;
    if (status != BT_OK) {
        pump->organism = old;
        const enum bt_status restored = bt_pump_set_organism(pump);
        assert(restored == BT_OK); /* the old organism has no new names */
        (void)restored;
        return status;
    }
    leave_places(&adopting);
    for (size_t i = 0; i < organism->listeners_count; i++) {
        take_place(&adopting, &adopting.new_listeners[i]);
    }
    for (size_t i = 0; i < organism->gateways_count; i++) {
        struct bt_organism_gateway *gateway = &organism->gateways[i]; /* they cannot change */
        gateway->number = bt_pump_core_find_listener(&pump->core, gateway->name);
        bt_pump_set_gateway(pump, gateway, generation);
    }
    generation->older = pump->generation;
    pump->generation = generation;
    qsort(out->added, out->added_count, sizeof(bt_str), by_name);
    qsort(out->removed, out->removed_count, sizeof(bt_str), by_name);
    qsort(out->updated, out->updated_count, sizeof(bt_str), by_name);
    qsort(out->unchanged, out->unchanged_count, sizeof(bt_str), by_name);
    return BT_OK;
}
