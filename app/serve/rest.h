/* SPDX-License-Identifier: Apache-2.0 */
/* rest.h - operations over HTTP: request -> arguments -> operation -> response. */
#ifndef BATON_APP_SERVE_REST_H
#define BATON_APP_SERVE_REST_H

#include "operation/arguments.h"
#include "operation/records.h"
#include "serve/call.h"

/* Media types of the envelope around documents, and of problems. */
#define REST_ENVELOPE "application/vnd.baton.request+json"
#define REST_PROBLEM "application/problem+json"

/* One request and its operation. */
struct serve_rest {
    struct serve_call *x;
    struct bt_result answer;
    struct bt_call work;
    struct bt_args args;
    struct bt_idempotency_key key;
    struct bt_call_completion later;
};

/* Run the operation of a route with the arguments of the request, and respond with its result. */
enum bt_status rest_handle(struct serve_call *x);

/* Begin, and read the arguments. False: the response is already set. */
BT_MUST_USE bool rest_begin(struct serve_rest *rest, struct serve_call *x);
/*
 * Respond with the result of the operation and free everything. Returns what the handler must
 * return.
 */
enum bt_status rest_end(struct serve_rest *rest, enum bt_status status);
/* Free everything when the response is already set. Returns BT_OK. */
enum bt_status rest_drop(struct serve_rest *rest);
/* Free what a suspended request of an operation holds; it is answered in another way. */
void rest_drop_suspended(struct serve_call *x);

/*
 * Read the arguments from the path, the query and the body, and check them against the row of the
 * operation (rest_args.c). Statuses as in args_read.h.
 */
BT_MUST_USE enum bt_status rest_args_read(struct serve_rest *rest);

/* Operations that the server runs itself. */
route_fn rest_stream_entries;
route_fn rest_stream_pump;
route_fn rest_run_hook;
route_fn rest_reload;
route_fn rest_new_log;
route_fn rest_list_logs;
route_fn rest_register_statement;
route_fn rest_list_wrapped;
route_fn rest_wrap_diff;
route_fn rest_wrap_stats;
route_fn rest_list_calls;
route_fn rest_get_call;

extern const struct serve_route openapi_routes[];

#endif
