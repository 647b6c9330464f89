/* SPDX-License-Identifier: Apache-2.0 */
/*
 * approval_json.h - requests for consent, written for programs and for people.
 */
#ifndef BATON_APP_SERVICE_APPROVAL_JSON_H
#define BATON_APP_SERVICE_APPROVAL_JSON_H

#include <baton/gate.h>
#include <baton/json.h>

/* Put the members of a request; the object stays open. */
BT_MUST_USE enum bt_status approval_emit(struct bt_emit *emit, const struct bt_env *env,
                                         struct bt_arena *arena,
                                         const struct bt_approval *approval);
/* Put the member `findings`. */
void approval_emit_findings(struct bt_emit *emit, const struct bt_findings *findings);
/* Put what came of a wish, as the commands print it, with a final line feed. */
BT_MUST_USE enum bt_status approval_put_answer(struct bt_buf *buf, const struct bt_env *env,
                                               struct bt_arena *arena,
                                               const struct bt_approval_wish *wish,
                                               const struct bt_approval_answer *answer);

/* ---- For people ------------------------------------------------------------------------------ */

/* What a grant covers: every text, in order. */
struct approval_commands {
    const bt_str *items;
    size_t count;
    size_t bytes; /* of all of them */
};

BT_MUST_USE enum bt_status approval_commands(const struct bt_env *env, struct bt_arena *arena,
                                             bt_str payload, struct approval_commands *out);
/* Put the commands, numbered, one on a line, in full; what hides or reorders text is escaped. */
void approval_put_commands(struct bt_buf *buf, const struct approval_commands *commands,
                           size_t indent);
/* Put all that a person is shown before deciding: the commands, then operation, scope, risk,
 * rollback, verification and fingerprint. */
BT_MUST_USE enum bt_status approval_put_text(struct bt_buf *buf, const struct bt_env *env,
                                             struct bt_arena *arena,
                                             const struct bt_approval *approval);

/* ---- Arguments ------------------------------------------------------------------------------- */

/* Take digits and one of s, m, h, d: how long a grant lives, at most a day. */
bool approval_parse_ttl(bt_str text, uint64_t *out_seconds);
/* Whether a text can be the fingerprint of a request. */
bool approval_is_fingerprint(bt_str text);

#endif
