/* SPDX-License-Identifier: Apache-2.0 */
/* rest_handoffs.c - submit, list and show handoffs. */
#include "serve/rest.h"

/* ---- Submitting ------------------------------------------------------------------------------ */

/*
 * Respond; or suspend the request until the writer has finished, or repeat it on a worker that may
 * wait.
 */
static enum bt_status answer_or_rest(struct serve_rest *rest, enum bt_status status)
{
    struct serve_call *x = rest->x;
    const struct bt_call_completion *later = &rest->later;
    const bool is_pending = status == BT_OK && later->filing;
    x->suspended = is_pending ? rest : NULL;
    if (status == BT_OK && later->needs_waiting_thread) {
        x->call->lane = HTTP_SLOW;
        return is_pending ? BT_OK : rest_drop(rest);
    }
    if (is_pending) {
        serve_call_suspend(x, later, rest);
        return BT_OK;
    }
    return rest_end(rest, status);
}

static enum bt_status go_on(struct serve_rest *rest)
{
    const struct serve_call *x = rest->x;
    rest->later.was_notified = x->call->is_resumed;
    return answer_or_rest(rest, bt_op_submit_end(&rest->work, x->service));
}

static enum bt_status submit_handoff(struct serve_call *x)
{
    struct serve_rest_documents documents;
    if (x->suspended) {
        return go_on(x->suspended);
    }
    /* it may outlive this call of the handler */
    struct serve_rest *rest = BT_NEW(x->arena, struct serve_rest);
    if (!rest) {
        return BT_ENOMEM;
    }
    if (!rest_begin(rest, x)) {
        return BT_OK;
    }
    if (x->call->lane == HTTP_QUICK) {
        rest->later = serve_call_completion(x);
        rest->work.later = &rest->later;
    }
    const bool is_ready = rest_documents(rest, OPTION_SUBMIT, false, &documents);
    const enum bt_status status =
        is_ready ? bt_op_handoff_submit(&rest->work, &documents.items[0]) : BT_OK;
    rest_documents_end(&documents);
    return is_ready ? answer_or_rest(rest, status) : rest_drop(rest);
}

static enum bt_status dispatch_handoff(struct serve_rest *rest)
{
    return rest_run(rest, OPTION_SUBMIT, bt_op_governed_dispatch);
}

static enum bt_status as_governed(struct bt_call *work, struct bt_check_request *request)
{
    request->dialect = BT_DIALECT_GOVERNED;
    return bt_op_handoff_submit(work, request);
}

static enum bt_status govern_submit(struct serve_rest *rest)
{
    return rest_run(rest, OPTION_SUBMIT, as_governed);
}

static enum bt_status as_response(struct bt_call *work, struct bt_check_request *request)
{
    request->dialect = BT_DIALECT_RESPONSE;
    return bt_op_handoff_submit(work, request);
}

static enum bt_status govern_respond(struct serve_rest *rest)
{
    return rest_run(rest, OPTION_SUBMIT, as_response);
}

/* ---- Queries --------------------------------------------------------------------------------- */

static enum bt_status list_handoffs(struct serve_rest *rest)
{
    struct bt_handoff_filter filter;
    rest_filter(rest, &filter);
    return bt_op_handoffs(&rest->work, &filter);
}

static enum bt_status get_handoff(struct serve_rest *rest)
{
    rest->cache = "no-cache";
    return bt_op_handoff(&rest->work, rest->x->params[0]);
}

static enum bt_status get_document(struct serve_rest *rest)
{
    const enum bt_status status = bt_op_document(&rest->work, rest->x->params[0]);
    rest->type = "application/octet-stream";
    if (status == BT_OK && rest->answer.kind == ANSWER_DONE) {
        serve_call_add_header(rest->x, "Content-Disposition", BT_STR("attachment"));
    }
    return status;
}

static enum bt_status get_report(struct serve_rest *rest)
{
    return bt_op_handoff_report(&rest->work, rest->x->params[0]);
}

/* As tlog-proof text, unless Accept prefers JSON. */
static enum bt_status get_receipt(struct serve_rest *rest)
{
    struct serve_call *x = rest->x;
    if (serve_call_accept_weight(x, "application/json") >
        serve_call_accept_weight(x, "text/plain")) {
        return bt_op_receipt(&rest->work, x->params[0]);
    }
    if (!bt_op_put_receipt(&rest->work, x->params[0], &rest->answer.body)) {
        return serve_call_respond_problem(x, BT_PROBLEM_NOT_FOUND);
    }
    rest->type = "text/plain; charset=utf-8";
    rest->answer.kind = ANSWER_DONE;
    return BT_OK;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

const struct serve_handler handoff_handlers[] = {
    {BT_OPERATION_HANDOFF_SUBMIT, ROUTE_LATER | ROUTE_BRIEF, .run_call = submit_handoff},
    {BT_OPERATION_GOVERNED_DISPATCH, 0, .run = dispatch_handoff},
    {BT_OPERATION_GOVERNED_SUBMIT, 0, .run = govern_submit},
    {BT_OPERATION_GOVERNED_RESPOND, 0, .run = govern_respond},
    {BT_OPERATION_HANDOFF_LIST, 0, .run = list_handoffs},
    {BT_OPERATION_HANDOFF_GET, 0, .run = get_handoff},
    {BT_OPERATION_HANDOFF_DOCUMENT, 0, .run = get_document},
    {BT_OPERATION_HANDOFF_REPORT, 0, .run = get_report},
    {BT_OPERATION_HANDOFF_RECEIPT, 0, .run = get_receipt},
    {.run = NULL},
};
