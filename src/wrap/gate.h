/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate.h - requests that use an item: passed, refused, or held until the server's list is known.
 *
 * The only requests of our own are lists that a held request waits for.
 */
#ifndef BATON_SRC_WRAP_GATE_H
#define BATON_SRC_WRAP_GATE_H

#include "wrap/session.h"

void bt_wrap_gate_init(struct bt_wrap_session *session);
void bt_wrap_gate_free(struct bt_wrap_session *session);

/* List the items of a kind, unless that is being done or the session does not allow it. BT_EIO. */
BT_MUST_USE enum bt_status bt_wrap_gate_list(struct bt_wrap_session *session,
                                             enum bt_wrap_kind kind);
/*
 * List the items that a request is about, unless that is done or has failed. The metadata of a
 * modern request is used. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status bt_wrap_gate_begin_list(struct bt_wrap_session *session,
                                                   const struct bt_wrap_message *message,
                                                   const struct bt_wrap_request *request);
/* Pass, refuse or hold a request of the client that was added to the open ones. */
BT_MUST_USE enum bt_status bt_wrap_gate_request(struct bt_wrap_session *session,
                                                const struct bt_wrap_message *message,
                                                struct bt_wrap_request *request, bt_str line);
/* Hold a request; the caller says what it waits for. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_gate_hold(struct bt_wrap_session *session,
                                             struct bt_wrap_request *request, bt_str line,
                                             struct bt_wrap_held **out);
/* The held request that waits for the answer to a question of Baton, or NULL. */
struct bt_wrap_held *bt_wrap_gate_find_question(const struct bt_wrap_session *session,
                                                uint64_t number);
/* Decide again about the request that waited for this question. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_gate_release_question(struct bt_wrap_session *session,
                                                         uint64_t number);
/* Decide again about the requests that waited for a call with this digest. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_gate_release_repeated(struct bt_wrap_session *session,
                                                         const char *digest);
/* Forget a held request that was cancelled. */
void bt_wrap_gate_cancel(struct bt_wrap_session *session, const struct bt_wrap_request *request);
/* Take the answer to a request of our own. False: it is none. */
BT_MUST_USE enum bt_status bt_wrap_gate_take_answer(struct bt_wrap_session *session,
                                                    const struct bt_wrap_message *message,
                                                    bool *out_is_ours);
/* Take a notification of the server that a list has changed. */
void bt_wrap_gate_note_change(struct bt_wrap_session *session, bt_str method);

#endif
