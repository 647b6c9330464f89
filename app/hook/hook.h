/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hook.h - answer one event of an agent host, in the format of that host.
 *
 * A failure is an answer too, and never blocks by accident: the agent host is told that Baton could
 * not judge or, with fails_closed, that the agent must continue. Ending a turn that was not judged
 * does not mean that it was accepted: nothing is stored then.
 */
#ifndef BATON_APP_HOOK_HOOK_H
#define BATON_APP_HOOK_HOOK_H

#include "agent_host.h"
#include "decide/contract_state.h"
#include "decide/gate.h"
#include "event.h"
#include "evidence/budget.h"
#include "evidence/evidence.h"

/* The store of an event. */
struct hook_store {
    const struct bt_contract_state *gate; /* NULL: no usable store; `why` gives the reason */
    bt_str workspace;
    const char *why;
};

/*
 * Find the project of the event and open its store: for writing, creating it if configured, or only
 * for reading. A callback, because the command and the server find stores differently.
 */
typedef struct hook_store hook_open_fn(void *context, const struct hook_event *event, bool writing);
/* The text that a person is shown when an agent starts; "": none. */
typedef bt_str hook_note_fn(void *context, const struct hook_event *event);

/*
 * True when the caller may represent the agent of the event. False: the refusal is already
 * recorded.
 */
typedef bool hook_represents_fn(void *context, const struct hook_event *event);

/* Find where the paths of a tool start, and which files belong to the gate. */
typedef enum bt_status hook_place_fn(void *context, const struct hook_event *event,
                                     struct bt_gate_place *out);

/* What the caller of the hook does. */
struct hook_callbacks {
    hook_open_fn *open;
    hook_represents_fn *represents_agent; /* NULL: the caller represents every agent */
    hook_note_fn *note;                   /* NULL: no text */
    hook_place_fn *find_place;            /* NULL: the gate is off */
    void *context;                        /* of all of them */
};

/* What is read from transcripts. */
struct hook_transcripts {
    enum bt_evidence_mode mode;           /* whether reports are compared with them */
    struct bt_str_list doc_paths;         /* patterns of files whose change needs no check */
    bool keeps_slice;                     /* record the bytes of each turn too */
    uint64_t deadline_ms;                 /* of bt_clock_monotonic_ms(), for reading; 0: none */
    const struct bt_budget_rules *budget; /* NULL: what was spent is not counted */
};

/* The settings of the hook. */
struct hook {
    const struct agent_host *host;
    bool observes;      /* judge and record, but always pass */
    bool fails_closed;  /* send back what could not be judged */
    bool exits;         /* send back with an exit code */
    bool is_remote;     /* the agent host runs elsewhere: do not read files that it names */
    const char *agents; /* agent types to judge, separated by commas; NULL: all */
    uint64_t max_rejections;
    uint64_t pending_seconds; /* until an approval request expires */
    /* how blocks are judged, without ids; without an INPUT the stored one is used */
    struct bt_contract_options judging;
    struct bt_policy policy; /* in force, for the record */
    const char *unusable;    /* why nothing can be judged at all; NULL: it can */
    /* the answer to every event while the pinned configuration differs; or "" */
    bt_str pin_changed;
    bt_str input_text; /* the INPUT of `judging` as it was written */
    struct bt_contract_checker *contract;
    struct bt_env *env;
    struct bt_arena *arena;           /* results live here */
    const char *event;                /* the name of an event that does not tell it, or NULL */
    const struct bt_gate_rules *gate; /* NULL: tools are not judged */
    struct hook_transcripts transcripts;
    struct hook_callbacks calls;
};

/* The output for the agent host. */
struct hook_answer {
    bt_str out;
    bt_str err;  /* complete, with the prefix of error messages; "": none */
    bool blocks; /* exit with the code that blocks */
};

/* Answer the event in `input`. */
void hook_run(const struct hook *hook, bt_str input, struct hook_answer *out);
struct hook_gate_reply;
/* The answer that denies the use of a tool. */
void hook_answer_denial(const struct hook *hook, const struct hook_gate_reply *reply,
                        struct hook_answer *out);
/* The answer when nothing could be judged; `why` is the reason. */
void hook_answer_failure(const struct hook *hook, const char *why, struct hook_answer *out);

#endif
