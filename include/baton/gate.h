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
struct bt_gate {
    struct bt_ledger *ledger; /* open for writing, unless the call only looks */
    struct bt_contract *contract;
    struct bt_arena *arena;
    bt_str actor; /* who asked: a name that an entry may hold */
    struct bt_findings *alarms;
};

/* ---- Submitting ------------------------------------------------------------------------------ */

enum bt_gate_mode {
    BT_GATE_DECIDE = 0,
    BT_GATE_DRY,     /* judge against the store, and change nothing */
    BT_GATE_OBSERVE, /* judge and record, but change no state, count and apply nothing */
};

struct bt_submission {
    const struct bt_contract_document *document; /* with options */
    bt_str workspace;
    bt_str session;
    uint64_t max_rejections; /* how often a bad report is sent back; from 1 */
    enum bt_gate_mode mode;
};

/* Zero is no outcome. */
enum bt_gate_outcome {
    BT_GATE_ACCEPTED = 1,
    BT_GATE_SENT_BACK,
    BT_GATE_ESCALATED, /* it was sent back often enough: a person looks */
};

struct bt_decision {
    struct bt_judged judged; /* with the member `record` */
    enum bt_gate_outcome outcome;
    bt_str agent_id;  /* of the agent's key; "-" when nobody knows it */
    uint64_t attempt; /* 0 when accepted, else which one this was */
    bt_str prompt;    /* what the agent is told; "" when accepted */
    bt_str members;   /* `"submit":{...}`, for the report */
    bool is_recorded; /* it is durable, whatever the status says */
    bool is_unknown;  /* the commit failed, and may have happened all the same */
};

/* Judge the end of a turn, decide, record and apply. *out is written whatever the status, as far
 * as is_recorded and is_unknown go. */
BT_API BT_MUST_USE enum bt_status bt_gate_submit(const struct bt_gate *gate,
                                                 const struct bt_submission *submission,
                                                 struct bt_decision *out, struct bt_error *error);

/* ---- States ---------------------------------------------------------------------------------- */

/* What is kept of an agent. */
struct bt_agent_state {
    bt_str workspace;
    bt_str session;
    bt_str agent_id;
    enum bt_plan_status state; /* of the last accepted report; none: there was no such */
    uint64_t in_progress;      /* IN_PROGRESS reports in a row */
    uint64_t rejections;       /* how often it was sent back since */
    bool is_escalated;
    bt_str updated_at;
};

/* Which agents; "" is any. */
struct bt_agent_filter {
    bt_str workspace;
    bt_str session;
    bt_str agent_id;
};

struct bt_agent_states {
    const struct bt_agent_state *items;
    size_t count;
};

/* The matching agents by workspace, session and id. */
BT_API BT_MUST_USE enum bt_status bt_gate_states(const struct bt_gate *gate,
                                                 const struct bt_agent_filter *filter,
                                                 struct bt_agent_states *out,
                                                 struct bt_error *error);
/* Forget the matching agents; the filter names one id. What was forgotten is recorded. */
BT_API BT_MUST_USE enum bt_status bt_gate_clear(const struct bt_gate *gate,
                                                const struct bt_agent_filter *filter,
                                                uint64_t *out_cleared, struct bt_error *error);

#ifdef __cplusplus
}
#endif

#endif
