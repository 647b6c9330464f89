/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.c - the names of clients, gateways, listeners and groups: of the right form, not reserved,
 * and one space for all of them.
 */
#include <assert.h>

#include "base/ascii.h"
#include "organism/organism.h"

enum { NAME_BYTES_MAX = 64 };

/* Segments that begin with a letter or underscore, joined by dots. */
static bool is_name(bt_str name)
{
    bool begins = true;
    for (size_t i = 0; i < name.len; i++) {
        const char byte = name.ptr[i];
        const bool continues = bt_ascii_is_digit(byte) || byte == '-' || byte == '.';
        if (!bt_ascii_is_alpha(byte) && byte != '_' && (begins || !continues)) {
            return false;
        }
        begins = byte == '.';
    }
    return !begins && name.len <= NAME_BYTES_MAX;
}

/* What is wrong with a name. */
enum organism_name_fault { NAME_FINE = 0, NAME_INVALID, NAME_RESERVED, NAME_TAKEN };

static enum bt_status add_name_finding(struct bt_organism_reader *reader,
                                       const struct bt_yaml_node *node,
                                       enum organism_name_fault fault)
{
    const struct bt_location at = bt_organism_locate(reader, node);
    return fault == NAME_INVALID    ? bt_add_pump_name_invalid(reader->findings, at, node->text)
           : fault == NAME_RESERVED ? bt_add_pump_name_reserved(reader->findings, at, node->text)
                                    : bt_add_pump_name_duplicate(reader->findings, at, node->text);
}

/* True when `name` lies below that of a gateway. */
static bool is_below_gateway(const struct bt_organism *organism, bt_str name)
{
    for (size_t i = 0; i < organism->gateways_count; i++) {
        const bt_str gateway = organism->gateways[i].name;
        if (bt_str_starts_with(name, gateway) && name.len > gateway.len &&
            name.ptr[gateway.len] == '.') {
            return true;
        }
    }
    return false;
}

/* True when one of the first `before` clients has the name. */
static bool is_client(const struct bt_organism *organism, bt_str name, size_t before)
{
    const struct bt_organism_client *found = bt_organism_client(organism, name);
    return found && found < organism->clients + before;
}

static bool is_gateway(const struct bt_organism *organism, bt_str name, size_t before)
{
    const struct bt_organism_gateway *found = bt_organism_gateway(organism, name);
    return found && found < organism->gateways + before;
}

static bool is_listener(const struct bt_organism *organism, bt_str name, size_t before)
{
    const struct bt_organism_listener *found = bt_organism_listener(organism, name);
    return found && found < organism->listeners + before;
}

/* True when a client or gateway has the name, or a gateway is above it. */
static bool is_foreign(const struct bt_organism *organism, bt_str name)
{
    return bt_organism_client(organism, name) || bt_organism_gateway(organism, name) ||
           is_below_gateway(organism, name);
}

/* Check a name, which is `folded` in lower case. The key of a client checks its pattern. */
static enum bt_status check_name(struct bt_organism_reader *reader, const struct bt_yaml_node *node,
                                 bt_str folded, bool has_pattern, bool is_taken)
{
    if (has_pattern && !is_name(folded)) {
        return add_name_finding(reader, node, NAME_INVALID);
    }
    if (bt_organism_name_is_system(folded)) {
        BT_TRY(add_name_finding(reader, node, NAME_RESERVED));
    }
    return is_taken ? add_name_finding(reader, node, NAME_TAKEN) : BT_OK;
}

static enum bt_status capability_names(struct bt_organism_reader *reader,
                                       const struct bt_organism_gateway *gateway)
{
    const struct bt_yaml_node *list = bt_organism_node_get(gateway->node, "capabilities");
    for (size_t i = 0; i < gateway->capabilities_count; i++) {
        const struct bt_yaml_node *node = bt_organism_node_get(&list->items[i], "name");
        enum organism_name_fault fault = is_name(node->text) ? NAME_FINE : NAME_INVALID;
        for (size_t j = 0; j < i && !fault; j++) {
            if (bt_str_eq(gateway->capabilities[j].name, gateway->capabilities[i].name)) {
                fault = NAME_TAKEN;
            }
        }
        if (fault) {
            BT_TRY(add_name_finding(reader, node, fault));
        }
    }
    return BT_OK;
}

enum bt_status bt_organism_check_names(struct bt_organism_reader *reader)
{
    const struct bt_organism *organism = reader->organism;
    for (size_t i = 0; i < organism->clients_count; i++) {
        const struct bt_organism_client *client = &organism->clients[i];
        BT_TRY(check_name(reader, bt_organism_node_get(client->node, "name"), client->name, false,
                          is_client(organism, client->name, i)));
    }
    for (size_t i = 0; i < organism->gateways_count; i++) {
        const struct bt_organism_gateway *gateway = &organism->gateways[i];
        BT_TRY(check_name(reader, bt_organism_node_get(gateway->node, "name"), gateway->name, true,
                          bt_organism_client(organism, gateway->name) ||
                              is_gateway(organism, gateway->name, i)));
        BT_TRY(capability_names(reader, gateway));
    }
    for (size_t i = 0; i < organism->listeners_count; i++) {
        const struct bt_yaml_node *node = organism->listeners[i].node;
        const bt_str name = organism->listeners[i].takes.name;
        BT_TRY(check_name(reader, bt_organism_node_get(node, "name"), name, true,
                          is_foreign(organism, name) || is_listener(organism, name, i)));
    }
    /* Members share the name of their group, so only its first use is judged. */
    for (size_t i = 0; i < organism->groups_count; i++) {
        const struct bt_organism_group *group = &organism->groups[i];
        BT_TRY(check_name(
            reader, bt_organism_node_get(group->first->node, "group"), group->name, true,
            is_foreign(organism, group->name) || bt_organism_listener(organism, group->name)));
    }
    return BT_OK;
}
