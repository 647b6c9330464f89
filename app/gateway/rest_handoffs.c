/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rest_handoffs.c - handoffs are submitted, listed, and looked at.
 */
#include "gateway/rest.h"

/* ---- Submitting ------------------------------------------------------------------------------ */

/* Answer; or let the call rest until the writer has told, or go on among those who wait. */
static enum bt_status answer_or_rest(struct rest *rest, enum bt_status status)
{
    struct exchange *x = rest->x;
    const struct later *later = &rest->later;
    const bool is_under_way = status == BT_OK && later->filing;
    x->parked = is_under_way ? rest : NULL;
    if (status == BT_OK && later->must_wait) {
        x->call->lane = HTTP_SLOW;
        return is_under_way ? BT_OK : rest_drop(rest);
    }
    if (is_under_way) {
        exchange_park(x, later, rest);
        return BT_OK;
    }
    return rest_end(rest, status);
}

static enum bt_status go_on(struct rest *rest)
{
    const struct exchange *x = rest->x;
    rest->later.is_told = x->call->is_resumed;
    return answer_or_rest(rest, op_submit_end(&rest->work, x->service));
}

static enum bt_status submit(struct exchange *x)
{
    struct rest_documents documents;
    if (x->parked) {
        return go_on(x->parked);
    }
    struct rest *rest = BT_NEW(x->arena, struct rest); /* it may outlive this call */
    if (!rest) {
        return BT_ENOMEM;
    }
    if (!rest_begin(rest, x)) {
        return BT_OK;
    }
    if (x->call->lane == HTTP_QUICK) {
        rest->later = exchange_later(x);
        rest->work.later = &rest->later;
    }
    const bool is_ready = rest_documents(rest, OPTION_SUBMIT, false, &documents);
    const enum bt_status status = is_ready ? op_submit(&rest->work, &documents.items[0]) : BT_OK;
    rest_documents_end(&documents);
    return is_ready ? answer_or_rest(rest, status) : rest_drop(rest);
}

static enum bt_status dispatch(struct exchange *x)
{
    return rest_run(x, OPTION_SUBMIT, op_dispatch);
}

static enum bt_status as_governed(struct work *work, struct request *request)
{
    request->dialect = bt_dialect_named(BT_STR("governed"));
    return op_submit(work, request);
}

static enum bt_status govern_submit(struct exchange *x)
{
    return rest_run(x, OPTION_SUBMIT, as_governed);
}

static enum bt_status as_response(struct work *work, struct request *request)
{
    request->dialect = bt_dialect_named(BT_STR("response"));
    return op_submit(work, request);
}

static enum bt_status govern_respond(struct exchange *x)
{
    return rest_run(x, OPTION_SUBMIT, as_response);
}

/* ---- Looking --------------------------------------------------------------------------------- */

static enum bt_status list(struct exchange *x)
{
    struct handoff_filter filter;
    struct rest rest;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    return rest_filter(&rest, &filter) ? rest_end(&rest, op_handoffs(&rest.work, &filter))
                                       : rest_drop(&rest);
}

static enum bt_status get(struct exchange *x)
{
    struct rest rest;
    return rest_begin(&rest, x)
               ? rest_end_cached(&rest, op_handoff(&rest.work, x->params[0]), NULL, "no-cache")
               : BT_OK;
}

static enum bt_status document(struct exchange *x)
{
    struct rest rest;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    const enum bt_status status = op_document(&rest.work, x->params[0]);
    if (status == BT_OK && rest.answer.kind == ANSWER_DONE) {
        exchange_field(x, "Content-Disposition", BT_STR("attachment"));
    }
    return rest_end_as(&rest, status, "application/octet-stream");
}

static enum bt_status report(struct exchange *x)
{
    struct rest rest;
    return rest_begin(&rest, x) ? rest_end(&rest, op_rejudge(&rest.work, x->params[0])) : BT_OK;
}

/* As the text of tlog-proof, unless JSON is wanted more. */
static enum bt_status receipt(struct exchange *x)
{
    struct rest rest;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    if (exchange_weight(x, "application/json") > exchange_weight(x, "text/plain")) {
        return rest_end(&rest, op_receipt(&rest.work, x->params[0]));
    }
    if (!receipt_put(&rest.work, x->params[0], &rest.answer.body)) {
        (void)exchange_problem(x, "NOT_FOUND");
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

#define LOOK_ROW(path_, operation_, run_, summary_)                                                \
    {                                                                                              \
        .method = HTTP_GET, .path = (path_), .operation = (operation_), .scopes = SCOPE_SUBMIT,    \
        .flags = ROUTE_STORE, .run = (run_), .summary = (summary_)                                 \
    }

const struct route handoff_routes[] = {
    {.method = HTTP_POST,
     .path = "/v1/handoffs",
     .operation = "submitHandoff",
     .scopes = SCOPE_SUBMIT,
     .flags = SUBMIT_FLAGS | ROUTE_LATER | ROUTE_BRIEF,
     .run = submit,
     .takes = REST_DOCUMENT,
     .query = SUBMIT_QUERY,
     .summary = "Judge, record and deliver a handoff"},
    {.method = HTTP_POST,
     .path = "/v1/dispatch",
     .operation = "dispatch",
     .scopes = SCOPE_SUBMIT,
     .flags = SUBMIT_FLAGS,
     .run = dispatch,
     .takes = "application/json",
     .summary = "Dispatch a governed handoff"},
    {.method = HTTP_POST,
     .path = "/v1/govern/submit",
     .operation = "governSubmit",
     .scopes = SCOPE_SUBMIT,
     .flags = SUBMIT_FLAGS,
     .run = govern_submit,
     .takes = "application/json application/octet-stream " REST_ENVELOPE,
     .query = "path root withhold document structure_only",
     .summary = "Submit a governed handoff"},
    {.method = HTTP_POST,
     .path = "/v1/govern/respond",
     .operation = "governRespond",
     .scopes = SCOPE_SUBMIT,
     .flags = SUBMIT_FLAGS,
     .run = govern_respond,
     .takes = "application/json application/octet-stream " REST_ENVELOPE,
     .query = "path root withhold document structure_only",
     .summary = "Submit the response to a governed handoff"},
    {.method = HTTP_GET,
     .path = "/v1/handoffs",
     .operation = "listHandoffs",
     .scopes = SCOPE_SUBMIT,
     .flags = ROUTE_STORE,
     .run = list,
     .query = "dialect verdict kind handoff_id trace_id source target code since until after order "
              "limit",
     .summary = "List entries of the ledger, newest first"},
    LOOK_ROW("/v1/handoffs/{id}", "getHandoff", get, "Show one handoff"),
    {.method = HTTP_GET,
     .path = "/v1/handoffs/{id}/document",
     .operation = "getDocument",
     .scopes = SCOPE_SUBMIT,
     .flags = ROUTE_STORE,
     .run = document,
     .gives = "application/octet-stream",
     .summary = "Get the document of a handoff as it came"},
    LOOK_ROW("/v1/handoffs/{id}/report", "getReport", report,
             "Judge the document of a handoff again"),
    {.method = HTTP_GET,
     .path = "/v1/handoffs/{id}/receipt",
     .operation = "getReceipt",
     .scopes = SCOPE_SUBMIT,
     .flags = ROUTE_STORE,
     .run = receipt,
     .gives = "text/plain application/json",
     .summary = "Get the receipt of a handoff"},
    {.path = NULL},
};
