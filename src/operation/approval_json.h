/* SPDX-License-Identifier: Apache-2.0 */
/* approval_json.h - approval requests as JSON and as text for people. */
#ifndef BATON_SRC_OPERATION_APPROVAL_JSON_H
#define BATON_SRC_OPERATION_APPROVAL_JSON_H

#include <baton/json.h>

#include "decide/contract_state.h"

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

/* ---- For people ------------------------------------------------------------------------------ */

/* What a grant covers: every command, in order. */
struct bt_op_approval_json_commands {
    const bt_str *items;
    size_t count;
    size_t bytes; /* of all of them */
};

BT_MUST_USE enum bt_status bt_op_approval_commands(const struct bt_env *env, struct bt_arena *arena,
                                                   bt_str payload,
                                                   struct bt_op_approval_json_commands *out);
/* Put the commands, numbered, one on a line, in full; characters that hide or reorder text are
 * escaped. */
void bt_approval_put_commands(struct bt_buf *buf,
                              const struct bt_op_approval_json_commands *commands, size_t indent);
/* Put everything that a person sees before deciding: the commands, then operation, scope, risk,
 * rollback, verification and fingerprint. */
BT_MUST_USE enum bt_status bt_approval_put_text(struct bt_buf *buf, const struct bt_env *env,
                                                struct bt_arena *arena,
                                                const struct bt_approval *approval);

/* ---- Arguments ------------------------------------------------------------------------------- */

/* Parse digits and one of s, m, h, d: the lifetime of a grant, at most a day. */
bool bt_approval_ttl_parse(bt_str text, uint64_t *out_seconds);
/* True when a text can be the fingerprint of a request. */
bool bt_fingerprint_is_valid(bt_str text);

#endif
