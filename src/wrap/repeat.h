/* SPDX-License-Identifier: Apache-2.0 */
/*
 * repeat.h - calls that are repeated: a call with a key, or of an idempotent tool whose answer was
 * lost, gets the recorded answer instead of being executed twice.
 */
#ifndef BATON_SRC_WRAP_REPEAT_H
#define BATON_SRC_WRAP_REPEAT_H

#include "wrap/record.h"
#include "wrap/requests.h"

struct bt_ledger;
struct bt_wrap_session;

/* Where the keys of calls are kept. The ledger is used on the thread of the session. */
struct bt_wrap_repeats {
    struct bt_ledger *ledger; /* open for writing; NULL: calls are not compared */
    bt_str principal;
    bt_str owner;     /* this process */
    uint64_t seconds; /* that a key is kept */
};

struct bt_call_key; /* see ledger/call_key.h */

/* The key of a call, as its row has it. */
struct bt_call_key bt_wrap_repeat_key(const struct bt_wrap_repeats *repeats,
                                      const struct bt_wrap_record_key *own);

/*
 * Decide whether a call is a repetition. *out_is_done: it was refused, answered or is held; else it
 * may be passed on, and its key, if it has one, is open and durable. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status bt_wrap_repeat_call(struct bt_wrap_session *session,
                                               const struct bt_wrap_message *message,
                                               struct bt_wrap_request *request, bt_str line,
                                               bool *out_is_done);
/* Keep the answer of a call for its repetition. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_repeat_take_answer(const struct bt_wrap_message *message,
                                                      const struct bt_wrap_request *request);
/* The record of a call ends with this event: what becomes of its key. */
void bt_wrap_repeat_end(struct bt_wrap_record *record, enum bt_wrap_event event);
/* The fate of a record is known: decide about calls that wait for it. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_repeat_release(struct bt_wrap_session *session,
                                                  const struct bt_wrap_record *record);

#endif
