/* SPDX-License-Identifier: Apache-2.0 */
/*
 * case.h - one document on its way to a decision, for the files of this folder.
 *
 *     open | begin -> blocks -> governance -> record rules -> verdict -> entry, rows -> ... commit
 *
 * What stands before the bar needs no store; what stands behind it happens for every case of a
 * batch within one transaction.
 */
#ifndef BATON_SRC_GOVERN_CASE_H
#define BATON_SRC_GOVERN_CASE_H

#include <baton/govern.h>

#include "dialect/governed/verify.h"
#include "ledger/record.h"

/* An accepted handoff, as its row has it. */
struct bt_linked {
    bool is_known;
    uint64_t seq;
    bt_str target;
    bt_str request_type;
    bt_str timestamp;
    uint64_t closed_seq; /* BT_STORE_NONE while it is open */
};

struct bt_case {
    struct bt_case_document document;
    struct bt_arena *arena;
    struct bt_ruling ruling;
    bt_str id;               /* the replay key, or "" when the document has none */
    bt_str handoff_id;       /* of the handoff: its own, or the one that is answered */
    struct bt_linked linked; /* responses */
    size_t blocks[2];        /* agents that are newly blocked, in agent order */
    size_t block_count;
    bool is_decided;                    /* once already, in a transaction that came to nothing */
    const struct bt_ledger_item *asked; /* what its item of a batch says, or NULL */
    struct bt_recorded *recorded;
    struct bt_case_decision decision;
};

/* What a call works with. */
struct bt_deciding {
    const struct bt_govern *govern;
    struct bt_store *store;
    struct bt_recording *recording;
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
BT_MUST_USE enum bt_status bt_blocks_row(const struct bt_deciding *deciding, bt_str agent_id,
                                         const struct bt_cell **out);
/* Mark the agents of a roster that are blocked. */
BT_MUST_USE enum bt_status bt_blocks_mark(const struct bt_deciding *deciding,
                                          struct bt_roster *roster);
/* AGENT_BLOCKED for each identified agent that is. */
BT_MUST_USE enum bt_status bt_blocks_say(const struct bt_deciding *deciding, struct bt_case *item);
/* Which agents the findings block that are not blocked yet. */
void bt_blocks_collect(struct bt_case *item);
/* Block them: an entry below the decision and a row each. */
BT_MUST_USE enum bt_status bt_blocks_put(struct bt_deciding *deciding, const struct bt_case *item);

/* The accepted handoff of this id; nothing known when there is none. */
BT_MUST_USE enum bt_status bt_linked_get(const struct bt_deciding *deciding, struct bt_arena *arena,
                                         bt_str id, struct bt_linked *out);
/* Put its row. */
BT_MUST_USE enum bt_status bt_linked_put(const struct bt_deciding *deciding, bt_str id,
                                         const struct bt_linked *linked, uint64_t updated_seq);

/* An entry of kind `kind` about Baton's own state. NULL when the arena is exhausted. */
struct bt_entry *bt_govern_entry(const struct bt_govern *govern, const char *kind);

/* ---- Steps ----------------------------------------------------------------------------------- */

/* Judge what needs no store, from the beginning. */
BT_MUST_USE enum bt_status bt_case_read(struct bt_case *item);
/* Links, freshness, then replay; only when nothing HARD came before. */
BT_MUST_USE enum bt_status bt_case_record_rules(const struct bt_deciding *deciding,
                                                struct bt_case *item);
/* Whether a finding is HARD so far. */
bool bt_case_is_refused(const struct bt_case *item);
/* The finding that a refusal is about, among findings that are finished. */
const struct bt_finding *bt_case_primary(const struct bt_findings *findings);
/* Write the document that answers a refused handoff. */
BT_MUST_USE enum bt_status bt_case_refuse(const struct bt_deciding *deciding, struct bt_case *item);

#endif
