/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker.c - what a thread needs to answer: its own world, checker and door to the store.
 */
#include <assert.h>
#include <stdlib.h>

#include "gateway/gateway.h"

struct worker {
    struct gateway *gateway;
    struct bt_env env;
    struct service service;
    struct bt_error error; /* why there is no store */
};

void *gateway_worker_begin(void *context, enum http_lane lane)
{
    struct gateway *gateway = context;
    struct worker *worker = calloc(1, sizeof(*worker));
    (void)lane;
    if (!worker) {
        return NULL;
    }
    worker->gateway = gateway;
    worker->env = gateway->env; /* the seed of hashes is that of the process */
    worker->service = (struct service){.env = &worker->env,
                                       .checker = bt_checker_create(&worker->env),
                                       .root = BT_STR(""),
                                       .input = BT_STR(""),
                                       .policy = BT_STR("")};
    if (!worker->service.checker) {
        free(worker);
        return NULL;
    }
    return worker;
}

void gateway_worker_end(void *context, void *own)
{
    struct worker *worker = own;
    (void)context;
    if (worker) {
        bt_ledger_close(worker->service.ledger);
        bt_checker_destroy(worker->service.checker);
        free(worker);
    }
}

/* Open the store when it is first needed, and again after it was lost. */
static bool open_store(struct worker *worker)
{
    const struct serve_flags *flags = worker->gateway->flags;
    if (worker->service.ledger) {
        return true;
    }
    return bt_ledger_open(&flags->store, !flags->is_read_only, &worker->service.ledger,
                          &worker->error) == BT_OK;
}

/* The worker as the handlers of this request see it. */
static void dress(struct worker *worker, struct exchange *x)
{
    worker->env.limits = x->settings->reading;
    worker->service.config = x->config;
    worker->service.root = x->settings->root;
    worker->service.policy = x->settings->policy;
    x->service = &worker->service;
}

/* Whether there is the store that a route needs; one that may use it gets it when it is there. */
static bool find_store(struct worker *worker, const struct route *route)
{
    if ((route->flags & ROUTE_MAY_STORE) && !worker->gateway->flags->has_no_store) {
        (void)open_store(worker);
    }
    return !(route->flags & (ROUTE_STORE | ROUTE_RECORDS)) || open_store(worker);
}

struct service *exchange_lend(struct exchange *x, void *own)
{
    struct worker *worker = own;
    if (!worker) {
        return NULL;
    }
    dress(worker, x);
    x->service = NULL;
    return find_store(worker, x->route) ? &worker->service : NULL;
}

void gateway_run(void *context, struct http_call *call, void *own)
{
    struct exchange *x = call->data;
    struct worker *worker = own;
    (void)context;
    if (!worker) {
        (void)exchange_problem(x, "OVERLOADED");
        exchange_end(x);
        return;
    }
    dress(worker, x);
    if (!find_store(worker, x->route)) {
        (void)exchange_problem(x, "STORE_UNAVAILABLE");
    } else if (x->route->run(x) != BT_OK) {
        bt_buf_clear(&x->answer->fields);
        (void)exchange_problem(x, "INTERNAL");
    }
    if (x->answer->again_ms == 0) {
        exchange_end(x);
    }
    x->service = NULL;
}
