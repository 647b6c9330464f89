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

static enum bt_status dispatch_handoff(struct serve_call *x)
{
    return rest_run(x, OPTION_SUBMIT, bt_op_governed_dispatch);
}

static enum bt_status as_governed(struct bt_call *work, struct bt_check_request *request)
{
    request->dialect = bt_dialect_find(BT_STR("governed"));
    return bt_op_handoff_submit(work, request);
}

static enum bt_status govern_submit(struct serve_call *x)
{
    return rest_run(x, OPTION_SUBMIT, as_governed);
}

static enum bt_status as_response(struct bt_call *work, struct bt_check_request *request)
{
    request->dialect = bt_dialect_find(BT_STR("response"));
    return bt_op_handoff_submit(work, request);
}

static enum bt_status govern_respond(struct serve_call *x)
{
    return rest_run(x, OPTION_SUBMIT, as_response);
}

/* ---- Queries --------------------------------------------------------------------------------- */

static enum bt_status list_handoffs(struct serve_call *x)
{
    struct bt_handoff_filter filter;
    struct serve_rest rest;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    return rest_filter(&rest, &filter) ? rest_end(&rest, bt_op_handoffs(&rest.work, &filter))
                                       : rest_drop(&rest);
}

static enum bt_status get_handoff(struct serve_call *x)
{
    struct serve_rest rest;
    return rest_begin(&rest, x)
               ? rest_end_cached(&rest, bt_op_handoff(&rest.work, x->params[0]), NULL, "no-cache")
               : BT_OK;
}

static enum bt_status get_document(struct serve_call *x)
{
    struct serve_rest rest;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    const enum bt_status status = bt_op_document(&rest.work, x->params[0]);
    if (status == BT_OK && rest.answer.kind == ANSWER_DONE) {
        serve_call_add_header(x, "Content-Disposition", BT_STR("attachment"));
    }
    return rest_end_as(&rest, status, "application/octet-stream");
}

static enum bt_status get_report(struct serve_call *x)
{
    struct serve_rest rest;
    return rest_begin(&rest, x) ? rest_end(&rest, bt_op_handoff_report(&rest.work, x->params[0]))
                                : BT_OK;
}

/* As tlog-proof text, unless Accept prefers JSON. */
static enum bt_status get_receipt(struct serve_call *x)
{
    struct serve_rest rest;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    if (serve_call_accept_weight(x, "application/json") >
        serve_call_accept_weight(x, "text/plain")) {
        return rest_end(&rest, bt_op_receipt(&rest.work, x->params[0]));
    }
    if (!bt_op_put_receipt(&rest.work, x->params[0], &rest.answer.body)) {
        (void)serve_call_respond_problem(x, "NOT_FOUND");
        return rest_drop(&rest);
    }
    rest.answer.kind = ANSWER_DONE;
    return rest_end_as(&rest, BT_OK, "text/plain; charset=utf-8");
}

/* ---- Rows ------------------------------------------------------------------------------------ */

#define SUBMIT_FLAGS (ROUTE_RECORDS | ROUTE_SUBMITS)
#define SUBMIT_QUERY                                                                               \
    "as path fail_level fail_fast root tokens budget section_limit semantics chain "               \
    "strict_expiry edges runtime_agent_id max_rejections id workspace session withhold document "  \
    "structure_only"

#define READ_ROW(path_, operation_, run_, summary_)                                                \
    {                                                                                              \
        .method = HTTP_GET, .path = (path_), .operation = (operation_), .scopes = BT_SCOPE_SUBMIT, \
        .flags = ROUTE_STORE, .run = (run_), .summary = (summary_)                                 \
    }

const struct serve_route handoff_routes[] = {
    {.method = HTTP_POST,
     .path = "/v1/handoffs",
     .operation = "submitHandoff",
     .scopes = BT_SCOPE_SUBMIT,
     .flags = SUBMIT_FLAGS | ROUTE_LATER | ROUTE_BRIEF,
     .run = submit_handoff,
     .takes = REST_DOCUMENT,
     .query = SUBMIT_QUERY,
     .summary = "Judge, record and deliver a handoff"},
    {.method = HTTP_POST,
     .path = "/v1/dispatch",
     .operation = "dispatch",
     .scopes = BT_SCOPE_SUBMIT,
     .flags = SUBMIT_FLAGS,
     .run = dispatch_handoff,
     .takes = "application/json",
     .summary = "Dispatch a governed handoff"},
    {.method = HTTP_POST,
     .path = "/v1/govern/submit",
     .operation = "governSubmit",
     .scopes = BT_SCOPE_SUBMIT,
     .flags = SUBMIT_FLAGS,
     .run = govern_submit,
     .takes = "application/json application/octet-stream " REST_ENVELOPE,
     .query = "path root withhold document structure_only",
     .summary = "Submit a governed handoff"},
    {.method = HTTP_POST,
     .path = "/v1/govern/respond",
     .operation = "governRespond",
     .scopes = BT_SCOPE_SUBMIT,
     .flags = SUBMIT_FLAGS,
     .run = govern_respond,
     .takes = "application/json application/octet-stream " REST_ENVELOPE,
     .query = "path root withhold document structure_only",
     .summary = "Submit the response to a governed handoff"},
    {.method = HTTP_GET,
     .path = "/v1/handoffs",
     .operation = "listHandoffs",
     .scopes = BT_SCOPE_SUBMIT,
     .flags = ROUTE_STORE,
     .run = list_handoffs,
     .query = "dialect verdict kind handoff_id trace_id source target code since until after order "
              "limit",
     .summary = "List entries of the ledger, newest first"},
    READ_ROW("/v1/handoffs/{id}", "getHandoff", get_handoff, "Show one handoff"),
    {.method = HTTP_GET,
     .path = "/v1/handoffs/{id}/document",
     .operation = "getDocument",
     .scopes = BT_SCOPE_SUBMIT,
     .flags = ROUTE_STORE,
     .run = get_document,
     .gives = "application/octet-stream",
     .summary = "Get the document of a handoff as it came"},
    READ_ROW("/v1/handoffs/{id}/report", "getReport", get_report,
             "Judge the document of a handoff again"),
    {.method = HTTP_GET,
     .path = "/v1/handoffs/{id}/receipt",
     .operation = "getReceipt",
     .scopes = BT_SCOPE_SUBMIT,
     .flags = ROUTE_STORE,
     .run = get_receipt,
     .gives = "text/plain application/json",
     .summary = "Get the receipt of a handoff"},
    {.path = NULL},
};
