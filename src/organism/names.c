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

/* What a name is compared with: everything that came before it. */
struct organism_names_claim {
    const char *list; /* key of the list that it stands in */
    size_t index;
    const char *key; /* "name" or "group" */
    bt_str folded;
    bool has_pattern; /* a client's name was judged by its key */
};

/* What is wrong with a name. */
enum organism_name_fault { NAME_FINE = 0, NAME_INVALID, NAME_RESERVED, NAME_TAKEN };

static enum bt_status add_name_finding(struct bt_organism_reader *reading,
                                       const struct bt_yaml_node *node,
                                       enum organism_name_fault fault)
{
    const struct bt_location at = bt_organism_locate(reading, node);
    return fault == NAME_INVALID    ? bt_add_pump_name_invalid(reading->findings, at, node->text)
           : fault == NAME_RESERVED ? bt_add_pump_name_reserved(reading->findings, at, node->text)
                                    : bt_add_pump_name_duplicate(reading->findings, at, node->text);
}

static enum bt_status add_claim_finding(struct bt_organism_reader *reading,
                                        const struct organism_names_claim *claim,
                                        enum organism_name_fault fault)
{
    const struct bt_yaml_node *list = bt_organism_node_get(reading->document, claim->list);
    return add_name_finding(reading, bt_organism_node_get(&list->items[claim->index], claim->key),
                            fault);
}

/* Whether `name` is, or lies below, that of one of the first `count` gateways. */
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

static bool is_client(const struct bt_organism *organism, bt_str name, size_t before)
{
    for (size_t i = 0; i < before; i++) {
        if (bt_str_eq(organism->clients[i].name, name)) {
            return true;
        }
    }
    return false;
}

static bool is_gateway(const struct bt_organism *organism, bt_str name, size_t before)
{
    for (size_t i = 0; i < before; i++) {
        if (bt_str_eq(organism->gateways[i].name, name)) {
            return true;
        }
    }
    return false;
}

static bool is_listener(const struct bt_organism *organism, bt_str name, size_t before)
{
    for (size_t i = 0; i < before; i++) {
        if (bt_str_eq(organism->listeners[i].takes.name, name)) {
            return true;
        }
    }
    return false;
}

static enum bt_status check_name(struct bt_organism_reader *reading,
                                 const struct organism_names_claim *claim, bool is_taken)
{
    if (claim->has_pattern && !is_name(claim->folded)) {
        return add_claim_finding(reading, claim, NAME_INVALID);
    }
    if (bt_organism_name_is_system(claim->folded)) {
        BT_TRY(add_claim_finding(reading, claim, NAME_RESERVED));
    }
    return is_taken ? add_claim_finding(reading, claim, NAME_TAKEN) : BT_OK;
}

static enum bt_status capability_names(struct bt_organism_reader *reading, size_t index)
{
    const struct bt_organism_gateway *gateway = &reading->organism->gateways[index];
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
            BT_TRY(add_name_finding(reading, node, fault));
        }
    }
    return BT_OK;
}

static enum bt_status listener_names(struct bt_organism_reader *reading)
{
    const struct bt_organism *organism = reading->organism;
    for (size_t i = 0; i < organism->listeners_count; i++) {
        const bt_str name = organism->listeners[i].takes.name;
        const struct organism_names_claim claim = {"listeners", i, "name", name, true};
        BT_TRY(check_name(reading, &claim,
                          is_client(organism, name, organism->clients_count) ||
                              is_gateway(organism, name, organism->gateways_count) ||
                              is_below_gateway(organism, name) || is_listener(organism, name, i)));
    }
    return BT_OK;
}

/* Members share the name of their group, so only its first use is judged. */
static enum bt_status group_names(struct bt_organism_reader *reading)
{
    const struct bt_organism *organism = reading->organism;
    for (size_t i = 0; i < organism->groups_count; i++) {
        const struct bt_organism_group *group = &organism->groups[i];
        const struct organism_names_claim claim = {
            "listeners", (size_t)(group->first - organism->listeners), "group", group->name, true};
        BT_TRY(check_name(reading, &claim,
                          is_client(organism, group->name, organism->clients_count) ||
                              is_gateway(organism, group->name, organism->gateways_count) ||
                              is_below_gateway(organism, group->name) ||
                              is_listener(organism, group->name, organism->listeners_count)));
    }
    return BT_OK;
}

enum bt_status bt_organism_check_names(struct bt_organism_reader *reading)
{
    const struct bt_organism *organism = reading->organism;
    for (size_t i = 0; i < organism->clients_count; i++) {
        const bt_str name = organism->clients[i].name;
        const struct organism_names_claim claim = {"clients", i, "name", name, false};
        BT_TRY(check_name(reading, &claim, is_client(organism, name, i)));
    }
    for (size_t i = 0; i < organism->gateways_count; i++) {
        const bt_str name = organism->gateways[i].name;
        const struct organism_names_claim claim = {"gateways", i, "name", name, true};
        BT_TRY(check_name(reading, &claim,
                          is_client(organism, name, organism->clients_count) ||
                              is_gateway(organism, name, i)));
        BT_TRY(capability_names(reading, i));
    }
    BT_TRY(listener_names(reading));
    return group_names(reading);
}
