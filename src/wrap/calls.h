/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.h - requests that are recorded: from their arrival to their record, and answers that wait
 * until the record is durable.
 */
#ifndef BATON_SRC_WRAP_CALLS_H
#define BATON_SRC_WRAP_CALLS_H

#include "ledger/ledger.h"
#include "wrap/record.h"
#include "wrap/requests.h"

struct bt_wrap_session;
struct bt_wrap_recorder;
struct bt_ledger;

/* How the requests of a session are recorded. */
struct bt_wrap_record_settings {
    struct bt_wrap_recorder *recorder; /* NULL: nothing is recorded */
    bt_str agent;                      /* who calls; "": what the client calls itself */
    bt_str lock_sha256;                /* "": no lock */
    struct bt_policy policy;
};

/* An answer that waits for its record, and everything that was said to the client after it. */
struct bt_wrap_waiting_answer {
    struct bt_wrap_waiting_answer *next;
    const struct bt_wrap_record *record; /* NULL: it is durable, or does not have to be */
    struct bt_wrap_id id;
    bool is_modern;
    bool is_call;
    bool has_failed;
    bool is_withheld;   /* the record could not be written */
    size_t answer_size; /* of the answer; the rest of `bytes` came later */
    struct bt_buf *bytes;
};

struct bt_wrap_waiting_answers {
    struct bt_wrap_waiting_answer *first;
    struct bt_wrap_waiting_answer *last;
    bool failure_is_reported;
    struct bt_object_pool pool;
};

void bt_wrap_calls_init(struct bt_wrap_session *session);
void bt_wrap_calls_free(struct bt_wrap_session *session);

/* When a record is late; UINT64_MAX: none waits. */
uint64_t bt_wrap_calls_deadline(const struct bt_wrap_session *session);

/* Have what is said to the client next wait for a record; NULL: it is missing. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_waiting_begin(struct bt_wrap_session *session,
                                                 const struct bt_wrap_request *request,
                                                 const struct bt_wrap_record *record,
                                                 bool has_failed);
/* The buffer that takes what is said to the client next. */
struct bt_buf *bt_wrap_client_output(struct bt_wrap_session *session);

/*
 * Begin the record of a request of either side, when requests of its method are recorded.
 * BT_ENOMEM, BT_EIO.
 */
BT_MUST_USE enum bt_status bt_wrap_call_begin(struct bt_wrap_session *session,
                                              const struct bt_wrap_message *message,
                                              struct bt_wrap_request *request);
/* True when a call may not be passed on, because it could not be recorded. */
bool bt_wrap_call_needs_store(const struct bt_wrap_session *session,
                              const struct bt_wrap_request *request);

/* Take the answer to a request into its record. */
BT_MUST_USE enum bt_status bt_wrap_call_take_answer(const struct bt_wrap_message *message,
                                                    const struct bt_wrap_request *request);
/*
 * End the record of a request, which is gone afterwards. When its answer has to wait, what is said
 * to the client up to bt_wrap_call_answered() is that answer.
 */
BT_MUST_USE enum bt_status bt_wrap_call_end(struct bt_wrap_session *session,
                                            struct bt_wrap_request *request,
                                            enum bt_wrap_event event);
/*
 * End the record of a request that is not about a tool, if it has one, with its answer: a result or
 * an error.
 */
BT_MUST_USE enum bt_status bt_wrap_call_end_other(struct bt_wrap_session *session,
                                                  const struct bt_wrap_message *message,
                                                  struct bt_wrap_request *request);
/* What is said to a refused request: an error, for the last finding. */
#define BT_WRAP_REFUSED_BY_ERROR SIZE_MAX

/*
 * End the record of a request that was refused. The findings from `from` on refuse it, and are what
 * is said to it; or BT_WRAP_REFUSED_BY_ERROR.
 */
BT_MUST_USE enum bt_status bt_wrap_call_refuse(struct bt_wrap_session *session,
                                               struct bt_wrap_request *request,
                                               const struct bt_findings *findings, size_t from);
/*
 * Set what the policy says about the tool of a call: its class, what is kept of it, and what
 * happens while the store fails. May be repeated when more is known. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status bt_wrap_call_set_tool(struct bt_wrap_session *session,
                                                 const struct bt_wrap_message *message,
                                                 const struct bt_wrap_request *request,
                                                 const struct bt_wrap_tool_policy *tool);
/* End the record of a call whose result is withheld because of the findings from `from` on. */
BT_MUST_USE enum bt_status bt_wrap_call_withhold(struct bt_wrap_session *session,
                                                 struct bt_wrap_request *request,
                                                 const struct bt_findings *findings, size_t from);
/* Take findings into the record of a request, if it has one. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_call_note(const struct bt_wrap_request *request,
                                             const struct bt_findings *findings);
/*
 * End the record of a list, of initialize or of server/discover: it is recorded when there are
 * findings about definitions behind the first `before` of the session.
 */
BT_MUST_USE enum bt_status bt_wrap_call_end_list(struct bt_wrap_session *session,
                                                 struct bt_wrap_request *request, size_t before);
/* Record findings about a list that we asked for ourselves, in the same way. */
BT_MUST_USE enum bt_status bt_wrap_call_record_own_list(struct bt_wrap_session *session,
                                                        const struct bt_wrap_message *message,
                                                        enum bt_wrap_kind kind, size_t before);
/*
 * True when the store may be written to on the thread of the session: not after a commit whose
 * outcome is unknown.
 */
bool bt_wrap_store_is_usable(const struct bt_wrap_session *session);
/* Note that a write of the session has failed; after an unknown outcome nothing more is written. */
void bt_wrap_note_store(struct bt_wrap_session *session, struct bt_ledger *ledger,
                        const struct bt_error *error);

/* Add the finding about a call that cannot be recorded; it may have been executed. */
BT_MUST_USE enum bt_status bt_wrap_refuse_unrecorded(struct bt_wrap_session *session,
                                                     struct bt_findings *one, bool is_executed);
/* The answer of the request that ended last is complete. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_call_answered(struct bt_wrap_session *session);

#endif
