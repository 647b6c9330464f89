/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay.h - a recorded call beside the rules of today: would it be refused?
 *
 * The steps of a call that need neither a clock nor a store are taken again: hidden tools, rules
 * that deny, arguments, and whether an approval is needed. Definitions are those of the lock.
 */
#ifndef BATON_SRC_WRAP_REPLAY_H
#define BATON_SRC_WRAP_REPLAY_H

#include "wrap/history.h"
#include "wrap/session.h"

enum bt_wrap_replay_outcome {
    BT_WRAP_REPLAY_NONE = 0,
    BT_WRAP_REPLAY_SAME,
    BT_WRAP_REPLAY_CHANGED,
    BT_WRAP_REPLAY_UNDECIDED, /* what the rules are about was not kept, or is not replayed */
};

struct bt_wrap_replay_result {
    enum bt_wrap_replay_outcome outcome;
    bool is_refused;          /* by the rules of today */
    struct bt_str_list codes; /* that refuse it */
};

/*
 * Judge a call that was recorded by the policy and the lock of a session, in which nothing else
 * happens. The codes are in the arena. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status bt_wrap_replay_call(struct bt_wrap_session *session,
                                               const struct bt_wrap_past_call *past,
                                               struct bt_arena *arena,
                                               struct bt_wrap_replay_result *out);

#endif
