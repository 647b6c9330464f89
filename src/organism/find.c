/* SPDX-License-Identifier: Apache-2.0 */
/*
 * find.c - finding listeners, groups, gateways and clients by name, and capabilities by tag.
 */
#include <assert.h>

#include "base/ascii.h"
#include "base/str.h"
#include "organism/organism.h"

const struct bt_organism_listener *bt_organism_listener(const struct bt_organism *organism,
                                                        bt_str folded)
{
    assert(organism);
    for (size_t i = 0; i < organism->listeners_count; i++) {
        if (bt_str_eq(organism->listeners[i].takes.name, folded)) {
            return &organism->listeners[i];
        }
    }
    return NULL;
}

const struct bt_organism_group *bt_organism_group(const struct bt_organism *organism, bt_str folded)
{
    assert(organism);
    for (size_t i = 0; i < organism->groups_count; i++) {
        if (bt_str_eq(organism->groups[i].name, folded)) {
            return &organism->groups[i];
        }
    }
    return NULL;
}

const struct bt_organism_gateway *bt_organism_gateway(const struct bt_organism *organism,
                                                      bt_str folded)
{
    assert(organism);
    for (size_t i = 0; i < organism->gateways_count; i++) {
        if (bt_str_eq(organism->gateways[i].name, folded)) {
            return &organism->gateways[i];
        }
    }
    return NULL;
}

const struct bt_organism_client *bt_organism_client(const struct bt_organism *organism, bt_str name)
{
    assert(organism);
    for (size_t i = 0; i < organism->clients_count; i++) {
        if (bt_str_eq(organism->clients[i].name, name)) {
            return &organism->clients[i];
        }
    }
    return NULL;
}

static struct bt_organism_target gateway_target(const struct bt_organism_gateway *gateway,
                                                bt_str tag)
{
    for (size_t i = 0; i < gateway->capabilities_count; i++) {
        if (bt_str_eq(gateway->capabilities[i].tag, tag)) {
            return (struct bt_organism_target){gateway->name, &gateway->capabilities[i]};
        }
    }
    return (struct bt_organism_target){BT_STR(""), NULL};
}

struct bt_organism_target bt_organism_target(const struct bt_organism *organism, bt_str tag)
{
    assert(organism);
    for (size_t i = 0; i < organism->listeners_count; i++) {
        const struct bt_organism_capability *takes = &organism->listeners[i].takes;
        if (bt_str_eq(takes->tag, tag)) {
            return (struct bt_organism_target){takes->name, takes};
        }
    }
    for (size_t i = 0; i < organism->groups_count; i++) {
        if (bt_str_eq(organism->groups[i].tag, tag)) {
            return (struct bt_organism_target){organism->groups[i].name,
                                               &organism->groups[i].first->takes};
        }
    }
    struct bt_organism_target found = {BT_STR(""), NULL};
    for (size_t i = 0; i < organism->gateways_count && !found.capability; i++) {
        found = gateway_target(&organism->gateways[i], tag);
    }
    return found;
}

bool bt_organism_name_list_has(const struct bt_organism_name_list *names, bt_str name)
{
    return bt_str_index_in(name, names->items, names->count) < names->count;
}

bool bt_organism_client_may_call(const struct bt_organism_client *client, bt_str name)
{
    return client->may_call_all || bt_organism_name_list_has(&client->may_call, name);
}

bool bt_organism_name_is_reserved(bt_str name)
{
    static const bt_str reserved[] = {
        BT_STR_INIT("privileged-msg"),
        BT_STR_INIT("privileged-response"),
        BT_STR_INIT("privileged-push"),
        BT_STR_INIT("message"),
        BT_STR_INIT("huh"),
        BT_STR_INIT("todo-until"),
        BT_STR_INIT("return"),
        BT_STR_INIT("halt"),
        BT_STR_INIT("boot"),
        BT_STR_INIT("shutdown-signal"),
        BT_STR_INIT("heartbeat"),
        BT_STR_INIT("listener-joined"),
        BT_STR_INIT("listener-left"),
        BT_STR_INIT("systemerror"),
        BT_STR_INIT("core"),
        BT_STR_INIT("system"),
    };
    for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++) {
        if (bt_ascii_equal_nocase(name, reserved[i])) {
            return true;
        }
    }
    return false;
}

bool bt_organism_name_is_system(bt_str folded)
{
    return bt_str_eq(folded, BT_STR("core")) || bt_str_eq(folded, BT_STR("system")) ||
           bt_str_starts_with(folded, BT_STR("core.")) ||
           bt_str_starts_with(folded, BT_STR("system."));
}
