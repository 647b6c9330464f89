/* SPDX-License-Identifier: Apache-2.0 */
/* session_internal.h - what the files of a session share. */
#ifndef BATON_SRC_WRAP_SESSION_INTERNAL_H
#define BATON_SRC_WRAP_SESSION_INTERNAL_H

#include "report/rules.h"
#include "wrap/compare.h"
#include "wrap/gate.h"
#include "wrap/pins.h"
#include "wrap/session.h"

/* The codes of our own errors; those of JSON-RPC, and three outside all reserved ranges. */
enum bt_wrap_error {
    BT_WRAP_ERROR_PARSE = -32700,
    BT_WRAP_ERROR_REQUEST = -32600,
    BT_WRAP_ERROR_HIDDEN = -32602,
    BT_WRAP_ERROR_REFUSED = -31001,
    BT_WRAP_ERROR_ANSWER = -31002, /* the answer could not be passed on */
    BT_WRAP_ERROR_SERVER = -31003, /* the server has ended */
};

/* An error as a response. */
struct bt_wrap_answer {
    const struct bt_wrap_id *id; /* NULL: without an id */
    enum bt_wrap_error error;
    unsigned code; /* enum bt_code, for `data` */
    bt_str message;
};

/* Put an error for one side, as one line. */
void bt_wrap_put_error(struct bt_wrap_session *session, enum bt_wrap_side to,
                       const struct bt_wrap_answer *answer);
/*
 * Refuse a request because of the first of these findings, which is added to those of the session.
 * The request is gone afterwards. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status bt_wrap_refuse_request(struct bt_wrap_session *session,
                                                  struct bt_wrap_request *request,
                                                  const struct bt_findings *one);
/* Answer a call with a result that says why it was refused. */
void bt_wrap_put_refusal(struct bt_buf *out, const struct bt_wrap_id *id, bool is_modern,
                         const struct bt_finding *finding);
/* Put that result in its canonical form, without its metadata. */
void bt_wrap_put_refusal_canonical(struct bt_buf *out, bool is_modern,
                                   const struct bt_finding *finding);
/* Where to put what is said to a side next. */
struct bt_buf *bt_wrap_output(struct bt_wrap_session *session, enum bt_wrap_side to);
/* Pass a line on with its bytes. */
void bt_wrap_pass(struct bt_wrap_session *session, enum bt_wrap_side to, bt_str line);
/* The status of what was put so far. */
enum bt_status bt_wrap_session_status(const struct bt_wrap_session *session);

/*
 * Write a line about each finding that was added since there were `before` of them. `status` is
 * what came of adding them, which is returned.
 */
BT_MUST_USE enum bt_status bt_wrap_log_findings(struct bt_wrap_session *session, size_t before,
                                                enum bt_status status);

/* Take a message of one side that was read from `line`. */
BT_MUST_USE enum bt_status bt_wrap_take_from_client(struct bt_wrap_session *session,
                                                    const struct bt_wrap_message *message,
                                                    bt_str line);
BT_MUST_USE enum bt_status bt_wrap_take_from_server(struct bt_wrap_session *session,
                                                    const struct bt_wrap_message *message,
                                                    bt_str line);

/* Keep what a message says about its sender: era, version, names. */
void bt_wrap_note_request(struct bt_wrap_session *session, const struct bt_wrap_message *message,
                          struct bt_wrap_request *request);
/* True: a call has failed. */
bool bt_wrap_note_answer(struct bt_wrap_session *session, const struct bt_wrap_message *message,
                         const struct bt_wrap_request *request);

/* Remove an open request of the client, which got no answer of the server. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_lose_request(struct bt_wrap_session *session,
                                                struct bt_wrap_request *request);

#endif
