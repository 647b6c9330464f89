/* SPDX-License-Identifier: Apache-2.0 */
/* introspection.c - introspection: whether a client may make this query. */
#include <assert.h>

#include "dialect/xml/message_check.h"

/* A query, and who may make it. */
struct message_introspection {
    bool is_known;
    bool is_list;
    enum bt_organism_introspection level;
};

static struct message_introspection request_of(const struct bt_organism *organism,
                                               const struct bt_xml_node *payload)
{
    const bt_str name = payload->name;
    if (bt_str_eq(name, BT_STR("list-capabilities"))) {
        return (struct message_introspection){
            true, true, organism->meta.has_list ? BT_META_AUTHENTICATED : BT_META_NOBODY};
    }
    if (bt_str_eq(name, BT_STR("request-schema"))) {
        return (struct message_introspection){true, false, organism->meta.schema};
    }
    if (bt_str_eq(name, BT_STR("request-example"))) {
        return (struct message_introspection){true, false, organism->meta.example};
    }
    if (bt_str_eq(name, BT_STR("request-prompt"))) {
        return (struct message_introspection){true, false, organism->meta.prompt};
    }
    return (struct message_introspection){.is_known = false};
}

static bool can_introspect(const struct bt_organism_client *client,
                           enum bt_organism_introspection level)
{
    return level == BT_META_AUTHENTICATED || (level == BT_META_ADMIN && client->is_admin);
}

/* The only child, which names a capability; NULL: the request is malformed. */
static const struct bt_xml_node *capability_node(const struct bt_xml_node *payload)
{
    const struct bt_xml_node *child = bt_xml_first(payload);
    const bool is_sound = child && !bt_xml_next(child) && !payload->has_text &&
                          bt_xml_is(child, BT_SPACE_META, BT_STR("capability")) &&
                          !child->has_elements && child->attributes_count == 0;
    return is_sound ? child : NULL;
}

enum bt_status bt_message_check_meta_request(struct bt_message_check *message,
                                             enum bt_xml_meta_refused_reason *out)
{
    const struct bt_organism *organism = message->options->organism;
    const struct bt_xml_node *payload = message->payload;
    const struct message_introspection request = request_of(organism, payload);
    const struct bt_xml_node *named = capability_node(payload);
    const bool is_empty = !payload->has_elements && !payload->has_text;
    *out = !organism->meta.is_enabled                        ? BT_XML_META_REFUSED_REASON_DISABLED
           : !request.is_known                               ? BT_XML_META_REFUSED_REASON_SHAPE
           : !can_introspect(message->client, request.level) ? BT_XML_META_REFUSED_REASON_LEVEL
           : payload->attributes_count > 0 || (request.is_list ? !is_empty : !named)
               ? BT_XML_META_REFUSED_REASON_SHAPE
               : BT_XML_META_REFUSED_REASON__NONE;
    if (*out || request.is_list) {
        return BT_OK;
    }
    bt_str text;
    bt_str folded;
    BT_TRY(bt_xml_text(message->arena, named, &text));
    BT_TRY(bt_ascii_lower_copy(message->arena, bt_xml_trim(text), &folded));
    const bool is_there =
        bt_organism_listener(organism, folded) || bt_organism_group(organism, folded);
    *out = is_there && bt_organism_client_may_call(message->client, folded)
               ? BT_XML_META_REFUSED_REASON__NONE
               : BT_XML_META_REFUSED_REASON_UNKNOWN;
    return BT_OK;
}
