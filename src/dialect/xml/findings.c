/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings.c - the places of elements, and findings about attributes.
 */
#include "base/buf.h"
#include "dialect/xml/message_check.h"

/* The path of an element, and below it the attribute `name` unless that is "". */
static struct bt_location locate_attribute(const struct bt_message_check *message,
                                           const struct bt_xml_node *element, bt_str name)
{
    struct bt_location at = bt_location_pointer(BT_STR(""), element->offset);
    struct bt_buf path;
    bt_buf_init(&path, SIZE_MAX);
    at.status = bt_xml_put_path(&path, message->arena, element);
    if (name.len > 0) {
        bt_buf_put_text(&path, "/@");
        bt_buf_put(&path, name);
    }
    const enum bt_status status = bt_buf_finish(&path, message->arena, &at.pointer);
    at.status = at.status == BT_OK ? status : at.status;
    return at;
}

struct bt_location bt_message_locate(const struct bt_message_check *message,
                                     const struct bt_xml_node *element)
{
    return element ? locate_attribute(message, element, BT_STR("")) : bt_location_whole();
}

enum bt_status bt_message_check_attributes(struct bt_message_check *message,
                                           const struct bt_xml_node *element, bool is_payload)
{
    for (size_t i = 0; i < element->attributes_count; i++) {
        const bt_str name = element->attributes[i].name;
        const struct bt_location at = locate_attribute(message, element, name);
        BT_TRY(is_payload ? bt_add_xml_attribute_unexpected(message->findings, at, name)
                          : bt_add_xml_envelope_attribute(message->findings, at, name));
    }
    return BT_OK;
}
