/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target.c - who sends, and what the payload calls; whether a client may make a query about the
 * organism. The root tag alone selects the target. Only the first finding is reported, so that an
 * unknown sender learns nothing about the other agents.
 */
#include <assert.h>

#include "base/ascii.h"
#include "base/vec.h"
#include "dialect/xml/message_check.h"

static bool is_somebody(const struct bt_organism *organism, bt_str folded)
{
    return organism &&
           (bt_organism_listener(organism, folded) || bt_organism_group(organism, folded) ||
            bt_organism_gateway(organism, folded));
}

static const struct bt_xml_node *from_node(const struct bt_message_check *message)
{
    return bt_xml_first(bt_xml_first(message->root));
}

static const struct bt_xml_node *to_node(const struct bt_message_check *message)
{
    return bt_xml_next(from_node(message));
}

static enum bt_status check_sender(struct bt_message_check *message)
{
    const struct bt_organism *organism = message->options->organism;
    const bt_str client = message->options->client;
    bt_str folded;
    BT_TRY(bt_ascii_lower_copy(message->arena, message->envelope.from, &folded));
    if (bt_organism_name_is_system(folded) || is_somebody(organism, folded)) {
        return bt_add_xml_from_reserved(message->findings,
                                        bt_message_locate(message, from_node(message)),
                                        message->envelope.from);
    }
    if (!organism) {
        return BT_OK;
    }
    message->client = bt_organism_client(organism, message->envelope.from);
    if (!message->client || (client.len > 0 && !bt_str_eq(client, message->envelope.from))) {
        return bt_add_xml_from_unknown(message->findings,
                                       bt_message_locate(message, from_node(message)),
                                       message->envelope.from);
    }
    return BT_OK;
}

static bool is_reserved(const struct bt_xml_node *payload)
{
    const bt_str space = payload->space;
    return bt_str_eq(space, BT_SPACE_CORE) || bt_str_eq(space, BT_SPACE_SYS) ||
           bt_str_eq(space, BT_SPACE_BATON) ||
           bt_xml_is(payload, BT_SPACE_ENV, BT_STR("message")) ||
           (space.len == 0 && bt_organism_name_is_reserved(payload->name));
}

static enum bt_status check_introspection(struct bt_message_check *message)
{
    enum bt_xml_meta_refused_reason reason = BT_XML_META_REFUSED_REASON__NONE;
    if (!message->options->organism) {
        return BT_OK;
    }
    BT_TRY(bt_message_check_meta_request(message, &reason));
    return reason ? bt_add_xml_meta_refused(message->findings,
                                            bt_message_locate(message, message->payload), reason)
                  : BT_OK;
}

static enum bt_status add_namespace_finding(struct bt_message_check *message)
{
    struct bt_xml_node *payload = message->payload;
    const bool is_envelope = bt_str_eq(payload->space, BT_SPACE_ENV);
    const enum bt_fix fix = is_envelope ? BT_FIX_SAFE : BT_FIX_NONE;
    const struct bt_location at = bt_message_locate(message, payload);
    BT_TRY(bt_add_xml_payload_namespace(message->findings, fix, at, payload->space, is_envelope));
    const struct bt_message_edit edit = {
        .code = BT_CODE_XML_PAYLOAD_NAMESPACE, .pointer = at.pointer, .kind = fix, .node = payload};
    return is_envelope ? bt_vec_push(message->arena, &message->edits, edit) : BT_OK;
}

static enum bt_status find_capability(struct bt_message_check *message)
{
    const bt_str tag = message->payload->name;
    const struct bt_organism_target target = bt_organism_target(message->options->organism, tag);
    if (!target.capability) {
        return bt_add_xml_capability_unknown(message->findings,
                                             bt_message_locate(message, message->payload), tag);
    }
    if (!bt_organism_client_may_call(message->client, target.name)) {
        return bt_add_xml_capability_denied(message->findings,
                                            bt_message_locate(message, message->payload), tag);
    }
    message->target = target;
    message->listener = target.name;
    if (message->envelope.has_to) {
        bt_str folded;
        BT_TRY(bt_ascii_lower_copy(message->arena, message->envelope.to, &folded));
        if (!bt_str_eq(folded, target.name)) {
            return bt_add_xml_to_mismatch(message->findings,
                                          bt_message_locate(message, to_node(message)),
                                          message->envelope.to);
        }
    }
    return BT_OK;
}

enum bt_status bt_message_check_target(struct bt_message_check *message)
{
    BT_TRY(check_sender(message));
    if (bt_message_has_hard(message)) {
        return BT_OK;
    }
    if (is_reserved(message->payload)) {
        return bt_add_xml_reserved(message->findings, bt_message_locate(message, message->payload),
                                   message->payload->name);
    }
    if (bt_str_eq(message->payload->space, BT_SPACE_META)) {
        return check_introspection(message);
    }
    if (message->payload->space.len > 0) {
        return add_namespace_finding(message);
    }
    return message->options->organism ? find_capability(message) : BT_OK;
}

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
