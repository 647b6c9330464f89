/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hook.h - one event of an agent host -> one answer in its words.
 *
 * Whatever goes wrong is an answer too, and never one that blocks by accident: the host is told
 * that Baton could not judge, or, when it is to fail closed, is asked to go on. Letting a turn end
 * that was not judged is no acceptance: nothing is stored then.
 */
#ifndef BATON_APP_HOOK_HOOK_H
#define BATON_APP_HOOK_HOOK_H

#include <baton/gate.h>

#include "agent_host.h"
#include "event.h"

/* Where an event belongs. */
struct hook_store {
    const struct bt_contract_state
        *gate; /* NULL: there is no store that can be used, and `why` tells */
    bt_str workspace;
    const char *why;
};

/* Find the project of the event, and its store: open for writing, and made if that was asked for,
 * or only to be read. */
typedef struct hook_store hook_open_fn(void *context, const struct hook_event *event, bool writing);
/* What a person is told when an agent starts; "" for nothing. */
typedef bt_str hook_note_fn(void *context, const struct hook_event *event);

/* Whether the caller speaks for the agent of the event. False: that is recorded already. */
typedef bool hook_speaks_fn(void *context, const struct hook_event *event);

/* How the hook was set up. */
struct hook {
    const struct agent_host *host;
    bool observes;      /* judge and record, and always pass */
    bool fails_closed;  /* what could not be judged is sent back */
    bool exits;         /* send back with an exit code */
    bool is_remote;     /* the host is elsewhere: no file that it names is read */
    const char *agents; /* types to look at, with commas; NULL: all */
    uint64_t max_rejections;
    uint64_t pending_seconds; /* how long a request for consent waits */
    bt_str policy;            /* digest of what judges, for the record; "": none */
    const char *unusable;     /* why nothing can be judged at all; NULL: it can */
    bt_str pin_changed; /* told instead of any judgement, since the agreed rules are gone; or "" */
    const struct bt_contract_input *input; /* that was given; NULL: the one that is kept */
    bt_str input_text;                     /* the same as it was written */
    struct bt_contract_checker *contract;
    struct bt_env *env;
    struct bt_arena *arena; /* what is made lives here */
    hook_open_fn *open;
    hook_speaks_fn *speaks; /* NULL: for every agent */
    hook_note_fn *note;     /* NULL: there is nothing to tell */
    void *context;          /* of all three */
};

/* What goes to the streams of the host. */
struct hook_answer {
    bt_str out;
    bt_str err;  /* complete, with the prefix of complaints; "" for nothing */
    bool blocks; /* by the exit code that means it */
};

/* Answer the event that `input` holds. */
void hook_run(const struct hook *hook, bt_str input, struct hook_answer *out);
/* The answer when nothing could be judged, and `why`. */
void hook_answer_failure(const struct hook *hook, const char *why, struct hook_answer *out);

#endif
