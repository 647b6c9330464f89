/* SPDX-License-Identifier: Apache-2.0 */
/* pointer.h - parse JSON Pointers (RFC 6901). */
#ifndef BATON_SRC_JSON_POINTER_H
#define BATON_SRC_JSON_POINTER_H

#include <baton/base.h>

/* Take the first token, as it is written, off a well-formed pointer. False when it is empty. */
bool bt_json_pointer_next(bt_str *pointer, bt_str *out_token);
/* Whether a token as written, unescaped, is `name`. */
bool bt_json_pointer_token_equals(bt_str token, bt_str name);
/* A token as written -> what it means, in the arena when it had escapes. */
BT_MUST_USE enum bt_status bt_json_pointer_unescape(bt_str token, struct bt_arena *arena,
                                                    bt_str *out);
/* The array index a token stands for: digits without a leading zero. False for others. */
bool bt_json_pointer_index(bt_str token, size_t *out_index);

#endif
