/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inbox.h - deliver accepted handoffs: inboxes, leases.
 *
 * An accepted handoff waits in the inbox of its target until somebody takes it under a lease and
 * reports the result; when a lease expires the handoff is delivered again, so it arrives at least
 * once.
 *
 * Every call has one of three results: BT_OK and done; BT_OK with findings in `alarms`, which means
 * that the ledger itself cannot be trusted and nothing was done; any other status, and then nothing
 * was stored unless the call says otherwise. Results live in the arena. Statuses that are not
 * described: BT_ENOMEM, the arena reached its limit; BT_EIO, the store failed; `error` says why.
 */
#ifndef BATON_SRC_DELIVER_INBOX_H
#define BATON_SRC_DELIVER_INBOX_H

#include "ledger/ledger.h"

/* What every call works with. */
struct bt_deliver {
    struct bt_ledger *ledger; /* open for writing */
    /* submissions go through it, in a group commit; NULL: each by itself */
    struct bt_ledger_writer *writer;
    const struct timespec *until; /* with a writer: the deadline (CLOCK_MONOTONIC) */
    struct bt_env *env;
    struct bt_arena *arena;
    bt_str actor;
    struct bt_findings *alarms;
};

/* ---- Inboxes --------------------------------------------------------------------------------- */

struct bt_inbox_item {
    bt_str message;
    bt_str lease;
    bt_str lease_until;
    uint64_t attempt; /* from 1 */
    uint64_t seq;     /* of the handoff */
    bt_str traceparent;
    bt_str bytes;
};

struct bt_inbox_items {
    const struct bt_inbox_item *items;
    size_t count;
};

/*
 * An agent's webhook has its own queue, in which message h<seq> of the inbox is w<seq>; an agent
 * cannot lease from it.
 */
struct bt_inbox_lease_options {
    bt_str agent;
    uint64_t max;
    uint64_t lease_seconds;
    uint64_t attempts_max; /* after this many attempts an item is dead */
    bool is_webhook;       /* lease from the webhook queue instead of the inbox */
};

/* Lease the items that wait for an agent, oldest first. */
BT_MUST_USE enum bt_status bt_inbox_lease(const struct bt_deliver *deliver,
                                          const struct bt_inbox_lease_options *lease_options,
                                          struct bt_inbox_items *out, struct bt_error *error);

/*
 * Put the receipt of an item's handoff as JSON, against the first checkpoint that contains it, so
 * that every attempt has the same receipt except for added cosignatures. Failures of the buffer are
 * returned.
 */
BT_MUST_USE enum bt_status bt_inbox_put_receipt(const struct bt_deliver *deliver,
                                                const struct bt_inbox_item *item,
                                                struct bt_buf *buf, struct bt_error *error);

/* The result of finishing an item. Zero is not a result. */
enum bt_inbox_finish_result {
    BT_INBOX_FINISHED = 1,
    BT_INBOX_LEASE_LOST,  /* the lease expired; another receiver may have the item */
    BT_INBOX_NOT_FOUND,   /* the agent has no such item */
    BT_INBOX_WRONG_ENTRY, /* the item is of another entry than the receiver says */
};

struct bt_inbox_finish_item {
    bt_str agent;
    bool is_webhook; /* as it was leased */
    bt_str message;
    bt_str lease;
    bool is_delivered;  /* else it failed and is delivered again ... */
    bool has_leaf_hash; /* the receiver says which entry it acknowledges */
    bt_str leaf_hash;   /* hexadecimal digits */
    uint64_t pause_ms;  /* ... after this delay */
    uint64_t attempts_max;
    enum bt_inbox_finish_result end; /* out */
};

/* Report the results of deliveries and record them in one transaction. */
BT_MUST_USE enum bt_status bt_inbox_finish_item(const struct bt_deliver *deliver,
                                                struct bt_inbox_finish_item *items, size_t count,
                                                struct bt_error *error);

struct bt_inbox_item_state {
    bt_str state; /* "queued", "taken", "delivered", "dead" or "cancelled" */
    uint64_t seq; /* of the entry that changed it last */
};

/* The state of an item. BT_ENOENT: there is none. */
BT_MUST_USE enum bt_status bt_inbox_get_state(const struct bt_deliver *deliver, bt_str message,
                                              struct bt_inbox_item_state *out,
                                              struct bt_error *error);
/*
 * Cancel an item of an inbox together with its webhook delivery, unless one of them is or was
 * leased; *out_is_done is set when it was cancelled. The cancellation is recorded.
 */
BT_MUST_USE enum bt_status bt_inbox_cancel(const struct bt_deliver *deliver, bt_str message,
                                           bool *out_is_done, struct bt_error *error);

/*
 * Deliver a dead item again, h<seq> of an inbox or w<seq> of a webhook, as if it had never been
 * tried. The retry is recorded. BT_ENOENT: the item is not dead, or its document was deleted.
 */
BT_MUST_USE enum bt_status bt_inbox_retry(const struct bt_deliver *deliver, bt_str message,
                                          uint64_t *out_seq, struct bt_error *error);

struct bt_inbox_size {
    bt_str agent;
    bool is_webhook;
    uint64_t waiting;
    uint64_t leased;
    uint64_t dead;
    uint64_t attempts_max;
    uint64_t oldest; /* the seq of the oldest handoff that is not dead; BT_LEDGER_SEQ_NONE: none */
};

struct bt_inbox_sizes {
    struct bt_inbox_size *items;
    size_t count;
};

/* What waits, for every agent that has anything in its inbox or for its webhook; at most `max`. */
BT_MUST_USE enum bt_status bt_inbox_list_sizes(const struct bt_deliver *deliver, uint64_t max,
                                               struct bt_inbox_sizes *out, struct bt_error *error);

#endif
