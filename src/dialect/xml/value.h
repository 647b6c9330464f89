/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value.h - values and the findings about them, for the files of this folder.
 */
#ifndef BATON_SRC_DIALECT_XML_VALUE_H
#define BATON_SRC_DIALECT_XML_VALUE_H

#include "dialect/xml/message_check.h"
#include "organism/xsd.h"

/* True when a text is a value of a simple type. */
bool bt_message_value_matches(enum bt_payload_type_kind kind, bt_str text);

/* Report equal items of a set, or equal keys of a dict, at the later item. */
BT_MUST_USE enum bt_status bt_message_values_unique(struct bt_message_check *message,
                                                    struct bt_xml_node *element,
                                                    const struct bt_payload_type *type);

#endif
