/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value_pointer.h - the pointer of a value, found by its place in the source.
 */
#ifndef BATON_SRC_JSON_VALUE_POINTER_H
#define BATON_SRC_JSON_VALUE_POINTER_H

#include <baton/json.h>

/* Put the JSON Pointer of `value`, which stands in `document`. Takes time logarithmic in the number
 * of children at each level. */
void bt_json_put_value_pointer(struct bt_buf *buf, const struct bt_json_doc *document,
                               const bt_json_value *value);

/* The JSON Pointer of `value` as a text in the arena. */
BT_MUST_USE enum bt_status bt_json_value_pointer(const struct bt_json_doc *document,
                                                 const bt_json_value *value, struct bt_arena *arena,
                                                 bt_str *out);

#endif
