/* SPDX-License-Identifier: Apache-2.0 */
/*
 * responses.h - responses that can be repeated: of idempotent requests, and A2A tasks.
 *
 * Both are written in the transaction of the decision that they answer. Absent texts and bytes have
 * a NULL pointer; absent bytes were redacted.
 */
#ifndef BATON_SRC_STORE_RESPONSES_H
#define BATON_SRC_STORE_RESPONSES_H

#include "store/store.h"

/* The response to a request under a key. */
struct bt_store_response {
    bt_str principal;
    bt_str path;
    bt_str key;
    bt_str request;  /* its digest */
    uint64_t status; /* BT_STORE_NONE: it is open, and its response is not known yet */
    bt_str body;
    uint64_t seq;       /* of the decision; BT_STORE_NONE: none */
    uint64_t expiry_ms; /* since 1970 */
    bt_str owner;       /* the process that an open one belongs to */
};

/* Store a response. BT_EDENIED: the key has one that is still valid at `now_ms`. */
BT_MUST_USE enum bt_status bt_store_response_put(struct bt_store *store,
                                                 const struct bt_store_response *answer,
                                                 uint64_t now_ms, struct bt_error *error);
/* Store a response, or that it is open, in place of the one that the key has. */
BT_MUST_USE enum bt_status bt_store_response_replace(struct bt_store *store,
                                                     const struct bt_store_response *answer,
                                                     struct bt_error *error);
/* Delete the response under {principal, path, key}, if there is one. */
BT_MUST_USE enum bt_status bt_store_response_delete(struct bt_store *store, const bt_str key[3],
                                                    struct bt_error *error);
/* The response under {principal, path, key}. BT_ENOENT: none, or none that is still valid. */
BT_MUST_USE enum bt_status bt_store_response_get(struct bt_store *store, struct bt_arena *arena,
                                                 const bt_str key[3], uint64_t now_ms,
                                                 struct bt_store_response *out,
                                                 struct bt_error *error);
/* Empty the responses about the decision at `seq`; `redaction` is the entry of the redaction. */
BT_MUST_USE enum bt_status bt_store_response_redact(struct bt_store *store, uint64_t seq,
                                                    uint64_t redaction, struct bt_error *error);
/* Delete all that have expired, within a transaction. */
BT_MUST_USE enum bt_status bt_store_response_purge(struct bt_store *store, uint64_t now_ms,
                                                   struct bt_error *error);

struct bt_store_task {
    bt_str id;
    bt_str principal;
    bt_str context;
    bt_str message_ids;
    bt_str state;
    bt_str artifacts;
    bt_str history;
    uint64_t updated_seq; /* BT_STORE_NONE: nothing was recorded */
};

/* Store a task, replacing its previous state. */
BT_MUST_USE enum bt_status
bt_store_task_put(struct bt_store *store, const struct bt_store_task *task, struct bt_error *error);
/* BT_ENOENT: there is none. */
BT_MUST_USE enum bt_status bt_store_task_get(struct bt_store *store, struct bt_arena *arena,
                                             bt_str id, struct bt_store_task *out,
                                             struct bt_error *error);
/* Called for each; the task is valid until it returns. False ends it. */
typedef bool bt_store_task_fn(void *context, const struct bt_store_task *task);
/* The tasks of a principal, by id, without the long columns: artifacts, history, and those after
 * them. */
BT_MUST_USE enum bt_status bt_store_task_scan(struct bt_store *store, bt_str principal,
                                              bt_store_task_fn *each, void *context,
                                              struct bt_error *error);
/* The tasks of all principals that have one of `bytes` in their history, or the first in their
 * artifacts. Empty bytes are in every task that was not emptied. */
BT_MUST_USE enum bt_status bt_store_task_having(struct bt_store *store, const bt_str bytes[2],
                                                bt_store_task_fn *each, void *context,
                                                struct bt_error *error);
/* Empty artifacts and history of a task; `redaction` is the entry of the redaction. */
BT_MUST_USE enum bt_status bt_store_task_redact(struct bt_store *store, bt_str id,
                                                uint64_t redaction, struct bt_error *error);

#endif
