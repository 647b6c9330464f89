/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event.h - what a host tells its hook: one JSON object -> an event.
 */
#ifndef BATON_APP_HOOK_EVENT_H
#define BATON_APP_HOOK_EVENT_H

#include <baton/contract.h>

/* Zero is an event that is none of ours. */
enum hook_kind { HOOK_OTHER = 0, HOOK_START, HOOK_STOP, HOOK_TOOL };

/* Absent texts are "". */
struct hook_event {
    enum hook_kind kind;
    bt_str session;
    bt_str raw_id;                           /* of the agent, as the host writes it */
    char host_id[BT_AGENT_ID_BYTES_MAX + 1]; /* as a block must write it; "": unknown */
    bt_str agent_type;
    bt_str folder;
    bool is_risky; /* a tool is to be used that runs commands or writes files */
    bool has_text; /* also of an empty message */
    bt_str text;
    bt_str transcript; /* path, asked for when there is no text */
};

/* Read the object. BT_EINVAL: it is no JSON object. */
BT_MUST_USE enum bt_status hook_event_read(struct bt_env *env, struct bt_arena *arena, bt_str input,
                                           bool has_summary, struct hook_event *out);
/* Take the text of the assistant's last entry from the transcript; has_text stays false when
 * there is none, or no regular file of this user. */
BT_MUST_USE enum bt_status hook_event_transcript(struct bt_env *env, struct bt_arena *arena,
                                                 struct hook_event *event);

#endif
