/* SPDX-License-Identifier: Apache-2.0 */
/*
 * semantics.c - the group of checks that covers the organism as a whole: peers, groups, reply tags,
 * reachability.
 */
#include <assert.h>

#include "organism/organism.h"

static bool can_be_called(const struct bt_organism *organism, bt_str folded)
{
    return bt_organism_listener(organism, folded) || bt_organism_group(organism, folded) ||
           bt_organism_gateway(organism, folded);
}

/* The names in the list `key` of one client or listener. */
static enum bt_status check_callees(struct bt_organism_reader *reader,
                                    const struct bt_yaml_node *node, const char *key,
                                    bt_str own_name)
{
    const struct bt_yaml_node *list = bt_organism_node_get(node, key);
    for (size_t i = 0; list && i < list->count; i++) {
        const bt_str written = list->items[i].text;
        bt_str folded;
        BT_TRY(bt_ascii_lower_copy(reader->arena, written, &folded));
        if (own_name.len > 0 && bt_str_eq(folded, own_name)) {
            BT_TRY(bt_add_pump_peer_self(reader->findings,
                                         bt_organism_locate(reader, &list->items[i])));
        } else if (!can_be_called(reader->organism, folded) &&
                   (own_name.len > 0 || !bt_str_eq(written, BT_STR("*")))) {
            BT_TRY(bt_add_pump_peer_unknown(reader->findings,
                                            bt_organism_locate(reader, &list->items[i]), written));
        }
    }
    return BT_OK;
}

static bool same_payload(const struct bt_organism_listener *a, const struct bt_organism_listener *b)
{
    if (!bt_str_eq(a->takes.type_name, b->takes.type_name) || !a->takes.type != !b->takes.type) {
        return false;
    }
    if (!bt_str_eq(bt_organism_node_text(a->node, "xsd"), bt_organism_node_text(b->node, "xsd"))) {
        return false;
    }
    return !a->takes.type || bt_payload_type_equal(a->takes.type, b->takes.type);
}

static enum bt_status group_type(struct bt_organism_reader *reader,
                                 const struct bt_organism_listener *listener)
{
    const struct bt_organism_group *group =
        listener->group.len > 0 ? bt_organism_group(reader->organism, listener->group) : NULL;
    if (!group || same_payload(group->first, listener)) {
        return BT_OK;
    }
    return bt_add_pump_group_type(
        reader->findings, bt_organism_locate(reader, bt_organism_node_get(listener->node, "group")),
        listener->group);
}

static bool is_reply_tag(bt_str tag)
{
    return bt_payload_field_name_is_valid(tag) && !bt_organism_name_is_reserved(tag);
}

static bool is_repeated(const struct bt_organism_capability *takes, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (bt_str_eq(takes->replies[i].tag, takes->replies[index].tag)) {
            return true;
        }
    }
    return false;
}

/* The key under which a reply is declared: `replies/TAG`, or one of the result keys. */
static struct bt_location locate_reply(struct bt_organism_reader *reader,
                                       const struct bt_yaml_node *node, bt_str tag, bool is_result)
{
    return is_result
               ? bt_organism_locate_key(reader, node,
                                        bt_organism_node_get(node, "result_class") ? "result_class"
                                                                                   : "result_xsd")
               : bt_organism_locate(reader,
                                    bt_yaml_get(bt_organism_node_get(node, "replies"), tag));
}

static enum bt_status reply_tags(struct bt_organism_reader *reader, const struct bt_yaml_node *node,
                                 const struct bt_organism_capability *takes)
{
    const struct bt_yaml_node *further = bt_organism_node_get(node, "replies");
    for (size_t i = 0; i < takes->replies_count; i++) {
        const bt_str tag = takes->replies[i].tag;
        const bool is_result = i == 0 && !bt_yaml_get(further, tag);
        if (is_reply_tag(tag) && !is_repeated(takes, i)) {
            continue;
        }
        BT_TRY(bt_add_pump_reply_tag(reader->findings, locate_reply(reader, node, tag, is_result),
                                     tag));
    }
    return BT_OK;
}

/* Whether another listener or a client may call it, directly or through its group. */
static bool is_reachable(const struct bt_organism *organism,
                         const struct bt_organism_listener *listener)
{
    const bt_str name = listener->takes.name;
    const bool is_grouped = listener->group.len > 0;
    for (size_t i = 0; i < organism->clients_count; i++) {
        const struct bt_organism_client *client = &organism->clients[i];
        if (bt_organism_client_may_call(client, name) ||
            (is_grouped && bt_organism_client_may_call(client, listener->group))) {
            return true;
        }
    }
    for (size_t i = 0; i < organism->listeners_count; i++) {
        const struct bt_organism_listener *other = &organism->listeners[i];
        if (other != listener &&
            (bt_organism_name_list_has(&other->peers, name) ||
             (is_grouped && bt_organism_name_list_has(&other->peers, listener->group)))) {
            return true;
        }
    }
    return false;
}

static enum bt_status check_listener(struct bt_organism_reader *reader,
                                     const struct bt_organism_listener *found)
{
    const struct bt_yaml_node *node = found->node;
    BT_TRY(check_callees(reader, node, "peers", found->takes.name));
    BT_TRY(group_type(reader, found));
    BT_TRY(reply_tags(reader, node, &found->takes));
    if (!is_reachable(reader->organism, found)) {
        BT_TRY(bt_add_pump_unreachable(reader->findings, bt_organism_locate(reader, node)));
    }
    if (found->takes.replying == BT_ORGANISM_REPLIES_ANY) {
        BT_TRY(bt_add_pump_result_any(
            reader->findings, bt_organism_locate(reader, bt_organism_node_get(node, "result"))));
    }
    return BT_OK;
}

enum bt_status bt_organism_check_semantics(struct bt_organism_reader *reader)
{
    const struct bt_organism *organism = reader->organism;
    BT_TRY(bt_organism_check_names(reader));
    for (size_t i = 0; i < organism->clients_count; i++) {
        BT_TRY(check_callees(reader, organism->clients[i].node, "may_call", BT_STR("")));
    }
    for (size_t i = 0; i < organism->listeners_count; i++) {
        BT_TRY(check_listener(reader, &organism->listeners[i]));
    }
    return BT_OK;
}
