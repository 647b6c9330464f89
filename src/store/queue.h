/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.h - items that wait to be leased: added by a decision, leased for a while, ended by a
 * decision.
 *
 * A lease is not a decision: it has no entry, does not wait for the append lock, and expires by
 * itself. Times are milliseconds since 1970.
 */
#ifndef BATON_SRC_STORE_QUEUE_H
#define BATON_SRC_STORE_QUEUE_H

#include "store/store.h"

enum bt_queue_state {
    BT_QUEUE_QUEUED = 1, /* not leased, or only with a lease that may have expired */
    BT_QUEUE_LEASED,
    BT_QUEUE_DONE, /* this and the following are end states */
    BT_QUEUE_DEAD,
    BT_QUEUE_CANCELLED,
};

/* Absent texts have a NULL pointer. */
struct bt_queue_item {
    bt_str queue;   /* "inbox", "webhook" or "pump" */
    bt_str message; /* its name in that queue */
    bt_str target;
    uint64_t seq; /* of the entry that added it; the order of a queue */
    bt_str thread;
    bt_str payload;
    uint64_t not_before_ms;
    uint64_t lease_until_ms; /* 0: not leased */
    bt_str lease;            /* token of the holder */
    uint64_t attempts;       /* how often it was leased */
    enum bt_queue_state state;
    uint64_t updated_seq;
};

/* Add an item that is not leased, within a decision. BT_EDENIED: the queue has it. */
BT_MUST_USE enum bt_status bt_queue_put(struct bt_store *store, const struct bt_queue_item *item,
                                        struct bt_error *error);
/* BT_ENOENT: there is none. The item is in the arena. */
BT_MUST_USE enum bt_status bt_queue_get(struct bt_store *store, struct bt_arena *arena,
                                        const bt_str key[2], struct bt_queue_item *out,
                                        struct bt_error *error);

/* Called for each; the item is valid until it returns. False ends it. */
typedef bool bt_queue_fn(void *context, const struct bt_queue_item *item);

struct bt_queue_lease {
    bt_str queue;
    bt_str target;
    uint64_t now_ms;
    uint64_t until_ms;
    bt_str token;          /* that cannot be guessed */
    uint64_t attempts_max; /* items that were leased so often are skipped */
    uint64_t count_max;    /* at most 1000 */
};

/* Lease the oldest available items of a target, in a transaction of its own; no item is leased
 * twice. It costs the same however many wait, but reads past those that others have leased. */
BT_MUST_USE enum bt_status bt_queue_lease(struct bt_store *store,
                                          const struct bt_queue_lease *lease, bt_queue_fn *each,
                                          void *context, struct bt_error *error);

/* Every item of a queue, in the order of their names. */
BT_MUST_USE enum bt_status bt_queue_each(struct bt_store *store, bt_str queue, bt_queue_fn *each,
                                         void *context, struct bt_error *error);

/* How an item is returned. */
struct bt_queue_end {
    bt_str queue;
    bt_str message;
    bt_str lease;              /* the token; NULL: for an item that is not leased */
    enum bt_queue_state state; /* BT_QUEUE_QUEUED: to be tried again */
    uint64_t now_ms;
    uint64_t not_before_ms; /* when it is tried again */
    uint64_t seq;           /* of the entry that records it */
};

/* End or return an item, within a decision. BT_ENOENT: there is none, or it has ended.
 * BT_EDENIED: another lease holds it. A done or cancelled item loses its payload. */
BT_MUST_USE enum bt_status bt_queue_finish(struct bt_store *store, const struct bt_queue_end *end,
                                           struct bt_error *error);
/* Make a dead item wait again, as if it had never been leased, within a decision. `seq` is that of
 * the entry that records it. BT_ENOENT: there is none, it is not dead, or it lost its payload. */
BT_MUST_USE enum bt_status bt_queue_retry(struct bt_store *store, const bt_str key[2], uint64_t seq,
                                          struct bt_error *error);
struct bt_queue_limit {
    bt_str queue;
    bt_str target;
    uint64_t now_ms;
    uint64_t attempts;
};

/* Items of a target that were leased so often, or more, and are not leased: a decision will make
 * them dead. The oldest first. */
BT_MUST_USE enum bt_status bt_queue_each_exhausted(struct bt_store *store,
                                                   const struct bt_queue_limit *limit,
                                                   bt_queue_fn *each, void *context,
                                                   struct bt_error *error);
/* Items of all queues that belong to entries about a document, and are not finished. */
BT_MUST_USE enum bt_status bt_queue_each_with_document(struct bt_store *store, bt_str sha256,
                                                       bt_queue_fn *each, void *context,
                                                       struct bt_error *error);

/* What one receiver has in a queue. */
struct bt_queue_size {
    bt_str queue; /* "inbox" or "webhook" */
    bt_str target;
    uint64_t queued; /* not leased, or only with a lease that has expired */
    uint64_t leased;
    uint64_t dead;
    uint64_t oldest;       /* the seq of the oldest item that is not dead; BT_STORE_NONE: none */
    uint64_t attempts_max; /* of an item that is not dead */
};
/* Return false to stop. */
typedef bool bt_queue_size_fn(void *context, const struct bt_queue_size *size);
/* The sizes of inboxes and of the queues of webhooks, by queue and target, at most `max`. They come
 * from counters: it costs the same however many items wait, and more with each that is leased. */
BT_MUST_USE enum bt_status bt_queue_each_size(struct bt_store *store, uint64_t now_ms, uint64_t max,
                                              bt_queue_size_fn *each, void *context,
                                              struct bt_error *error);

/* False for a store whose queues no decision has changed since there are counters. */
BT_MUST_USE enum bt_status bt_queue_has_counts(struct bt_store *store, bool *out_has,
                                               struct bt_error *error);
/* Count all items of inboxes and webhooks, within a decision. `seq` is that of its last entry. */
BT_MUST_USE enum bt_status bt_queue_count_again(struct bt_store *store, uint64_t seq,
                                                struct bt_error *error);
/* False when a counter differs from the items. */
BT_MUST_USE enum bt_status bt_queue_counts_agree(struct bt_store *store, bool *out_agree,
                                                 struct bt_error *error);

#endif
