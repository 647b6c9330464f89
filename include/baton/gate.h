/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate.h - contract blocks against a store: what an agent said before decides what it may say now.
 *
 * A message is judged as by bt_check(), then against the state of its agent; the decision, its
 * entry in the ledger and every change of state are one transaction. Only an accepted report
 * changes what is stored; a rejected one is counted, and nothing of it is applied.
 *
 * Three results, never mixed: BT_OK and done; BT_OK and findings in `alarms`, because the ledger
 * itself is not to be trusted, and then nothing was done; any other status, and then nothing was
 * stored unless the call says so. What comes back lives in the arena of the gate.
 */
#ifndef BATON_GATE_H
#define BATON_GATE_H

#include <baton/contract.h>
#include <baton/ledger.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What every call works with. */
struct bt_contract_state {
    struct bt_ledger *ledger; /* open for writing, unless the call only looks */
    struct bt_contract_checker *contract;
    struct bt_arena *arena;
    bt_str actor; /* who asked: a name that an entry may hold */
    struct bt_findings *alarms;
};

/* ---- Submitting ------------------------------------------------------------------------------ */

enum bt_submit_mode {
    BT_SUBMIT_RECORD = 0,
    BT_SUBMIT_DRY_RUN, /* judge against the store, and change nothing */
    BT_SUBMIT_OBSERVE, /* judge and record, but change no state, count and apply nothing */
};

struct bt_contract_submission {
    const struct bt_contract_document *document; /* with options */
    bt_str workspace;
    bt_str session;
    uint64_t max_rejections; /* how often a bad report is sent back; from 1 */
    enum bt_submit_mode mode;
    uint64_t pending_seconds; /* how long a request waits for a decision; 0: a day */
    bt_str policy; /* digest of what judges, for the entry; "": none. Within a batch: the item's */
};

/* Zero is no outcome. */
enum bt_contract_outcome {
    BT_CONTRACT_OUTCOME_ACCEPTED = 1,
    BT_CONTRACT_OUTCOME_RETRY,
    BT_CONTRACT_OUTCOME_ESCALATED, /* it was sent back often enough: a person looks */
};

struct bt_contract_decision {
    struct bt_judgement judged; /* with the member `record` */
    enum bt_contract_outcome outcome;
    bt_str agent_id;  /* of the agent's key; "-" when nobody knows it */
    uint64_t attempt; /* 0 when accepted, else which one this was */
    bt_str prompt;    /* what the agent is told; "" when accepted */
    bt_str members;   /* `"submit":{...}`, for the report */
    bool is_recorded; /* it is durable, whatever the status says */
    bool is_unknown;  /* the commit failed, and may have happened all the same */
};

/* Judge the end of a turn, decide, record and apply. *out is written whatever the status, as far
 * as is_recorded and is_unknown go. */
BT_API BT_MUST_USE enum bt_status
bt_contract_decide(const struct bt_contract_state *gate,
                   const struct bt_contract_submission *submission,
                   struct bt_contract_decision *out, struct bt_error *error);

/* A submission as an item of a batch. Both stay where they are until the batch is recorded. */
struct bt_gate_append {
    const struct bt_contract_state *gate;
    struct bt_contract_submission submission;
};

/* Let bt_ledger_append() decide, record and apply a submission within its batch. What the item says
 * of ids, references and what is kept goes into the entry; its judged document gets the member
 * `submit`. */
BT_API void bt_contract_state_prepare(struct bt_gate_append *append, struct bt_submission *item);

/* ---- States ---------------------------------------------------------------------------------- */

/* What is kept of an agent. */
struct bt_contract_agent {
    bt_str workspace;
    bt_str session;
    bt_str agent_id;
    enum bt_contract_status state; /* of the last accepted report; none: there was no such */
    uint64_t in_progress;          /* IN_PROGRESS reports in a row */
    uint64_t rejections;           /* how often it was sent back since */
    bool is_escalated;
    bt_str updated_at;
};

/* Which agents; "" is any. */
struct bt_contract_agent_filter {
    bt_str workspace;
    bt_str session;
    bt_str agent_id;
};

struct bt_contract_agent_list {
    const struct bt_contract_agent *items;
    size_t count;
};

/* The matching agents by workspace, session and id. */
BT_API BT_MUST_USE enum bt_status
bt_contract_agents_list(const struct bt_contract_state *gate,
                        const struct bt_contract_agent_filter *filter,
                        struct bt_contract_agent_list *out, struct bt_error *error);
/* Forget the matching agents; the filter names one id. What was forgotten is recorded. */
BT_API BT_MUST_USE enum bt_status
bt_contract_agents_clear(const struct bt_contract_state *gate,
                         const struct bt_contract_agent_filter *filter, uint64_t *out_cleared,
                         struct bt_error *error);

/* ---- Context --------------------------------------------------------------------------------- */

/* One version of a section. */
struct bt_contract_section {
    bt_str name;
    uint64_t version; /* from 1; 0 for what is in force */
    bt_str sha256;    /* of the value */
    bt_str value;     /* a JSON object, compact */
    uint64_t seq;     /* of the entry that it was put with */
};

struct bt_contract_section_list {
    const struct bt_contract_section *items;
    size_t count;
};

/* The sections of a workspace by name, or only the one called `name` when it is not ""; with
 * `history` every version of them instead. */
BT_API BT_MUST_USE enum bt_status bt_contract_sections_list(const struct bt_contract_state *gate,
                                                            bt_str workspace, bt_str name,
                                                            bool history,
                                                            struct bt_contract_section_list *out,
                                                            struct bt_error *error);

/* Whom an INPUT is for. Absent texts are "". */
struct bt_contract_input_owner {
    bt_str workspace;
    bt_str session;  /* "": all of them */
    bt_str agent_id; /* as bt_contract_agent_id_from_runtime() gives it */
    bt_str agent_type;
};

/* Keep an INPUT, which bt_contract_checker_input_read() could read, for one agent or one type. */
BT_API BT_MUST_USE enum bt_status
bt_contract_input_store(const struct bt_contract_state *gate,
                        const struct bt_contract_input_owner *owner, bt_str input,
                        struct bt_error *error);
/* The INPUT for an agent: of its session, then of all sessions, each by id and then by type; ""
 * when there is none. */
BT_API BT_MUST_USE enum bt_status
bt_contract_input_load(const struct bt_contract_state *gate,
                       const struct bt_contract_input_owner *owner, bt_str *out,
                       struct bt_error *error);

/* ---- Approvals ------------------------------------------------------------------------------- */

/* What a request came to. Its grant, if it has one, is active, consumed, revoked or expired. */
struct bt_approval {
    bt_str id;
    bt_str status; /* "pending", "approved", "rejected", "revoked", "expired" */
    bt_str workspace;
    bt_str session;
    bt_str agent_id;
    bt_str fingerprint;
    bt_str payload; /* JSON object, canonical; "": it was redacted */
    bt_str requested_at;
    bt_str decided_at; /* "": not yet */
    bt_str expires_at;
    bt_str grant; /* "active", "consumed", "revoked", "expired", or "": none */
    bt_str grant_expires_at;
    uint64_t used;
    uint64_t uses;
};

struct bt_approval_event {
    bt_str type;
    bt_str at;
    bt_str actor;
    bt_str code; /* of a refusal, or "" */
    bt_str fingerprint;
};

/* Whose requests there are for somebody who does not see everybody's: those of these agents, or
 * where there are none those that `actor` submitted. */
struct bt_approval_owner {
    bt_str actor;
    const bt_str *agents; /* each as a host or as a block writes it */
    size_t agent_count;
};

/* Absent texts are "". */
struct bt_approval_filter {
    bt_str status;
    bt_str workspace;
    const struct bt_approval_owner *owner; /* NULL: everybody's */
};

struct bt_approval_list {
    const struct bt_approval *items;
    size_t count;
};

/* The matching requests by time, then id. Deadlines that have passed are noticed, and recorded,
 * before this and every other call below; through a ledger that is open to read they only show. */
BT_API BT_MUST_USE enum bt_status bt_approvals_list(const struct bt_contract_state *gate,
                                                    const struct bt_approval_filter *filter,
                                                    struct bt_approval_list *out,
                                                    struct bt_error *error);

/* One request as it stands, without recording anything: a deadline that has passed is seen, not
 * noticed. The ledger may be open only for reading. BT_ENOENT: there is none. */
BT_API BT_MUST_USE enum bt_status bt_approval_get(const struct bt_contract_state *gate, bt_str id,
                                                  struct bt_approval *out, struct bt_error *error);

/* Whether a request is the owner's; NULL owns all. */
BT_API BT_MUST_USE enum bt_status bt_contract_state_owns(const struct bt_contract_state *gate,
                                                         const struct bt_approval_owner *owner,
                                                         const struct bt_approval *approval,
                                                         bool *out, struct bt_error *error);

enum bt_approval_action {
    BT_APPROVAL_ACTION_SHOW = 1,
    BT_APPROVAL_ACTION_GRANT,
    BT_APPROVAL_ACTION_DENY,
    BT_APPROVAL_ACTION_REVOKE,
    BT_APPROVAL_ACTION_USE,
};

/* The texts that a grant for this payload covers, in order: `command_set` where there is one, else
 * `exact_content`. None when the payload names nothing that could be granted. */
BT_API BT_MUST_USE enum bt_status bt_approval_commands(const struct bt_env *env,
                                                       struct bt_arena *arena, bt_str payload,
                                                       const bt_str **out, size_t *out_count,
                                                       struct bt_error *error);

#define BT_GRANT_SECONDS_DEFAULT 3600
#define BT_GRANT_SECONDS_MAX 86400

struct bt_approval_action_options {
    enum bt_approval_action act;
    bool to_decide;                        /* show: refuse what could not be decided afterwards */
    bt_str id;                             /* use: "" is the oldest grant for the command */
    bt_str fingerprint;                    /* grant: of what the person saw */
    uint64_t seconds;                      /* grant: how long it lives */
    bt_str reason;                         /* deny and revoke: in the person's words, or "" */
    bt_str command;                        /* use: byte for byte */
    bt_str agent_id;                       /* use: that it must be, or "" */
    bt_str workspace;                      /* the same */
    const struct bt_approval_owner *owner; /* NULL: everybody's; else others are not there */
};

struct bt_approval_result {
    const struct bt_findings *findings; /* empty: it is done; else why not */
    struct bt_approval approval;        /* as it is now */
    const struct bt_approval_event *events;
    size_t event_count;
};

/* Show, decide or use a request. A refusal is recorded when the id is known. */
BT_API BT_MUST_USE enum bt_status
bt_approval_run_action(const struct bt_contract_state *gate,
                       const struct bt_approval_action_options *action_options,
                       struct bt_approval_result *out, struct bt_error *error);

#ifdef __cplusplus
}
#endif

#endif
