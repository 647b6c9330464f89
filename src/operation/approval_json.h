/* SPDX-License-Identifier: Apache-2.0 */
/* approval_json.h - approval requests as JSON. */
#ifndef BATON_SRC_OPERATION_APPROVAL_JSON_H
#define BATON_SRC_OPERATION_APPROVAL_JSON_H

#include <baton/json.h>

#include "decide/approval_text.h"

/* Put the members of a request; the object stays open. */
BT_MUST_USE enum bt_status bt_emit_approval(struct bt_emit *emit, const struct bt_env *env,
                                            struct bt_arena *arena,
                                            const struct bt_approval *approval);
/* Put the member `findings`. */
void bt_emit_approval_findings(struct bt_emit *emit, const struct bt_findings *findings);
/* Put the result of an action, as the commands print it, with a final line feed. */
BT_MUST_USE enum bt_status
bt_emit_approval_result(struct bt_buf *buf, const struct bt_env *env, struct bt_arena *arena,
                        const struct bt_approval_action_options *action_options,
                        const struct bt_approval_result *answer);

/* ---- Arguments ------------------------------------------------------------------------------- */

/* Parse digits and one of s, m, h, d: the lifetime of a grant, at most a day. */
bool bt_approval_ttl_parse(bt_str text, uint64_t *out_seconds);
/* True when a text can be the fingerprint of a request. */
bool bt_fingerprint_is_valid(bt_str text);

#endif
