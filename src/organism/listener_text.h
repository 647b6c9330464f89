/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listener_text.h - the texts that are made from types, for the files of this folder.
 */
#ifndef BATON_SRC_ORGANISM_LISTENER_TEXT_H
#define BATON_SRC_ORGANISM_LISTENER_TEXT_H

#include "organism/payload_type.h"

/* Put the XSD of global elements: the frame around them, and one of them. */
void bt_xsd_put_begin(struct bt_buf *buf);
void bt_xsd_put_element(struct bt_buf *buf, bt_str name, const struct bt_payload_type *type);
void bt_xsd_put_end(struct bt_buf *buf);

/* Put the example of an element, canonical. `arena` is working memory. */
BT_MUST_USE enum bt_status bt_organism_listener_put_example(struct bt_buf *buf,
                                                            struct bt_arena *arena, bt_str name,
                                                            const struct bt_payload_type *type);

#endif
