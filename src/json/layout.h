/* SPDX-License-Identifier: Apache-2.0 */
/* layout.h - lay out a JSON text for reading without reading it. */
#ifndef BATON_SRC_JSON_LAYOUT_H
#define BATON_SRC_JSON_LAYOUT_H

#include <baton/base.h>

/*
 * Put a text that this program wrote as JSON: indented by two spaces, with one final line feed, as
 * BT_JSON_FORM_PRETTY is. Strings and numbers are copied. What is not JSON gives some text and
 * nothing worse. Failures stick to the buffer.
 */
void bt_json_put_layout(struct bt_buf *buf, bt_str text);

#endif
