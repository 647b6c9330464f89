/* SPDX-License-Identifier: Apache-2.0 */
/* approval_text.h - what a person sees before deciding about a request, and the form that asks. */
#ifndef BATON_SRC_DECIDE_APPROVAL_TEXT_H
#define BATON_SRC_DECIDE_APPROVAL_TEXT_H

#include <baton/json.h>

#include "decide/contract_state.h"

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

/* The most bytes of commands that a form shows. */
enum { BT_APPROVAL_FORM_BYTES_MAX = 4000 };

/*
 * Put the params of an elicitation of the Model Context Protocol: everything that will be granted,
 * and a form for the decision. BT_ENOMEM, BT_ECORRUPT: nothing may be sent.
 */
BT_MUST_USE enum bt_status bt_approval_put_form(struct bt_emit *emit, const struct bt_env *env,
                                                struct bt_arena *arena,
                                                const struct bt_approval *approval);

/* What a person answered in the form. */
enum bt_approval_reply {
    BT_APPROVAL_REPLY_NONE = 0, /* nothing that could be understood */
    BT_APPROVAL_REPLY_APPROVE,
    BT_APPROVAL_REPLY_DENY,
    BT_APPROVAL_REPLY_DECLINED, /* the person did not decide */
};

/* Read the result of the elicitation; `result` may be NULL. *out_reason is a text of at most 200
 * characters, or "". */
enum bt_approval_reply bt_approval_read_reply(const struct bt_json_doc *document,
                                              const bt_json_value *result, bt_str *out_reason);

#endif
