/* SPDX-License-Identifier: Apache-2.0 */
/*
 * webhooks.h - send accepted handoffs to the operator's webhooks.
 *
 * decision -> queue in the store -> a few threads, under a lease -> POST URL
 *
 * Deliveries are in the store from the decision on, so the end of the process loses none of them.
 * Only the threads resolve names and wait for sockets, one delivery at a time for each receiver.
 * After a failure a receiver is left alone for a time that doubles with each failure. Receivers
 * that failed last never occupy all threads, so that one that hangs does not delay the others.
 */
#ifndef BATON_APP_SERVE_WEBHOOKS_H
#define BATON_APP_SERVE_WEBHOOKS_H

#include "net/http_client.h"
#include "serve/server.h"

/* One configured receiver. */
struct serve_webhook {
    bt_str target;
    struct http_url where;
    const char *path;  /* appended to the path of `where` */
    bt_str fields;     /* header fields of every POST */
    unsigned failures; /* since the last success */
    uint64_t rest_ms;  /* on the monotonic clock: not used before this time */
    uint64_t due_ms;   /* when to check its queue */
    bool is_busy;      /* a thread is checking its queue or sending */
};

struct serve_webhook_list {
    struct serve_webhook *items;
    size_t count;
    uint64_t attempts_max;
};

/*
 * Read `deliver.webhooks` into the arena. BT_EINVAL: a target that is not a valid name or is
 * repeated, a URL that cannot be reached or contains a secret, a variable that is not set or cannot
 * be sent; `error` says which.
 */
BT_MUST_USE enum bt_status webhooks_read(struct bt_arena *arena, const struct bt_config *config,
                                         struct serve_webhook_list *out, struct bt_error *error);

/* ---- Sender ---------------------------------------------------------------------------------- */

struct serve_webhooks;

/*
 * Make a sender that sends nothing yet. NULL when memory runs out. Destroy it with
 * webhooks_destroy().
 */
struct serve_webhooks *webhooks_create(struct serve_server *gateway);
/*
 * Finish deliveries in progress for a short time, at most until `until_ms`, and destroy the sender.
 * NULL is allowed.
 */
void webhooks_destroy(struct serve_webhooks *webhooks, uint64_t until_ms);
/*
 * Use a new configuration, except for deliveries in progress. False: it cannot be used; `error`
 * says why.
 */
BT_MUST_USE bool webhooks_change(struct serve_webhooks *webhooks, const struct bt_config *config,
                                 struct bt_error *error);
/* On any thread: there may be a delivery for the webhook of a target, if it has one. */
void serve_webhooks_notify(struct serve_webhooks *webhooks, bt_str target);

#endif
