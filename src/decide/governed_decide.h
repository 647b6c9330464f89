/* SPDX-License-Identifier: Apache-2.0 */
/*
 * governed_decide.h - one document on its way to a decision, for the files of this folder.
 *
 *     open | begin -> blocks -> governance -> record rules -> verdict -> entry, rows -> ... commit
 *
 * What stands before the bar needs no store; what stands behind it happens for every case of a
 * batch within one transaction.
 */
#ifndef BATON_SRC_DECIDE_GOVERNED_DECIDE_H
#define BATON_SRC_DECIDE_GOVERNED_DECIDE_H

#include "decide/governed_state.h"
#include "dialect/governed/verify.h"
#include "ledger/transaction.h"

/* An accepted handoff, as stored in its row. */
struct bt_governed_accepted_row {
    bool is_known;
    uint64_t seq;
    bt_str target;
    bt_str request_type;
    bt_str timestamp;
    uint64_t closed_seq; /* BT_STORE_NONE while it is open */
};

enum { BT_GOVERNED_REFS_MAX = 16 };

struct bt_governed_submission {
    struct bt_governed_input document;
    struct bt_arena *arena;
    struct bt_governed_check check;
    struct bt_identity identity; /* of what was read last */
    bt_str id;                   /* the replay key, or "" when the document has none */
    bt_str handoff_id;           /* of the handoff: its own, or the one that is answered */
    struct bt_governed_accepted_row linked; /* responses */
    size_t blocks[2];                       /* agents that are newly blocked, in agent order */
    size_t block_count;
    bool is_decided; /* already decided once, in a transaction that was not committed */
    struct bt_submission *submission;               /* set by the decision */
    struct bt_entry_ref refs[BT_GOVERNED_REFS_MAX]; /* of the entry */
    const struct bt_entry_ref *given_refs;          /* of the submission as it was given */
    size_t given_ref_count;
    struct bt_governed_decision decision;
    char response_id[BT_UUID_TEXT_BYTES]; /* of decision.response */
};

/* Decide a governed handoff or response and record it: the function of the dialects' rows. */
bt_record_fn bt_governed_decide;

/* The state of one call. */
struct bt_governed_decision_state {
    const struct bt_governed_state *govern;
    struct bt_store *store;
    struct bt_ledger_transaction *recording;
    char now[BT_INSTANT_TEXT_BYTES]; /* to the second */
    bt_instant at;
    struct bt_error *error;
};

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Columns of the table `blocked`. */
enum {
    BT_BLOCKED_AGENT_ID = 0,
    BT_BLOCKED_REASON,
    BT_BLOCKED_SINCE,
    BT_BLOCKED_CLEARED,
    BT_BLOCKED_UPDATED,
    BT_BLOCKED_COLUMNS,
};

/* The row of an agent that is blocked, in the arena of the call; BT_ENOENT when it is not. */
BT_MUST_USE enum bt_status bt_agent_block_load(const struct bt_governed_decision_state *deciding,
                                               bt_str agent_id, const struct bt_store_cell **out);
/* Mark the blocked agents of a list. */
BT_MUST_USE enum bt_status bt_agent_blocks_mark(const struct bt_governed_decision_state *deciding,
                                                struct bt_governed_root *governed_root);
/* Add AGENT_BLOCKED for each identified agent that is blocked. */
BT_MUST_USE enum bt_status
bt_agent_blocks_add_findings(const struct bt_governed_decision_state *deciding,
                             struct bt_governed_submission *item);
/* Collect the agents that the findings block and that are not blocked yet. */
void bt_agent_blocks_collect(struct bt_governed_submission *item);
/* Block them: an entry below the decision and a row each. */
BT_MUST_USE enum bt_status bt_agent_blocks_emit(struct bt_governed_decision_state *deciding,
                                                const struct bt_governed_submission *item);

/* The accepted handoff of this id; *out is empty when there is none. */
BT_MUST_USE enum bt_status
bt_governed_accepted_row_get(const struct bt_governed_decision_state *deciding,
                             struct bt_arena *arena, bt_str id,
                             struct bt_governed_accepted_row *out);
/* Put its row. */
BT_MUST_USE enum bt_status
bt_governed_accepted_row_put(const struct bt_governed_decision_state *deciding, bt_str id,
                             const struct bt_governed_accepted_row *linked, uint64_t updated_seq);

/* An entry of kind `kind` about Baton's own state. NULL when the arena is exhausted. */
struct bt_entry *bt_governed_add_entry(const struct bt_governed_state *govern, const char *kind);

/* ---- Steps ----------------------------------------------------------------------------------- */

/* Check what needs no store, from the beginning. */
BT_MUST_USE enum bt_status bt_governed_submission_read(struct bt_governed_submission *item);
/* Links, freshness, then replay; only when nothing HARD came before. */
BT_MUST_USE enum bt_status
bt_governed_submission_record_rules(const struct bt_governed_decision_state *deciding,
                                    struct bt_governed_submission *item);
/* True when there is a HARD finding so far. */
bool bt_governed_submission_is_refused(const struct bt_governed_submission *item);
/* The finding that a refusal is about, among findings that are finished. */
const struct bt_finding *bt_governed_submission_primary(const struct bt_findings *findings);
/* Write the document that answers a refused handoff. */
BT_MUST_USE enum bt_status
bt_governed_submission_refuse(const struct bt_governed_decision_state *deciding,
                              struct bt_governed_submission *item);

#endif
