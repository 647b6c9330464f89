/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rest_check.c - paths that judge one document.
 */
#include "gateway/route.h"

static enum bt_status check(struct exchange *x)
{
    struct answer answer;
    struct work work = exchange_work(x, &answer);
    struct request request;
    request_begin(x->service, &request);
    request.text = x->request->body;
    const enum bt_status status = op_check(&work, &request);
    request_end(&request);
    enum bt_status told = BT_OK;
    if (status == BT_OK) {
        told = answer.kind == ANSWER_DONE ? exchange_json(x, 200, bt_buf_str(&answer.body))
                                          : exchange_problem(x, "DIALECT_UNKNOWN");
    }
    bt_buf_free(&answer.body);
    return status == BT_OK ? told : status;
}

const struct route rest_routes[] = {
    {.method = HTTP_POST,
     .path = "/v1/check",
     .operation = "check",
     .scopes = SCOPE_CHECK,
     .run = check,
     .takes = "application/json",
     .summary = "judge a document"},
    {.path = NULL},
};
