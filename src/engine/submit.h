/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submit.h - the whole road of a judged document: decide, record, deliver, in one transaction.
 *
 * Every call has one of three results: BT_OK and done; BT_OK with findings in `alarms`, which means
 * that the ledger itself cannot be trusted and nothing was done; any other status, and then nothing
 * was stored unless the submission says otherwise.
 */
#ifndef BATON_SRC_ENGINE_SUBMIT_H
#define BATON_SRC_ENGINE_SUBMIT_H

#include "deliver/inbox.h"
#include "engine/check.h"

/*
 * Begin a submission of a handoff: everything that is not given is absent. Of the text at most
 * `limit` bytes are recorded.
 */
void bt_submission_init(struct bt_submission *submission, struct bt_arena *arena,
                        struct bt_judgement *judged, bt_str actor, bt_str text, uint64_t limit);

struct bt_check_options; /* see check.h */

/*
 * Judge `text`, which messages call `path`, into the judgement of the submission, and take the
 * names of its entry from the document. Statuses as for bt_check_document().
 */
BT_MUST_USE enum bt_status bt_submission_judge(struct bt_submission *submission, struct bt_env *env,
                                               bt_str path, bt_str text,
                                               const struct bt_check_options *options);

/* ---- Rejecting before a decision ------------------------------------------------------------- */

/*
 * Reject a document whose source the caller may not represent: AGENT_BINDING_MISMATCH replaces all
 * findings of stages after `schema`, the verdict is rejected, and the document uses no id.
 * BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_submission_reject_source(struct bt_submission *submission);
/*
 * Reject a document whose envelope has expired: ENVELOPE_EXPIRED replaces all findings of stages
 * after `schema`, the verdict is rejected, and the document uses no id. BT_ENOMEM: the arena
 * reached its limit.
 */
BT_MUST_USE enum bt_status bt_submission_reject_expired(struct bt_submission *submission);

/*
 * Reject a document because of the receipts that came with it, or did not: `why` replaces all
 * findings of stages after `schema`, the verdict is rejected, and the document uses no id.
 * BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_submission_reject_receipts(struct bt_submission *submission,
                                                         const struct bt_findings *why);

/* ---- Submitting ------------------------------------------------------------------------------ */

/* A decision inside its transaction, after its entry was made. */
struct bt_decision_record {
    const struct bt_judgement *judged; /* its members are those of the command, for the report */
    uint64_t seq;
    bt_str time;
    bt_str record;        /* JSON object: seq, ref, leaf_hash */
    bt_str message;       /* its id in an inbox; "": not in an inbox */
    bt_str handoff_id;    /* of its entry, or "" */
    const void *decision; /* of its dialect, see struct bt_submission; NULL: none */
};

/*
 * Code that runs in the transaction of a decision. `before` runs under the append lock before the
 * decision, and may end it by setting *out_is_over; `after` runs when the entry is made and the
 * inbox filled. Both may be called again after a failed transaction, so they must not rely on the
 * effects of an earlier call.
 */
struct bt_transaction_hooks {
    enum bt_status (*before)(void *context, struct bt_ledger_transaction *recording,
                             bool *out_is_over, struct bt_error *error);
    enum bt_status (*after)(void *context, struct bt_ledger_transaction *recording,
                            const struct bt_decision_record *decided, struct bt_error *error);
    void *context;
};

/*
 * Decide, record and deliver submissions in one transaction; with a writer there must be one. The
 * members of a judgement are then those of the decision. A repeated request only sets the outcome
 * and the stored response of submission->once. In a dry run, which is for one submission, the
 * decision is made and nothing is stored. Statuses as for bt_ledger_append().
 */
BT_MUST_USE enum bt_status bt_submit(const struct bt_deliver *deliver, struct bt_submission **items,
                                     size_t count, struct bt_error *error);

/*
 * Decide, record and deliver a submission through the writer without waiting: begin, and end after
 * the notification or at the deadline. Statuses as for bt_ledger_writer_submit().
 */
BT_MUST_USE enum bt_status bt_submit_begin(const struct bt_deliver *deliver,
                                           struct bt_submission *submission,
                                           const struct bt_ledger_completion *wait);

/*
 * Get a submission back after the notification, or give up at the deadline. *out_is_back is false
 * when that is not possible yet: try again after BT_LEDGER_ABANDON_RETRY_MS. Statuses as for
 * bt_ledger_writer_finish() and bt_ledger_writer_abandon().
 */
BT_MUST_USE enum bt_status bt_submit_end(struct bt_submission *submission, bool was_notified,
                                         bool *out_is_back, struct bt_error *error);

/* Put the member `record` before the other members of the judgement. BT_ENOMEM: the arena reached
 * its limit. */
BT_MUST_USE enum bt_status bt_submission_put_record(struct bt_submission *submission);

#endif
