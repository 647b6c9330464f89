/* SPDX-License-Identifier: Apache-2.0 */
/* rest.c - from a request to an operation, and from its result to an HTTP response. */
#include "serve/rest.h"

#include <inttypes.h>

#include "base/buf.h"
#include "serve/coding.h"
#include "serve/server.h"

enum { POLL_INTERVAL_MS = 500 };

/* ---- Problems -------------------------------------------------------------------------------- */

static enum bt_status write_refusal(struct bt_call *work, void *adapter)
{
    const struct serve_rest *rest = adapter;
    return bt_result_write_refusal(work, rest->x->request_id);
}

/*
 * Let the operation write into the buffer of the response, so that its result is not copied.
 * Between rest_begin() and the response the call has no body of its own.
 */
static void swap_bodies(struct serve_rest *rest)
{
    struct bt_buf *own = &rest->x->answer->body;
    const struct bt_buf call_body = *own;
    *own = rest->answer.body;
    rest->answer.body = call_body;
}

static enum bt_status respond_refusal(struct serve_rest *rest)
{
    struct bt_result *answer = &rest->answer;
    struct serve_call *x = rest->x;
    if (!answer->is_problem && !answer->is_replay) {
        BT_TRY(write_refusal(&rest->work, rest));
    }
    x->outcome.code = answer->code;
    if (answer->status == BT_HTTP_UNAVAILABLE) {
        serve_call_add_header(x, "Retry-After", BT_STR("5"));
        x->outcome.has_retry = true;
    }
    bt_buf_put_char(&answer->body, '\n');
    swap_bodies(rest);
    return serve_call_set_body_type(x, answer->status, REST_PROBLEM);
}

/* Respond to a request that is invalid or could not be served. */
static enum bt_status respond_failure(struct serve_rest *rest)
{
    enum bt_problem problem = BT_PROBLEM_NONE;
    bt_str members;
    rest->x->outcome.is_pump_failure = rest->answer.is_pump_failure;
    if (rest->answer.findings && !rest->answer.problem) {
        return respond_refusal(rest);
    }
    BT_TRY(bt_result_find_problem(&rest->work, &problem, &members));
    return serve_call_respond_problem_with(rest->x, problem, members);
}

/* ---- Beginning ------------------------------------------------------------------------------- */

/* Read the idempotency key of a request that records. BT_EINVAL: the result is set. */
static enum bt_status take_key(struct serve_rest *rest)
{
    static const struct bt_operation_param form = {.type = BT_OPERATION_PARAM_KEY};
    struct serve_call *x = rest->x;
    const struct http_request *request = x->request;
    size_t count = 0;
    bt_str key = serve_field(request, "idempotency-key", &count);
    if (request->method != HTTP_POST || !(x->route->flags & ROUTE_RECORDS) || count == 0) {
        return BT_OK;
    }
    if (key.len >= 2 && key.ptr[0] == '"' && key.ptr[key.len - 1] == '"') {
        key = bt_str_slice(key, 1, key.len - 1);
    }
    const char *why = bt_argument_check_text(&form, count > 1 ? BT_STR("") : key);
    if (why) {
        return bt_result_refuse_argument(&rest->work, BT_STR("Idempotency-Key"), why);
    }
    rest->key = (struct bt_idempotency_key){.path = request->path, .key = key};
    rest->work.key = &rest->key;
    return bt_arena_printf(x->arena, &rest->key.request, "%.*s\n%.*s\n%.*s",
                           BT_STR_ARG(request->query), BT_STR_ARG(exchange_media_type(x)),
                           BT_STR_ARG(request->body));
}

/* Read the caller's own number of a submission, which its entry keeps. BT_EINVAL: the result is
 * set. */
static enum bt_status take_number(struct serve_rest *rest)
{
    const struct serve_call *x = rest->x;
    size_t count = 0;
    const bt_str text = serve_field(x->request, "baton-number", &count);
    if (!(x->route->flags & ROUTE_SUBMITS) || count == 0) {
        return BT_OK;
    }
    return count == 1 && bt_str_to_u64(text, &rest->work.number) == BT_OK &&
                   rest->work.number > 0 && rest->work.number <= BT_ENTRY_NUMBER_MAX
               ? BT_OK
               : bt_result_refuse_argument(&rest->work, BT_STR("Baton-Number"),
                                           "it is one number from 1 to 9007199254740991");
}

/* True when the operation can answer with text or JSON, and Accept does not prefer JSON; or with
 * JSON or a page, and Accept prefers the page. */
static bool prefers_text(const struct serve_call *x)
{
    const bt_str gives = bt_str_of(x->route->gives);
    const unsigned json = serve_call_accept_weight(x, "application/json");
    return (bt_str_starts_with(gives, BT_STR("text/plain ")) &&
            json <= serve_call_accept_weight(x, "text/plain")) ||
           (bt_str_ends_with(gives, BT_STR(" text/html")) &&
            json < serve_call_accept_weight(x, "text/html"));
}

/* True when the operation can answer with COSE, and Accept prefers it to all else. */
static bool prefers_cose(const struct serve_call *x)
{
    const bt_str gives = bt_str_of(x->route->gives);
    const unsigned cose = serve_call_accept_weight(x, BT_MEDIA_COSE);
    return bt_str_find(gives, BT_STR(" " BT_MEDIA_COSE)) < gives.len &&
           cose > serve_call_accept_weight(x, "application/json") &&
           cose > serve_call_accept_weight(x, "text/plain");
}

bool rest_begin(struct serve_rest *rest, struct serve_call *x)
{
    *rest = (struct serve_rest){.x = x};
    rest->work = serve_call_begin_operation(x, &rest->answer);
    swap_bodies(rest);
    bt_buf_clear(&rest->answer.body);
    rest->work.write_refusal = write_refusal;
    rest->work.adapter = rest;
    rest->work.traceparent = bt_str_of(x->trace.text);
    rest->work.wants_text = prefers_text(x);
    rest->work.wants_cose = prefers_cose(x);
    enum bt_status status = take_key(rest);
    status = status == BT_OK ? take_number(rest) : status;
    status = status == BT_OK ? rest_args_read(rest) : status;
    if (status == BT_OK) {
        return true;
    }
    if (status != BT_EINVAL || respond_failure(rest) != BT_OK) {
        (void)serve_call_respond_problem(x, BT_PROBLEM_OVERLOADED);
    }
    bt_buf_free(&rest->answer.body);
    return false;
}

/* ---- Ending ---------------------------------------------------------------------------------- */

static bool is_row(const struct serve_rest *rest, enum bt_operation_id id)
{
    return rest->x->route->row == &bt_operations[id];
}

static enum bt_status respond_done(struct serve_rest *rest)
{
    struct bt_result *answer = &rest->answer;
    struct serve_call *x = rest->x;
    const unsigned status = answer->status > 0 ? answer->status : BT_HTTP_OK;
    if (status >= BT_HTTP_BAD_REQUEST && !answer->media) {
        return respond_refusal(rest); /* its own body is the problem */
    }
    if (status == BT_HTTP_CREATED) {
        bt_str location;
        BT_TRY(bt_arena_printf(x->arena, &location, "%.*s/v1/handoffs/%" PRIu64,
                               BT_STR_ARG(x->target.prefix), answer->seq));
        serve_call_add_header(x, "Location", location);
        serve_call_set_seq(x, answer->seq);
    }
    if (is_row(rest, BT_OPERATION_HANDOFF_CHECK)) {
        serve_call_add_header(x, "Baton-Verdict", bt_verdict_name(answer->verdict));
    }
    if (is_row(rest, BT_OPERATION_HANDOFF_DOCUMENT) || is_row(rest, BT_OPERATION_LEDGER_BUNDLE)) {
        serve_call_add_header(x, "Content-Disposition", BT_STR("attachment"));
    }
    if (is_row(rest, BT_OPERATION_LEDGER_BUNDLE)) {
        serve_call_add_header(x, "Content-Security-Policy", BT_STR("sandbox"));
    }
    if (!answer->media) {
        bt_buf_put_char(&answer->body, '\n');
    }
    swap_bodies(rest);
    return serve_call_set_body_type(x, status, answer->media ? answer->media : "application/json");
}

static enum bt_status respond_result(struct serve_rest *rest)
{
    if (rest->answer.is_replay) {
        serve_call_add_header(rest->x, "Idempotency-Replayed", BT_STR("true"));
    }
    if ((rest->x->route->flags & ROUTE_RECORDS) && !rest->work.later) {
        serve_call_notify_commit(rest->x); /* otherwise the writer has reported it */
    }
    switch (rest->answer.kind) {
    case ANSWER_DONE:
        rest->answer.is_problem = true; /* with such a status */
        return respond_done(rest);
    case ANSWER_REFUSED:
        return respond_refusal(rest);
    case ANSWER_UNUSABLE:
    case ANSWER_FAILED:
        return respond_failure(rest);
    }
    return BT_EINTERNAL;
}

/* Cache-Control of an answer; NULL: it is not kept. */
static const char *cache_control(const struct serve_rest *rest)
{
    switch (rest->x->route->row->cache) {
    case BT_CACHE_NONE:
        return NULL;
    case BT_CACHE_REVALIDATE:
        return "no-cache";
    case BT_CACHE_MINUTES:
        return "max-age=300";
    case BT_CACHE_FOREVER:
        break;
    }
    return bt_config_bool(rest->x->config, "ledger.public")
               ? "max-age=31536000, immutable"
               : "private, max-age=31536000, immutable";
}

/* True when nothing in an answer was written by an agent: rules and schemas, and counters by words
 * of this program. */
static bool has_own_words_only(const struct serve_rest *rest)
{
    const bt_str by = is_row(rest, BT_OPERATION_HANDOFF_COUNT)
                          ? bt_args_text(&rest->args, BT_ARG_HANDOFF_COUNT_BY)
                          : BT_STR("");
    return rest->x->route->row->cache == BT_CACHE_MINUTES ||
           (is_row(rest, BT_OPERATION_HANDOFF_COUNT) && !bt_str_eq(by, BT_STR("agent")) &&
            !bt_str_eq(by, BT_STR("edge")));
}

enum bt_status rest_end(struct serve_rest *rest, enum bt_status status)
{
    const char *cache = rest->answer.kind == ANSWER_DONE ? cache_control(rest) : NULL;
    status = status == BT_OK ? respond_result(rest) : status;
    bt_buf_free(&rest->answer.body);
    if (status == BT_OK && rest->answer.kind == ANSWER_DONE && has_own_words_only(rest)) {
        status = serve_call_compress(rest->x);
    }
    if (status != BT_OK || !cache) {
        return status;
    }
    serve_call_set_cache_control(rest->x, cache);
    return serve_call_set_etag(rest->x);
}

enum bt_status rest_drop(struct serve_rest *rest)
{
    bt_buf_free(&rest->answer.body);
    return BT_OK;
}

void rest_drop_suspended(struct serve_call *x)
{
    if (x->suspended && !x->route->run) { /* the others keep theirs in the arena of the call */
        (void)rest_drop(x->suspended);
        x->suspended = NULL;
    }
}

/* ---- Running --------------------------------------------------------------------------------- */

/*
 * Respond; or suspend the request until the writer has finished, or repeat it on a worker that may
 * wait.
 */
static enum bt_status respond_or_suspend(struct serve_rest *rest, enum bt_status status)
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

static enum bt_status resume_call(struct serve_rest *rest)
{
    const struct serve_call *x = rest->x;
    rest->later.was_notified = x->call->is_resumed;
    return respond_or_suspend(rest, bt_op_submit_end(&rest->work, x->service));
}

/*
 * True when the request is to be run again, because there is nothing yet for a caller that waits.
 * No thread waits for it.
 */
static bool must_run_again(const struct serve_rest *rest)
{
    const struct http_exchange *call = rest->x->call;
    return rest->answer.is_empty && rest->answer.kind == ANSWER_DONE && !call->server_is_stopping &&
           call->pending_ms < bt_args_number(&rest->args, BT_ARG_INBOX_LEASE_WAIT_S, 0) * 1000;
}

enum bt_status rest_handle(struct serve_call *x)
{
    if (x->suspended) {
        return resume_call(x->suspended);
    }
    /* it may outlive this call of the handler */
    struct serve_rest *rest = BT_NEW(x->arena, struct serve_rest);
    if (!rest) {
        return BT_ENOMEM;
    }
    if (!rest_begin(rest, x)) {
        return BT_OK;
    }
    if ((x->route->flags & ROUTE_LATER) && x->call->lane == HTTP_QUICK) {
        rest->later = serve_call_completion(x);
        rest->work.later = &rest->later;
    }
    if (x->route->row->effects == BT_EFFECT_BRIEF) {
        rest->work.arena = x->service->scratch; /* only the answer outlives the call */
    }
    const enum bt_status status = x->route->row->run(&rest->work, &rest->args);
    if (status == BT_OK && must_run_again(rest)) {
        x->answer->retry_ms = POLL_INTERVAL_MS;
        return rest_drop(rest);
    }
    return respond_or_suspend(rest, status);
}
