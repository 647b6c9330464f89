/* SPDX-License-Identifier: Apache-2.0 */
/*
 * task.h - what a caller asked for under a name of ours, and what came of it: kept in the store, so
 * that any node can tell.
 *
 * A task is written beside the decision that makes or changes it (see struct bt_transaction_hooks).
 * Its texts are the caller's affair; absent ones are "".
 */
#ifndef BATON_TASK_H
#define BATON_TASK_H

#include <baton/deliver.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bt_task {
    bt_str id;
    bt_str principal;
    bt_str context;
    bt_str message_ids; /* JSON array */
    bt_str state;       /* JSON object */
    bt_str artifacts;   /* JSON array; "": a redaction took it */
    bt_str history;     /* the same */
    uint64_t seq;       /* of the decision that changed it last; BT_LEDGER_SEQ_NONE: none did */
};

/* The task with this id. BT_ENOENT: there is none. */
BT_API BT_MUST_USE enum bt_status bt_task_get(struct bt_ledger *ledger, struct bt_arena *arena,
                                              bt_str id, struct bt_task *out,
                                              struct bt_error *error);
/* Called for each; the task lives until it returns. False ends it. */
typedef bool bt_task_fn(void *context, const struct bt_task *task);
/* The tasks of a principal, without their artifacts, history and entry. */
BT_API BT_MUST_USE enum bt_status bt_task_each(struct bt_ledger *ledger, bt_str principal,
                                               bt_task_fn *each, void *context,
                                               struct bt_error *error);

/* A message that came to a task. */
struct bt_task_message {
    bt_str principal;
    bt_str id;
    bt_str content; /* whose digest tells messages apart */
    bt_str task;    /* out, when it came before: which one it came to ... */
    bool is_same;   /* ... and whether it said the same */
};

/* Look for a message of this id. BT_ENOENT: it is new. */
BT_API BT_MUST_USE enum bt_status bt_task_message_find(struct bt_ledger *ledger,
                                                       struct bt_arena *arena,
                                                       struct bt_task_message *message,
                                                       struct bt_error *error);

/* The same two within the transaction of a decision, under its lock. */
BT_API BT_MUST_USE enum bt_status
bt_task_get_in_transaction(struct bt_ledger_transaction *recording, struct bt_arena *arena,
                           bt_str id, struct bt_task *out, struct bt_error *error);
BT_API BT_MUST_USE enum bt_status
bt_task_message_find_in_transaction(struct bt_ledger_transaction *recording, struct bt_arena *arena,
                                    struct bt_task_message *message, struct bt_error *error);

/* Keep a task and the message that made or changed it, within the transaction of a decision. */
BT_API BT_MUST_USE enum bt_status
bt_task_save_in_transaction(struct bt_ledger_transaction *recording, const struct bt_task *task,
                            const struct bt_task_message *message, struct bt_error *error);
/* The same in a transaction of its own, for what is no decision. BT_EDENIED: the message came
 * before. */
BT_API BT_MUST_USE enum bt_status bt_task_save(struct bt_ledger *ledger, struct bt_arena *arena,
                                               const struct bt_task *task,
                                               const struct bt_task_message *message,
                                               struct bt_error *error);

#ifdef __cplusplus
}
#endif

#endif
