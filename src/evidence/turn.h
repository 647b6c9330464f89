/* SPDX-License-Identifier: Apache-2.0 */
/*
 * turn.h - the evidence of one turn: its transcript is read on before the transaction of the
 * decision, and compared and recorded in it.
 *
 *     bt_evidence_turn_init(&turn, ...);
 *     BT_TRY(bt_evidence_turn_read(&turn, error));
 *     options.compare = bt_evidence_compare; options.compare_context = &turn.evidence;
 *     in the transaction, before the decision: bt_evidence_turn_refresh()
 *     in the transaction, after it:            bt_evidence_turn_record()
 *     bt_evidence_turn_free(&turn);
 *
 * The record has no text of the transcript: its state, the digest of the slice since the last
 * record, how many claims were confirmed, and the codes that were found.
 */
#ifndef BATON_SRC_EVIDENCE_TURN_H
#define BATON_SRC_EVIDENCE_TURN_H

#include "evidence/evidence.h"
#include "evidence/kept.h"

/* What the agent has spent so far, for the record. Unknown members are null there. */
struct bt_evidence_usage {
    bool has_tokens;
    uint64_t tokens;
    bt_str cost;     /* decimal digits, or "" */
    bt_str currency; /* or "" */
};

struct bt_evidence_turn {
    const struct bt_contract_state *state;
    struct bt_evidence_key key;
    struct bt_evidence evidence; /* the context of bt_evidence_compare() */
    struct bt_evidence_follow follow;
    struct bt_evidence_kept kept; /* as it was loaded */
    bool keeps_slice;             /* record the bytes of the slice too ... */
    uint64_t slice_bytes_max;     /* ... unless there are more than these */
    struct bt_evidence_usage usage;
};

/* An entry about an agent, whose document has these bytes. */
struct bt_evidence_entry {
    uint64_t parent;
    bt_str agent;
    const char *reason;
    bt_str document;
    bool is_truncated; /* only the digest is recorded */
};

/* In a transaction: add an entry of kind `raw`; *out_seq is its number. */
BT_MUST_USE enum bt_status bt_evidence_add_entry(const struct bt_contract_state *state,
                                                 struct bt_ledger_transaction *transaction,
                                                 const struct bt_evidence_entry *made,
                                                 uint64_t *out_seq, struct bt_error *error);

/* Begin a turn; everything else of *turn is set by the caller before it is read. */
void bt_evidence_turn_init(struct bt_evidence_turn *turn, const struct bt_contract_state *state,
                           const struct bt_evidence *evidence);
void bt_evidence_turn_free(struct bt_evidence_turn *turn);
/* Load what was kept, and read the transcript to its end. BT_ELIMIT: the time is over. */
BT_MUST_USE enum bt_status bt_evidence_turn_read(struct bt_evidence_turn *turn,
                                                 struct bt_error *error);
/* In the transaction: read again if another hook has changed what was kept. */
BT_MUST_USE enum bt_status bt_evidence_turn_refresh(struct bt_evidence_turn *turn,
                                                    struct bt_error *error);
/*
 * In the transaction: add the record, whose parent is entry `parent`, and keep what was read.
 * `agent_id` is that of the decision, `findings` are its findings.
 */
BT_MUST_USE enum bt_status bt_evidence_turn_record(struct bt_evidence_turn *turn,
                                                   struct bt_ledger_transaction *transaction,
                                                   uint64_t parent, bt_str agent_id,
                                                   const struct bt_findings *findings,
                                                   struct bt_error *error);
/* Keep what was read, in a transaction of its own, unless another hook was faster. */
BT_MUST_USE enum bt_status bt_evidence_turn_keep(struct bt_evidence_turn *turn,
                                                 struct bt_error *error);

#endif
