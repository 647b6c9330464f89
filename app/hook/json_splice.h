/* SPDX-License-Identifier: Apache-2.0 */
/* json_splice.h - change one place in a JSON text, in the style of the text around it. */
#ifndef BATON_APP_HOOK_JSON_SPLICE_H
#define BATON_APP_HOOK_JSON_SPLICE_H

#include <baton/json.h>

/*
 * Each function makes a new text in the arena; `value` is compact JSON. BT_ENOMEM: the arena
 * reached its limit.
 */

/* Add a last child to a container; `name` is "" for an array. */
BT_MUST_USE enum bt_status json_splice_append(struct bt_arena *arena,
                                              const struct bt_json_doc *document,
                                              const bt_json_value *container, const char *name,
                                              bt_str value, bt_str *out);
/* Replace a value. */
BT_MUST_USE enum bt_status json_splice_replace(struct bt_arena *arena,
                                               const struct bt_json_doc *document,
                                               const bt_json_value *old, bt_str value, bt_str *out);
/* Remove the child at `index` with its comma. */
BT_MUST_USE enum bt_status json_splice_remove(struct bt_arena *arena,
                                              const struct bt_json_doc *document,
                                              const bt_json_value *container, size_t index,
                                              bt_str *out);

#endif
