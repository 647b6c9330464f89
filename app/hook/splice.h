/* SPDX-License-Identifier: Apache-2.0 */
/*
 * splice.h - one change to the text of a JSON document, in the style of the text around it.
 */
#ifndef BATON_APP_HOOK_SPLICE_H
#define BATON_APP_HOOK_SPLICE_H

#include <baton/json.h>

/* Each makes a new text in the arena; `value` is JSON, compact. BT_ENOMEM is the only failure. */

/* Add a last child to a container; `name` is "" for an array. */
BT_MUST_USE enum bt_status hook_splice_last(struct bt_arena *arena, const struct bt_doc *document,
                                            const bt_value *container, const char *name,
                                            bt_str value, bt_str *out);
BT_MUST_USE enum bt_status hook_splice_over(struct bt_arena *arena, const struct bt_doc *document,
                                            const bt_value *old, bt_str value, bt_str *out);
/* Take the child at `index` out, with its comma. */
BT_MUST_USE enum bt_status hook_splice_out(struct bt_arena *arena, const struct bt_doc *document,
                                           const bt_value *container, size_t index, bt_str *out);

#endif
