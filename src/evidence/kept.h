/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kept.h - what is kept of transcripts between events: rows of the table `transcript`.
 *
 * A row changes without an entry. It is put only if it still is what was loaded: of two hooks that
 * run at once for one agent, the second reads again.
 */
#ifndef BATON_SRC_EVIDENCE_KEPT_H
#define BATON_SRC_EVIDENCE_KEPT_H

#include "decide/contract_state.h"
#include "evidence/follow.h"

/* Whose transcript. */
struct bt_evidence_key {
    bt_str workspace;
    bt_str session;
    bt_str agent_id; /* as in the states of agents; "-": the main agent */
};

/* Load a row; out->is_there is false when there is none. It lives in the arena. Statuses as for
 * bt_contract_agents_list(). */
BT_MUST_USE enum bt_status bt_evidence_kept_load(struct bt_ledger *ledger, struct bt_arena *arena,
                                                 const struct bt_evidence_key *key,
                                                 struct bt_evidence_kept *out,
                                                 struct bt_error *error);
/* In a transaction: put `after` if the row still is `before`; else *out_is_put is false. */
BT_MUST_USE enum bt_status bt_evidence_kept_put(struct bt_ledger_transaction *transaction,
                                                const struct bt_evidence_key *key,
                                                const struct bt_evidence_kept *before,
                                                const struct bt_evidence_kept *after,
                                                bool *out_is_put, struct bt_error *error);
/* Put `after` in a transaction of its own, without an entry, if the row still is `before`. The
 * ledger of `state` is open for writing. */
BT_MUST_USE enum bt_status bt_evidence_kept_save(const struct bt_contract_state *state,
                                                 const struct bt_evidence_key *key,
                                                 const struct bt_evidence_kept *before,
                                                 const struct bt_evidence_kept *after,
                                                 bool *out_is_put, struct bt_error *error);
/* Whether two rows are the same. */
bool bt_evidence_kept_is_equal(const struct bt_evidence_kept *a, const struct bt_evidence_kept *b);

#endif
