/* SPDX-License-Identifier: Apache-2.0 */
/* unregister.c - remove a listener: the organism continues without it. */
#include "pump/control_query.h"
#include "pump/organism_change.h"

/* Keep the groups that still have members. */
static void rebuild_groups(struct bt_organism *organism, const struct bt_organism *old)
{
    organism->groups_count = 0;
    for (size_t i = 0; i < old->groups_count; i++) {
        const struct bt_organism_listener *first = NULL;
        for (size_t k = 0; !first && k < organism->listeners_count; k++) {
            const struct bt_organism_listener *at = &organism->listeners[k];
            first = bt_str_eq(at->group, old->groups[i].name) ? at : NULL;
        }
        if (first) {
            organism->groups[organism->groups_count] = old->groups[i];
            organism->groups[organism->groups_count++].first = first;
        }
    }
}

/* A copy of the organism without one listener. It points into the old one. */
static enum bt_status copy_without_listener(struct bt_arena *arena, const struct bt_organism *old,
                                            bt_str name, struct bt_organism **out)
{
    struct bt_organism *organism = BT_NEW(arena, struct bt_organism);
    if (!organism) {
        return BT_ENOMEM;
    }
    *organism = *old;
    organism->listeners = BT_NEW_ARRAY(arena, struct bt_organism_listener, old->listeners_count);
    organism->groups = BT_NEW_ARRAY(arena, struct bt_organism_group, old->groups_count + 1);
    if (!organism->listeners || !organism->groups) {
        return BT_ENOMEM;
    }
    organism->listeners_count = 0;
    for (size_t i = 0; i < old->listeners_count; i++) {
        if (!bt_str_eq(old->listeners[i].takes.name, name)) {
            organism->listeners[organism->listeners_count++] = old->listeners[i];
        }
    }
    rebuild_groups(organism, old);
    *out = organism;
    return BT_OK;
}

static enum bt_status take_away(struct bt_pump_control_call *call, bt_str name)
{
    struct bt_pump *pump = call->pump;
    struct bt_pump_generation *generation = NULL;
    struct bt_organism *organism = NULL;
    struct bt_pump_change_result adopted;
    BT_TRY(bt_pump_generation_new(&generation));
    generation->base = pump->generation;
    enum bt_status status =
        copy_without_listener(&generation->arena, pump->organism, name, &organism);
    if (status == BT_OK) {
        status = bt_pump_swap_organism(pump, call->arena, generation, organism, &adopted, NULL);
    }
    if (status != BT_OK) {
        bt_pump_generation_free(generation);
    }
    return status;
}

enum bt_status bt_control_method_unregister(struct bt_pump_control_call *call)
{
    struct bt_pump *pump = call->pump;
    bt_str mode;
    bt_str name;
    uint64_t dropped = 0;
    if (!bt_control_call_find_text(call, "name", &name) || name.len == 0 ||
        !bt_control_call_find_text(call, "mode", &mode) ||
        (mode.len > 0 && !bt_str_eq(mode, BT_STR("drain")) && !bt_str_eq(mode, BT_STR("now")))) {
        return bt_control_call_reject(call, "name is that of a listener, mode is drain or now");
    }
    const bool is_now = bt_str_eq(mode, BT_STR("now"));
    BT_TRY(bt_ascii_lower_copy(call->arena, name, &name));
    const uint32_t number = bt_pump_core_find_listener(&pump->core, name);
    const bool is_leaving = number != BT_NOBODY && pump->hosting.slots[number].is_gone &&
                            pump->hosting.slots[number].listener && is_now;
    if (!bt_organism_listener(pump->organism, name) && !is_leaving) {
        return bt_control_call_fail(call, BT_CONTROL_ERROR_NOT_FOUND,
                                    bt_code_name(BT_CODE_NOT_FOUND).ptr);
    }
    if (pump->changes.current) {
        return bt_control_call_fail(call, BT_CONTROL_ERROR_BUSY, "BUSY");
    }
    if (!is_leaving) {
        BT_TRY(take_away(call, name));
    }
    if (is_now) {
        BT_TRY(bt_pump_drop_listener(pump, number, &dropped));
    }
    bt_emit_begin_object(&call->emit);
    bt_emit_member_string(&call->emit, "name", name);
    bt_emit_member_u64(&call->emit, "dropped", dropped);
    bt_emit_end(&call->emit);
    return BT_OK;
}
