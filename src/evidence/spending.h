/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spending.h - what agents spent, kept in the store between their events, and limits that a person
 * has set.
 *
 * The usage of an agent lies in the columns `counters` and `message_ids` of its row of the table
 * `transcript`; a limit that a person has set in the table `budget`. Usage only grows.
 */
#ifndef BATON_SRC_EVIDENCE_SPENDING_H
#define BATON_SRC_EVIDENCE_SPENDING_H

#include "evidence/budget.h"
#include "evidence/kept.h"

/* The usage of one agent while its transcript is read on. */
struct bt_spending {
    struct bt_usage usage; /* its only agent is "-" */
    bt_str parent;         /* the transcript that the agent's may repeat, or "" */
    bool is_parent_tried;  /* it was looked for */
    bool is_recounted;     /* running totals are counted from the start again */
    struct bt_usage_agent before;
};

/* Begin with what was kept. The arena must outlive it. BT_ENOMEM: no memory. */
BT_MUST_USE enum bt_status bt_spending_begin(struct bt_spending *spending, struct bt_arena *arena,
                                             const struct bt_env *env,
                                             const struct bt_evidence_spent *kept);
void bt_spending_free(struct bt_spending *spending);
/* Count an event of the transcript that is followed. Statuses as for bt_transcript_next(). */
BT_MUST_USE enum bt_status bt_spending_add(struct bt_spending *spending,
                                           const struct bt_evidence_follow *follow,
                                           const struct bt_transcript_event *event);
/* Write what is to be kept: out->counters and out->message_ids, in the arena. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_spending_write(struct bt_spending *spending,
                                             struct bt_evidence_spent *out);
/* One agent of a session, as the store has it. */
struct bt_spending_agent {
    bt_str session;
    bt_str agent_id;
    struct bt_usage_agent usage;
};

struct bt_spending_list {
    const struct bt_spending_agent *items;
    size_t count;
};

/* The agents of a workspace; of a session and with an id where these are not "". Statuses as for
 * bt_contract_agents_list(). */
BT_MUST_USE enum bt_status bt_spending_list(struct bt_ledger *ledger, struct bt_arena *arena,
                                            const struct bt_evidence_key *filter,
                                            struct bt_spending_list *out, struct bt_error *error);

/* The limit that a person has set for an agent or, with the id "", for a session. *out is unchanged
 * when there is none. */
BT_MUST_USE enum bt_status bt_spending_load_limit(struct bt_ledger *ledger, struct bt_arena *arena,
                                                  const struct bt_evidence_key *key,
                                                  struct bt_config_limit *out,
                                                  struct bt_error *error);
/* A limit that a person has set. */
struct bt_spending_limit {
    bt_str session;
    bt_str agent_id; /* "": of the session */
    struct bt_config_limit limit;
};

struct bt_spending_limits {
    const struct bt_spending_limit *items;
    size_t count;
};

/* The limits that were set in a workspace; in a session where that is not "". Statuses as for
 * bt_contract_agents_list(). */
BT_MUST_USE enum bt_status bt_spending_list_limits(struct bt_ledger *ledger, struct bt_arena *arena,
                                                   const struct bt_evidence_key *filter,
                                                   struct bt_spending_limits *out,
                                                   struct bt_error *error);
/* Set a limit, and record it. The ledger of `state` is open for writing. */
BT_MUST_USE enum bt_status bt_spending_set_limit(const struct bt_contract_state *state,
                                                 const struct bt_evidence_key *key,
                                                 struct bt_config_limit limit,
                                                 struct bt_error *error);

/* A limit that is spent, for the record. */
struct bt_spending_denial {
    const struct bt_budget_rules *rules;
    const struct bt_budget_share *share; /* NULL: nothing is denied */
};

/* Keep what was read, if the row still is `before`, and record the denial with it. */
BT_MUST_USE enum bt_status
bt_spending_keep(const struct bt_contract_state *state, const struct bt_evidence_key *key,
                 const struct bt_evidence_kept *before, const struct bt_evidence_kept *after,
                 const struct bt_spending_denial *denial, struct bt_error *error);

#endif
