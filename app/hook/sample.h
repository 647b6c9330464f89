/* SPDX-License-Identifier: Apache-2.0 */
/* sample.h - sample events of an agent host, and what an answer to them means to it. */
#ifndef BATON_APP_HOOK_SAMPLE_H
#define BATON_APP_HOOK_SAMPLE_H

#include "agent_host.h"

/* Events of this session are judged, and nothing is made, stored, counted or requested. */
#define HOOK_TEST_SESSION "baton-hook-test"

/* Zero is not a kind. */
enum hook_sample_kind {
    HOOK_SAMPLE_START = 1,
    HOOK_SAMPLE_STOP, /* its text has no block */
    HOOK_SAMPLE_TOOL, /* the command `true` */
};

struct hook_sample {
    const struct agent_host *host;
    const char *event; /* its name */
    enum hook_sample_kind kind;
    bt_str agent_type;
    bt_str folder;
};

/* Put the event as the agent host would send it. Failures stick to the buffer. */
void hook_sample_put(struct bt_buf *buf, const struct hook_sample *sample);

enum hook_sample_answer {
    HOOK_SAMPLE_UNREADABLE = 0,
    HOOK_SAMPLE_PASS,
    HOOK_SAMPLE_CONTEXT,
    HOOK_SAMPLE_SEND_BACK,
    HOOK_SAMPLE_DENY,
    HOOK_SAMPLE_USER_MESSAGE,
    HOOK_SAMPLE_STOPS,
};

/* The word for an answer in reports. */
const char *hook_sample_answer_name(enum hook_sample_answer answer);
/* Read an answer as the agent host would, with the exit code of the hook. BT_ENOMEM: the arena
 * reached its limit. */
BT_MUST_USE enum bt_status hook_sample_read(struct bt_arena *arena,
                                            const struct hook_sample *sample, int exit_code,
                                            bt_str output, enum hook_sample_answer *out);

#endif
