/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event.h - read the event that an agent host sends to its hook: a JSON object -> struct
 * hook_event.
 */
#ifndef BATON_APP_HOOK_EVENT_H
#define BATON_APP_HOOK_EVENT_H

#include "dialect/contract/contract.h"
#include "tool.h"

/* Zero is an event that Baton does not handle. */
enum hook_kind { HOOK_OTHER = 0, HOOK_START, HOOK_STOP, HOOK_TOOL };

/* One event. Absent texts are "". */
struct hook_event {
    enum hook_kind kind;
    bt_str session;
    bool is_test;  /* of `baton hook test`: nothing is made, stored, counted or requested */
    bt_str raw_id; /* of the agent, as the agent host writes it */
    char host_id[BT_AGENT_ID_BYTES_MAX + 1]; /* as a block must have it; "": unknown */
    bt_str agent_type;
    bt_str folder;
    struct hook_tool tool; /* of HOOK_TOOL */
    /* the reply when the time is over: a denial, or that nothing was judged; NULL: as before */
    const struct hook_gate_reply *if_late;
    bool has_text; /* true for an empty message too */
    bt_str text;
    bt_str transcript;         /* path, used when there is no text */
    bt_str agent_transcript;   /* path of the agent's own transcript */
    bt_str session_transcript; /* path of the session's transcript */
};

/* Whose event it is. */
struct hook_event_source {
    const struct agent_host *host;
    const char *event; /* the name of an event that does not tell it; NULL: not known */
};

/* Read an event. BT_EINVAL: the input is not a JSON object. */
BT_MUST_USE enum bt_status hook_event_read(struct bt_env *env, struct bt_arena *arena, bt_str input,
                                           const struct hook_event_source *source,
                                           struct hook_event *out);
/*
 * Take the text of the assistant's last entry from the transcript. has_text stays false when there
 * is none, or when the path is not a regular file of this user.
 */
BT_MUST_USE enum bt_status hook_event_transcript(struct bt_env *env, struct bt_arena *arena,
                                                 struct hook_event *event);

#endif
