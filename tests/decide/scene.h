/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scene.h - a gate in front of a store in a temporary folder, and agents that report to it.
 */
#ifndef BATON_TESTS_GATE_SCENE_H
#define BATON_TESTS_GATE_SCENE_H

#include "decide/contract_state.h"
#include "made.h"

#define SCENE_AGENT "a80177b959c721da1"
#define SCENE_NOW INT64_C(1781085600) /* 2026-06-10T10:00:00Z */

struct scene {
    struct made made;
    struct bt_ledger *ledger;
    struct bt_contract_checker *contract;
    struct bt_arena arena; /* of the gate; reset before every report */
    struct bt_contract_state gate;
    struct bt_contract_input input; /* what may be written: `services` */
    struct bt_error error;
};

/* What is reported. Absent texts are NULL. */
struct scene_report {
    const char *agent;   /* that the block names; NULL: SCENE_AGENT */
    const char *host_id; /* that the host names */
    const char *status;  /* NULL: there is no block at all */
    const char *more;    /* further members of the envelope, each after a comma */
    const char *session; /* NULL: "s" */
    uint64_t limit;      /* of rejections; 0: 3 */
    enum bt_submit_mode mode;
    bool
        is_strict; /* a status that may not follow rejects it, and so does an update off the list */
};

/* What came of it. */
struct scene_decision {
    struct bt_judgement judged;
    enum bt_contract_outcome outcome;
    bt_str agent_id;
    uint64_t attempt;
    bt_str prompt;
    bool is_recorded;
};

void scene_open(struct scene *scene);
void scene_close(struct scene *scene);
/* The time, in seconds after SCENE_NOW. */
void scene_clock(struct scene *scene, int64_t seconds);
/* Bring a report before the gate. */
enum bt_status scene_submit(struct scene *scene, const struct scene_report *report,
                            struct scene_decision *out);
/* The same, which must be decided. */
struct scene_decision scene_decide(struct scene *scene, const struct scene_report *report);
/* Whether the findings of a decision have this code. */
bool scene_says(const struct scene_decision *decision, const char *code);
/* How many entries the ledger has. */
uint64_t scene_size(struct scene *scene);
/* The states that are kept. */
struct bt_contract_agent_list scene_states(struct scene *scene);

#endif
