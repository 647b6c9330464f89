/* SPDX-License-Identifier: Apache-2.0 */
/*
 * task.h - A2A tasks: what a caller submitted and its result, kept in the store so that every node
 * can serve them.
 *
 * A task is written in the transaction of the decision that makes or changes it (see struct
 * bt_transaction_hooks). Its texts are defined by the caller; absent ones are "". Statuses that are
 * not described: BT_ENOMEM, the arena reached its limit; BT_EIO, the store failed; `error` says
 * why.
 */
#ifndef BATON_SRC_DELIVER_TASK_H
#define BATON_SRC_DELIVER_TASK_H

#include "deliver/inbox.h"

struct bt_task {
    bt_str id;
    bt_str principal;
    bt_str context;
    bt_str message_ids; /* JSON array */
    bt_str state;       /* JSON object */
    bt_str artifacts;   /* JSON array; "": redacted */
    bt_str history;     /* JSON array; "": redacted */
    uint64_t seq;       /* of the last decision that changed it; BT_LEDGER_SEQ_NONE: none */
};

/* Load the task with this id into the arena. BT_ENOENT: there is none. */
BT_MUST_USE enum bt_status bt_task_get(struct bt_ledger *ledger, struct bt_arena *arena, bt_str id,
                                       struct bt_task *out, struct bt_error *error);
/* Called for each task, which is valid until it returns. Return false to stop. */
typedef bool bt_task_fn(void *context, const struct bt_task *task);
/* Call `each` for the tasks of a principal, without their artifacts, history and seq. */
BT_MUST_USE enum bt_status bt_task_each(struct bt_ledger *ledger, bt_str principal,
                                        bt_task_fn *each, void *context, struct bt_error *error);

/* A message that was sent to a task. */
struct bt_task_message {
    bt_str principal;
    bt_str id;
    bt_str content; /* its digest identifies the message */
    bt_str task;    /* out, for a repeated message: the task it was sent to ... */
    bool is_same;   /* ... and whether it has the same content */
};

/* Find a message by its id. BT_ENOENT: it is new. */
BT_MUST_USE enum bt_status bt_task_message_find(struct bt_ledger *ledger, struct bt_arena *arena,
                                                struct bt_task_message *message,
                                                struct bt_error *error);

/* bt_task_get() and bt_task_message_find() within the transaction of a decision, under its lock. */
BT_MUST_USE enum bt_status bt_task_get_in_transaction(struct bt_ledger_transaction *recording,
                                                      struct bt_arena *arena, bt_str id,
                                                      struct bt_task *out, struct bt_error *error);
BT_MUST_USE enum bt_status
bt_task_message_find_in_transaction(struct bt_ledger_transaction *recording, struct bt_arena *arena,
                                    struct bt_task_message *message, struct bt_error *error);

/* Store a task and the message that made or changed it, within the transaction of a decision. */
BT_MUST_USE enum bt_status bt_task_save_in_transaction(struct bt_ledger_transaction *recording,
                                                       const struct bt_task *task,
                                                       const struct bt_task_message *message,
                                                       struct bt_error *error);
/*
 * Store a task and its message in a transaction of its own, when there is no decision to record.
 * BT_EDENIED: the message was received before.
 */
BT_MUST_USE enum bt_status bt_task_save(struct bt_ledger *ledger, struct bt_arena *arena,
                                        const struct bt_task *task,
                                        const struct bt_task_message *message,
                                        struct bt_error *error);

#endif
