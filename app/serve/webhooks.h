/* SPDX-License-Identifier: Apache-2.0 */
/*
 * webhooks.h - accepted handoffs on their way to URLs of the operator.
 *
 *     a decision -> the queue in the store -> a few threads, under a lease -> POST URL
 *
 * What is owed is in the store from the decision on, and an end of the process loses none of it.
 * The threads alone look up names and wait for sockets, one at a time for each receiver. One that
 * fails is left in peace for a while, twice as long after each failure; and those that failed last
 * never keep all threads, so that who hangs holds up nobody else.
 */
#ifndef BATON_APP_SERVE_WEBHOOKS_H
#define BATON_APP_SERVE_WEBHOOKS_H

#include "http/client.h"
#include "serve/server.h"

/* One receiver, as the configuration names it. */
struct serve_webhook {
    bt_str target;
    struct http_url where;
    const char *path;  /* behind that of `where` */
    bt_str fields;     /* of the head of every POST */
    unsigned failures; /* since it last took something */
    uint64_t rest_ms;  /* of the monotonic clock: it is left in peace until then */
    uint64_t due_ms;   /* when to look for what is owed to it */
    bool is_busy;      /* a thread does, or sends it */
};

struct serve_webhook_list {
    struct serve_webhook *items;
    size_t count;
    uint64_t attempts_max;
};

/* Read `deliver.webhooks`. BT_EINVAL, with a reason: a target that is no name or comes twice, a URL
 * that cannot be reached or tells a secret, a variable that is not set or cannot be sent. */
BT_MUST_USE enum bt_status webhooks_read(struct bt_arena *arena, const struct bt_config *config,
                                         struct serve_webhook_list *out, struct bt_error *error);

/* ---- The sender ------------------------------------------------------------------------------ */

struct serve_webhooks;

/* One that sends nothing yet. NULL when there is no memory. */
struct serve_webhooks *webhooks_create(struct serve_server *gateway);
/* End what is being sent, for a short while and not after `until_ms`. NULL is allowed. */
void webhooks_destroy(struct serve_webhooks *webhooks, uint64_t until_ms);
/* From now on this configuration holds, except for what is being sent. False, with a reason: it
 * cannot. */
BT_MUST_USE bool webhooks_change(struct serve_webhooks *webhooks, const struct bt_config *config,
                                 struct bt_error *error);
/* In any thread: something may be owed to the webhook of a target, if it has one. */
void serve_webhooks_notify(struct serve_webhooks *webhooks, bt_str target);

#endif
