/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target.c - who sends, and what the payload calls. The root tag alone selects the target. Only the
 * first finding is reported, so that an unknown sender learns nothing about the other agents.
 */
#include <assert.h>

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
    BT_TRY(bt_ascii_lower_copy(message->arena, message->from, &folded));
    if (bt_organism_name_is_system(folded) || is_somebody(organism, folded)) {
        return bt_message_add_text_finding(message, "XML_FROM_RESERVED", from_node(message), "from",
                                           message->from);
    }
    if (!organism) {
        return BT_OK;
    }
    message->client = bt_organism_client(organism, message->from);
    if (!message->client || (client.len > 0 && !bt_str_eq(client, message->from))) {
        return bt_message_add_text_finding(message, "XML_FROM_UNKNOWN", from_node(message), "from",
                                           message->from);
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
    const char *reason = NULL;
    if (!message->options->organism) {
        return BT_OK;
    }
    BT_TRY(bt_message_check_meta_request(message, &reason));
    return reason ? bt_message_add_text_finding(message, "XML_META_REFUSED", message->payload,
                                                "reason", bt_str_of(reason))
                  : BT_OK;
}

static enum bt_status add_namespace_finding(struct bt_message_check *message)
{
    struct bt_xml_node *payload = message->payload;
    const bool is_envelope = bt_str_eq(payload->space, BT_SPACE_ENV);
    struct bt_finding_builder remark;
    const enum bt_status status =
        bt_message_check_remark(message, &remark, "XML_PAYLOAD_NAMESPACE", payload);
    bt_buf_put_text(&remark.message, "a payload is in no namespace; this one is in ");
    bt_buf_put_quoted(&remark.message, payload->space);
    bt_emit_member_string(&remark.emit, "namespace", payload->space);
    remark.finding.hint = is_envelope ? BT_STR("write xmlns=\"\" on it, or use --fix")
                                      : BT_STR("write it in no namespace");
    remark.finding.fix = is_envelope ? BT_FIX_SAFE : BT_FIX_NONE;
    BT_TRY(bt_message_add_finding(message, &remark));
    BT_TRY(status);
    return is_envelope ? bt_message_add_edit(
                             message, (struct bt_message_edit){.code = "XML_PAYLOAD_NAMESPACE",
                                                               .kind = BT_FIX_SAFE,
                                                               .node = payload})
                       : BT_OK;
}

static enum bt_status find_capability(struct bt_message_check *message)
{
    const bt_str tag = message->payload->name;
    const struct bt_organism_target target = bt_organism_target(message->options->organism, tag);
    if (!target.capability) {
        return bt_message_add_text_finding(message, "XML_CAPABILITY_UNKNOWN", message->payload,
                                           "tag", tag);
    }
    if (!bt_organism_client_may_call(message->client, target.name)) {
        return bt_message_add_text_finding(message, "XML_CAPABILITY_DENIED", message->payload,
                                           "tag", tag);
    }
    message->target = target;
    message->listener = target.name;
    if (message->has_to) {
        bt_str folded;
        BT_TRY(bt_ascii_lower_copy(message->arena, message->to, &folded));
        if (!bt_str_eq(folded, target.name)) {
            return bt_message_add_text_finding(message, "XML_TO_MISMATCH", to_node(message), "to",
                                               message->to);
        }
    }
    return BT_OK;
}

enum bt_status bt_message_check_target(struct bt_message_check *message)
{
    BT_TRY(check_sender(message));
    if (message->hard > 0) {
        return BT_OK;
    }
    if (is_reserved(message->payload)) {
        return bt_message_add_text_finding(message, "XML_RESERVED", message->payload, "name",
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
