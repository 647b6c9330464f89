/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contract_state.h - decide contract blocks against stored state: an agent's earlier reports
 * restrict the next.
 *
 * A message is judged as by bt_check_document(), then against the stored state of its agent. The
 * decision, its ledger entry and every change of state are one transaction. Only an accepted report
 * changes the stored state; a rejected one is counted, and nothing of it is applied.
 *
 * Every call has one of three results: BT_OK and done; BT_OK with findings in `alarms`, which means
 * that the ledger itself cannot be trusted and nothing was done; any other status, and then nothing
 * was stored unless the call says otherwise. Results live in the arena of the state. Statuses that
 * are not described: BT_ENOMEM, the arena reached its limit; BT_EIO, the store failed; `error` says
 * why.
 */
#ifndef BATON_SRC_DECIDE_CONTRACT_STATE_H
#define BATON_SRC_DECIDE_CONTRACT_STATE_H

#include "dialect/contract/contract.h"
#include "ledger/ledger.h"

/* What every call works with. */
struct bt_contract_state {
    struct bt_ledger *ledger; /* open for writing, unless the call only reads */
    struct bt_contract_checker *contract;
    struct bt_arena *arena;
    bt_str actor; /* the caller's name, valid in an entry */
    struct bt_findings *alarms;
};

/* ---- Submitting ------------------------------------------------------------------------------ */

/* Zero is not an outcome. */
enum bt_contract_outcome {
    BT_CONTRACT_OUTCOME_ACCEPTED = 1,
    BT_CONTRACT_OUTCOME_RETRY,
    BT_CONTRACT_OUTCOME_ESCALATED, /* rejected too often: a person must decide */
};

/* What a report does to one section. */
struct bt_section_change {
    bt_str name;
    bool is_new;
    bool is_dropped; /* it may not be written, and nothing changes */
    bt_str value;    /* the whole object, compact */
};

struct bt_contract_decision {
    enum bt_contract_outcome outcome;
    bt_str agent_id;               /* of the agent's key; "-": unknown */
    uint64_t attempt;              /* 0 when accepted, else the number of the rejected attempt */
    bt_str prompt;                 /* what the agent is told; "" when accepted */
    enum bt_contract_status state; /* of the agent from now on */
    enum bt_contract_status previous_state;
    const struct bt_section_change *changes; /* in the order of the report */
    size_t change_count;
    bt_str approval_expires_at; /* of a request that is pending, or "" */
    bt_str approval_id;         /* of the request that an accepted report names; "": none */
    bt_str fingerprint;         /* of that request */
    struct bt_str_list dropped; /* contracts of an accepted report that were not written */
};

struct bt_contract_input_owner;

/* The decision of a contract block; see struct bt_submission. */
struct bt_contract_submission {
    const struct bt_contract_state *state;       /* its ledger and alarms are not used */
    const struct bt_contract_document *document; /* with options */
    /* the INPUT that is stored for this owner counts; NULL: that of the options */
    const struct bt_contract_input_owner *input_owner;
    bt_str workspace;
    bt_str session;
    uint64_t max_rejections;  /* the number of times a bad report is sent back; from 1 */
    uint64_t pending_seconds; /* until an approval request expires; 0: one day */
    bool never_sends_back;    /* a bad report is escalated at once */
    struct bt_contract_decision out;
};

/* ---- Agent states ---------------------------------------------------------------------------- */

/* The stored state of an agent. */
struct bt_contract_agent {
    bt_str workspace;
    bt_str session;
    bt_str agent_id;
    enum bt_contract_status state; /* of the last accepted report; none: there was none */
    uint64_t in_progress;          /* consecutive IN_PROGRESS reports */
    uint64_t rejections;           /* rejected reports since then */
    bool is_escalated;
    bool is_resumed; /* since then; contract_transition.c says what it allows */
    bt_str updated_at;
};

/* Selects agents; "" matches any. */
struct bt_contract_agent_filter {
    bt_str workspace;
    bt_str session;
    bt_str agent_id; /* as an agent host or as a block writes it */
};

struct bt_contract_agent_list {
    const struct bt_contract_agent *items;
    size_t count;
};

/* List the matching agents by workspace, session and id. */
BT_MUST_USE enum bt_status bt_contract_agents_list(const struct bt_contract_state *gate,
                                                   const struct bt_contract_agent_filter *filter,
                                                   struct bt_contract_agent_list *out,
                                                   struct bt_error *error);
/*
 * Delete the state of the matching agents; the filter must name one agent id. The deletion is
 * recorded.
 */
BT_MUST_USE enum bt_status bt_contract_agents_clear(const struct bt_contract_state *gate,
                                                    const struct bt_contract_agent_filter *filter,
                                                    uint64_t *out_cleared, struct bt_error *error);

/*
 * Mark the matching agents that have a state as resumed, so that their next report may have any
 * status; the filter must name one agent id. That is not a decision: nothing is recorded.
 */
BT_MUST_USE enum bt_status bt_contract_agents_resume(const struct bt_contract_state *gate,
                                                     const struct bt_contract_agent_filter *filter,
                                                     uint64_t *out_resumed, struct bt_error *error);

/* ---- Sections and INPUT ---------------------------------------------------------------------- */

/* One version of a section. */
struct bt_contract_section {
    bt_str name;
    uint64_t version; /* from 1; 0: the current version */
    bt_str sha256;    /* of the value */
    bt_str value;     /* a JSON object, compact */
    uint64_t seq;     /* of the entry that stored it */
};

struct bt_contract_section_list {
    const struct bt_contract_section *items;
    size_t count;
};

/*
 * List the current sections of a workspace by name, or only the one called `name` when it is not
 * ""; with `history` all their versions.
 */
BT_MUST_USE enum bt_status bt_contract_sections_list(const struct bt_contract_state *gate,
                                                     bt_str workspace, bt_str name, bool history,
                                                     struct bt_contract_section_list *out,
                                                     struct bt_error *error);

/* The agent or agents that an INPUT is for. Absent texts are "". */
struct bt_contract_input_owner {
    bt_str workspace;
    bt_str session;  /* "": all sessions */
    bt_str agent_id; /* as returned by bt_contract_agent_id_from_runtime() */
    bt_str agent_type;
};

/*
 * Store an INPUT, which bt_contract_input_read() must accept, for one agent or one agent
 * type.
 */
BT_MUST_USE enum bt_status bt_contract_input_store(const struct bt_contract_state *gate,
                                                   const struct bt_contract_input_owner *owner,
                                                   bt_str input, struct bt_error *error);
/*
 * Load the INPUT for an agent: first of its session, then of all sessions, in each case by id and
 * then by type. *out is "" when there is none.
 */
BT_MUST_USE enum bt_status bt_contract_input_load(const struct bt_contract_state *gate,
                                                  const struct bt_contract_input_owner *owner,
                                                  bt_str *out, struct bt_error *error);

/* ---- Approvals ------------------------------------------------------------------------------- */

/* An approval request with its grant, if there is one. */
struct bt_approval {
    bt_str id;
    bt_str status; /* "pending", "approved", "rejected", "revoked", "expired" */
    bt_str workspace;
    bt_str session;
    bt_str agent_id;
    bt_str fingerprint;
    bt_str payload; /* JSON object, canonical; "": redacted */
    bt_str requested_at;
    bt_str decided_at; /* "": not decided */
    bt_str expires_at;
    bt_str origin; /* "report", "gate" or "wrap" */
    bt_str grant;  /* "active", "consumed", "revoked", "expired", or "": no grant */
    bt_str grant_expires_at;
    uint64_t used;
    uint64_t uses;
    uint64_t redacted_seq; /* the entry that emptied the payload; BT_STORE_NONE: not emptied */
};

struct bt_approval_event {
    bt_str type;
    bt_str at;
    bt_str actor;
    bt_str code; /* of a refusal, or "" */
    bt_str fingerprint;
};

/*
 * The requests that a caller with limited rights may see: those of these agents or, without agents,
 * those that `actor` submitted.
 */
struct bt_approval_owner {
    bt_str actor;
    const bt_str *agents; /* as an agent host or as a block writes it */
    size_t agent_count;
};

/* Set *out when the actor looks like an agent, or is this agent: by its whole name or by what
 * stands after the last slash. */
BT_MUST_USE enum bt_status bt_contract_actor_is_agent(bt_str actor, bt_str agent_id, bool *out);

/* Selects approval requests. Absent texts are "". */
struct bt_approval_filter {
    bt_str status;
    bt_str workspace;
    const struct bt_approval_owner *owner; /* NULL: of all callers */
};

struct bt_approval_list {
    const struct bt_approval *items;
    size_t count;
};

/*
 * List the matching requests by time, then id. This and every other call below first records
 * requests that have expired; with a ledger open only for reading they are shown as expired but not
 * recorded.
 */
BT_MUST_USE enum bt_status bt_approvals_list(const struct bt_contract_state *gate,
                                             const struct bt_approval_filter *filter,
                                             struct bt_approval_list *out, struct bt_error *error);

/*
 * Get one request without recording anything; an expired one is shown as expired. The ledger may be
 * open only for reading. BT_ENOENT: no such request.
 */
BT_MUST_USE enum bt_status bt_approval_get(const struct bt_contract_state *gate, bt_str id,
                                           struct bt_approval *out, struct bt_error *error);

/* Set *out when the request belongs to the owner; the owner NULL owns all. */
BT_MUST_USE enum bt_status bt_contract_state_owns(const struct bt_contract_state *gate,
                                                  const struct bt_approval_owner *owner,
                                                  const struct bt_approval *approval, bool *out,
                                                  struct bt_error *error);

enum bt_approval_action {
    BT_APPROVAL_ACTION_SHOW = 1,
    BT_APPROVAL_ACTION_GRANT,
    BT_APPROVAL_ACTION_DENY,
    BT_APPROVAL_ACTION_REVOKE,
    BT_APPROVAL_ACTION_USE,
};

/*
 * The texts that a grant for this payload covers, in order: `command_set` if present, else
 * `exact_content`. *out_count is 0 when the payload names nothing that could be granted. The texts
 * live in the arena.
 */
BT_MUST_USE enum bt_status bt_approval_commands(const struct bt_env *env, struct bt_arena *arena,
                                                bt_str payload, const bt_str **out,
                                                size_t *out_count, struct bt_error *error);

#define BT_GRANT_SECONDS_DEFAULT 3600
#define BT_GRANT_SECONDS_MAX 86400

struct bt_approval_action_options {
    enum bt_approval_action act;
    /* show: refuse a request that can no longer be decided */
    bool to_decide;
    bt_str id;          /* use: "" selects the oldest grant for the command */
    bt_str fingerprint; /* grant: of what the person saw */
    uint64_t seconds;   /* grant: its lifetime */
    bt_str reason;      /* deny and revoke: the person's text, or "" */
    bt_str command;     /* use: must match byte for byte */
    /* use: the agent that the grant must be for, as a host or a block writes it, or "" */
    bt_str agent_id;
    /* use: the workspace that the grant must be for, or "" */
    bt_str workspace;
    /* NULL: any request; else requests of others are treated as not found */
    const struct bt_approval_owner *owner;
};

/* The options of an action, otherwise empty. */
static inline struct bt_approval_action_options
bt_approval_action_options_init(enum bt_approval_action act, bt_str id)
{
    const bt_str none = BT_STR("");
    return (struct bt_approval_action_options){.act = act,
                                               .id = id,
                                               .fingerprint = none,
                                               .reason = none,
                                               .command = none,
                                               .agent_id = none,
                                               .workspace = none};
}

struct bt_approval_result {
    const struct bt_findings *findings; /* empty: done; else the reasons for the refusal */
    struct bt_approval approval;        /* as it is afterwards */
    const struct bt_approval_event *events;
    size_t event_count;
};

/* Show, decide or use a request. A refusal is recorded if the id is known. */
BT_MUST_USE enum bt_status
bt_approval_run_action(const struct bt_contract_state *gate,
                       const struct bt_approval_action_options *action_options,
                       struct bt_approval_result *out, struct bt_error *error);

#endif
