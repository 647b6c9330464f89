/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contract_decide.h - one submission on its way through the gate, for the files of this folder.
 *
 *     judge -> begin -> expire -> state, request, sections -> verdict -> entry -> rows -> commit
 */
#ifndef BATON_SRC_DECIDE_CONTRACT_DECIDE_H
#define BATON_SRC_DECIDE_CONTRACT_DECIDE_H

#include "decide/contract_state.h"
#include "dialect/contract/contract_check.h"
#include "ledger/transaction.h"

/* The new value of a section. */
struct bt_contract_decision_state {
    struct bt_contract_state gate; /* with the ledger of the transaction */
    struct bt_contract_submission *submission;
    struct bt_store *store;
    struct bt_arena *arena;
    struct bt_error *error;
    struct bt_ledger_transaction *recording;
    struct bt_submission *item;
    struct bt_contract_options options; /* with the INPUT that counts */
    struct bt_contract_input input;
    struct bt_contract_check turn;
    char now[BT_INSTANT_TEXT_BYTES]; /* to the second */
    struct bt_contract_agent before; /* as stored, or nothing but the key */
    struct bt_contract_agent after;
    struct bt_section_change *changes; /* in the order of the entries */
    size_t change_count;
    struct bt_approval approval; /* requested by the report; its id is "" when there is none */
    bool makes_request;
    bool adopts_request; /* it takes over a request of the gate */
    struct bt_contract_decision out;
};

/* Decide a contract block, record it and apply it: the function of the dialect's row. */
bt_record_fn bt_contract_decide;

/* ---- Steps ----------------------------------------------------------------------------------- */

/* Add findings about the status, given the last one. */
BT_MUST_USE enum bt_status bt_contract_decide_transition(struct bt_contract_decision_state *gating);
/* Merge every update into its section, in memory; only when nothing rejects the report. */
BT_MUST_USE enum bt_status bt_contract_decide_sections(struct bt_contract_decision_state *gating);
/* Store the new sections, each with an entry below entry `parent`. */
BT_MUST_USE enum bt_status
bt_contract_decide_save_sections(struct bt_contract_decision_state *gating, uint64_t parent);
/* Find the request that the report names, or prepare the one that it makes. */
BT_MUST_USE enum bt_status bt_contract_decide_approval(struct bt_contract_decision_state *gating);
/* Store a new request, with an entry below entry `parent`. */
BT_MUST_USE enum bt_status
bt_contract_decide_save_approval(struct bt_contract_decision_state *gating, uint64_t parent);
/* Count a rejection, or add the finding that there were enough of them; or set the new state.
 * All other findings are already made. */
BT_MUST_USE enum bt_status bt_contract_decide_rejections(struct bt_contract_decision_state *gating);
/* Write the members of the judgement. */
BT_MUST_USE enum bt_status bt_contract_decide_describe(struct bt_contract_decision_state *gating);

/* ---- Rows of agents -------------------------------------------------------------------------- */

/* Load the state of the agent with the key of *agent, which is unchanged when there is none. */
BT_MUST_USE enum bt_status bt_contract_agent_load(struct bt_store *store, struct bt_arena *arena,
                                                  struct bt_contract_agent *agent,
                                                  struct bt_error *error);
/* Put it, as entry `seq` records. */
BT_MUST_USE enum bt_status bt_contract_agent_save(struct bt_store *store,
                                                  const struct bt_contract_agent *agent,
                                                  uint64_t seq, struct bt_error *error);
/* Delete it, if it is there. */
BT_MUST_USE enum bt_status bt_contract_agent_delete(struct bt_store *store,
                                                    const struct bt_contract_agent *agent,
                                                    struct bt_error *error);

/* Mark the agent with this key as resumed, if it has a state; its entry stays the same. */
BT_MUST_USE enum bt_status bt_contract_agent_mark_resumed(const struct bt_contract_state *gate,
                                                          const struct bt_contract_agent *agent,
                                                          struct bt_error *error);

/* ---- Rows of the context --------------------------------------------------------------------- */

/* A value of a workspace, with its history. */
struct bt_context_key {
    bt_str workspace;
    bt_str space;   /* "section" or "input" */
    bt_str session; /* "" for all */
    bt_str name;
};

#define BT_SPACE_SECTION BT_STR("section")
#define BT_SPACE_INPUT BT_STR("input")

/* Its value, or "" when there is none. */
BT_MUST_USE enum bt_status bt_contract_context_load(struct bt_store *store, struct bt_arena *arena,
                                                    const struct bt_context_key *key, bt_str *out,
                                                    struct bt_error *error);
/* Put a value, unless it is the same, and record that below entry `parent` (or BT_SEQ_ABSENT). */
BT_MUST_USE enum bt_status bt_contract_context_save(const struct bt_contract_state *gate,
                                                    struct bt_ledger_transaction *recording,
                                                    const struct bt_context_key *key, bt_str value,
                                                    uint64_t parent, struct bt_error *error);

/* ---- Rows of approvals ----------------------------------------------------------------------- */

/* All requests, in the order of their ids. */
BT_MUST_USE enum bt_status bt_approval_list_load(const struct bt_contract_state *gate,
                                                 struct bt_approval_list *out,
                                                 struct bt_error *error);
/* Those that wait for a decision; those whose grant is active. No others are read. */
BT_MUST_USE enum bt_status bt_approval_list_pending(const struct bt_contract_state *gate,
                                                    struct bt_approval_list *out,
                                                    struct bt_error *error);
BT_MUST_USE enum bt_status bt_approval_list_granted(const struct bt_contract_state *gate,
                                                    struct bt_approval_list *out,
                                                    struct bt_error *error);
/* The one with this id, or none. */
BT_MUST_USE enum bt_status bt_approval_load(const struct bt_contract_state *gate, bt_str id,
                                            struct bt_approval_list *out, struct bt_error *error);
/* The events of a request, in order. */
BT_MUST_USE enum bt_status bt_approval_events(const struct bt_contract_state *gate, bt_str id,
                                              const struct bt_approval_event **out,
                                              size_t *out_count, struct bt_error *error);

/* What happened to a request. */
struct bt_approval_change {
    const char *type;
    bt_str actor;      /* of the event; the entry's is the gate's */
    bt_str code;       /* of a refusal, or "" */
    bt_str reason;     /* of a person, or "" */
    uint64_t parent;   /* entry, or BT_SEQ_ABSENT */
    bt_str message;    /* of an agent host: the id of its call, or "" */
    uint64_t *out_seq; /* the number of the entry is put here; NULL: it is not needed */
};

/* Make a request that is pending from now on: its id, status and times. 0 seconds: one day. */
BT_MUST_USE enum bt_status bt_approval_begin(const struct bt_contract_state *gate,
                                             uint64_t pending_seconds, struct bt_approval *made);
/* Set *out when the next command of a grant is exactly these bytes, and its payload is the one that
 * was granted. */
BT_MUST_USE enum bt_status bt_approval_covers_next(const struct bt_contract_state *gate,
                                                   const struct bt_approval *approval,
                                                   bt_str command, bool *out,
                                                   struct bt_error *error);

/* Record an event, and put the request as it is now. */
BT_MUST_USE enum bt_status bt_approval_save(const struct bt_contract_state *gate,
                                            struct bt_ledger_transaction *recording,
                                            const struct bt_approval *approval,
                                            const struct bt_approval_change *news,
                                            struct bt_error *error);
/* Find and record the deadlines that have passed. */
BT_MUST_USE enum bt_status bt_approval_list_expire(const struct bt_contract_state *gate,
                                                   struct bt_ledger_transaction *recording,
                                                   struct bt_error *error);
/* Its request is decided: the agent goes on. */
BT_MUST_USE enum bt_status bt_approval_resume_agent(const struct bt_contract_state *gate,
                                                    const struct bt_approval *approval,
                                                    struct bt_error *error);
/* True when the deadline of a pending request or an active grant has passed at `now`. */
bool bt_approval_is_closed(const struct bt_approval *approval, bt_str now);

/* ---- Shared ---------------------------------------------------------------------------------- */

/* True when `name` is this agent's id, as an agent host or as a block writes it. */
BT_MUST_USE enum bt_status bt_contract_names_agent(bt_str name, bt_str agent_id, bool *out);
/* The id as an entry can name it: itself, `none` for no agent, else a digest; in the arena. */
BT_MUST_USE enum bt_status bt_contract_agent_ref(struct bt_arena *arena, bt_str agent_id,
                                                 bt_str *out);

/* The id of an unknown agent. */
#define BT_AGENT_NOBODY BT_STR("-")

/* The time of a decision, to the second. */
void bt_contract_transaction_time(const struct bt_contract_state *gate,
                                  char out[BT_INSTANT_TEXT_BYTES]);
/* An entry of kind `kind` about Baton's own state. NULL when the arena is exhausted. */
struct bt_entry *bt_contract_add_entry(const struct bt_contract_state *gate, const char *kind);

#endif
