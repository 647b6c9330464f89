/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transcript.h - the transcript that an event names: found, read on, compared with the report of
 * the turn, and recorded with the decision.
 */
#ifndef BATON_APP_HOOK_TRANSCRIPT_H
#define BATON_APP_HOOK_TRANSCRIPT_H

#include "engine/submit.h"
#include "evidence/turn.h"
#include "hook.h"

/*
 * Find the transcript of the agent of an event: which file, and whose lines of it. out->path is ""
 * when there is none. It lives in the arena of the hook. BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status hook_transcript_find(const struct hook *hook,
                                                const struct hook_event *event,
                                                struct bt_evidence_source *out);

/* Whose transcript it is, in the store. */
struct bt_evidence_key hook_transcript_key(const struct hook_event *event, bt_str workspace);

/* One turn that is compared with its transcript. */
struct hook_turn {
    bool is_on; /* false: nothing is compared */
    struct bt_evidence_turn evidence;
    struct bt_transaction_hooks steps; /* of the submission */
};

/*
 * Read the transcript of a turn that ends, and set what compares it in the options. Statuses as for
 * bt_evidence_turn_read(). In every case the caller ends the turn with hook_turn_end().
 */
BT_MUST_USE enum bt_status hook_turn_begin(struct hook_turn *turn, const struct hook *hook,
                                           const struct hook_event *event,
                                           const struct hook_store *place,
                                           struct bt_contract_options *options);
void hook_turn_end(struct hook_turn *turn);

/*
 * Read the transcript of an agent that uses a tool, if it has grown by so much that its next report
 * would have to wait for it. `place` is open for reading. A failure costs nothing but that time.
 */
void hook_transcript_advance(const struct hook *hook, const struct hook_event *event,
                             const struct hook_store *place);

#endif
