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
    BT_WRAP_ERROR_METHOD = -32601,
    BT_WRAP_ERROR_HIDDEN = -32602,
    BT_WRAP_ERROR_REFUSED = -31001,
    BT_WRAP_ERROR_ANSWER = -31002, /* the answer could not be passed on */
    BT_WRAP_ERROR_SERVER = -31003, /* the server has ended */
};

/* What the error of a blocked session says. */
#define BT_WRAP_BLOCKED_TEXT BT_STR("the server changed and is blocked")

/* An error as a response. */
struct bt_wrap_answer {
    const struct bt_wrap_id *id; /* NULL: without an id */
    enum bt_wrap_error error;
    unsigned code; /* enum bt_code, for `data` */
    bt_str message;
};

/* The error that a finding refuses a request with which is not a call. */
struct bt_wrap_answer bt_wrap_refusal_answer(const struct bt_wrap_id *id,
                                             const struct bt_finding *finding);
/* Put the object of an error in its canonical form. */
void bt_wrap_put_error_canonical(struct bt_buf *out, const struct bt_wrap_answer *answer);
/* Put an error as one line. */
void bt_wrap_write_error(struct bt_buf *out, const struct bt_wrap_answer *answer);
/* Put an error for one side, as one line. */
void bt_wrap_put_error(struct bt_wrap_session *session, enum bt_wrap_side to,
                       const struct bt_wrap_answer *answer);
/*
 * Refuse a call because of the first of these findings, which is added to those of the session. The
 * request is gone afterwards. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status bt_wrap_refuse_request(struct bt_wrap_session *session,
                                                  struct bt_wrap_request *request,
                                                  const struct bt_findings *one);
/*
 * Refuse a request of a side with the error of the last of these findings, and end its record. It
 * is gone afterwards. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status bt_wrap_refuse_by_error(struct bt_wrap_session *session,
                                                   enum bt_wrap_side from,
                                                   struct bt_wrap_request *request,
                                                   const struct bt_findings *findings);
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

/* Who the server says it is in an answer, which a handshake has in another place; NULL: it does not
 * say so. */
const bt_json_value *bt_wrap_server_info(const struct bt_wrap_message *message, bool is_handshake);
/* Keep what a message says about its sender: era, version, names. */
void bt_wrap_note_request(struct bt_wrap_session *session, const struct bt_wrap_message *message,
                          struct bt_wrap_request *request);
void bt_wrap_note_answer(struct bt_wrap_session *session, const struct bt_wrap_message *message,
                         const struct bt_wrap_request *request);

/* The time for measurements; 0: nothing is measured. */
static inline uint64_t bt_wrap_measured_us(const struct bt_wrap_session *session)
{
    const struct bt_wrap_meter *meter = session->settings->meter;
    return meter ? meter->now_us() : 0;
}

/* How texts of the session are read: a text may be as long as a message. */
struct bt_json_options bt_wrap_json_options(const struct bt_wrap_session *session);

/* The severity of a definition that is not the pinned one. */
static inline enum bt_severity bt_wrap_pinning_severity(enum bt_wrap_pinning pinning)
{
    return pinning == BT_WRAP_PINNING_WARN ? BT_SEVERITY_WARN : BT_SEVERITY_HARD;
}

/*
 * Block the session when a definition asks for it: every open request is answered, and nothing
 * passes any more. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status bt_wrap_block_if_needed(struct bt_wrap_session *session);
/* Answer a request because the session is blocked. */
void bt_wrap_answer_blocked(struct bt_wrap_session *session, const struct bt_wrap_id *id);

/*
 * Read a message of the server again with one of its values replaced by a JSON text, into the
 * memory of the message. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status bt_wrap_replace_value(struct bt_wrap_session *session,
                                                 const struct bt_wrap_message *message, bt_str line,
                                                 const bt_json_value *value, bt_str json,
                                                 const struct bt_json_doc **out);
/* Pass a message on that was changed: compact, in the order of its members. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_pass_document(struct bt_wrap_session *session,
                                                 const struct bt_json_doc *document);

/* Find the call that a request about a task belongs to. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_note_task(struct bt_wrap_session *session,
                                             const struct bt_wrap_message *message,
                                             struct bt_wrap_request *request);
/* Keep the name of the tool that a request is about, for its answer. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_request_keep_tool(struct bt_wrap_request *request, bt_str name);
/* Pass, change or withhold the answer to a call or to a request about a task. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_take_result(struct bt_wrap_session *session,
                                               const struct bt_wrap_message *message,
                                               struct bt_wrap_request *request, bt_str line);
/* Pass a notification of the server; one with the result of a task may be changed. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_take_notice(struct bt_wrap_session *session,
                                               const struct bt_wrap_message *message, bt_str line);
/* True when the policy does not let the server ask this. */
bool bt_wrap_refuses_server_request(const struct bt_wrap_session *session, bt_str method);

/* Remove an open request of the client, which got no answer of the server. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_lose_request(struct bt_wrap_session *session,
                                                struct bt_wrap_request *request);

#endif
