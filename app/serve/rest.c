/* SPDX-License-Identifier: Apache-2.0 */
/* rest.c - from a request to an operation, and from its result to an HTTP response. */
#include "serve/rest.h"

#include <inttypes.h>

#include "base/buf.h"
#include "serve/server.h"

enum { KEY_BYTES_MAX = 128, PROBLEM_BYTES_MAX = 64 << 20, POLL_INTERVAL_MS = 500 };

/* ---- Beginning ------------------------------------------------------------------------------- */

static bool is_key(bt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        const char byte = text.ptr[i];
        if (!((byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
              (byte >= '0' && byte <= '9') || byte == '.' || byte == '_' || byte == ':' ||
              byte == '-')) {
            return false;
        }
    }
    return text.len > 0 && text.len <= KEY_BYTES_MAX;
}

/* Read the idempotency key of a request that records. False: the response is set. */
static bool take_key(struct serve_rest *rest)
{
    struct serve_call *x = rest->x;
    const struct http_request *request = x->request;
    size_t count = 0;
    bt_str key = serve_field(request, "idempotency-key", &count);
    if (request->method != HTTP_POST || !(x->route->flags & ROUTE_RECORDS) || count == 0) {
        return true;
    }
    if (key.len >= 2 && key.ptr[0] == '"' && key.ptr[key.len - 1] == '"') {
        key = bt_str_slice(key, 1, key.len - 1);
    }
    if (count > 1 || !is_key(key)) {
        (void)serve_call_respond_bad_parameter(x, BT_STR("Idempotency-Key"),
                                               "it is 1 to 128 of [A-Za-z0-9._:-]");
        return false;
    }
    rest->key = (struct bt_idempotency_key){.path = request->path, .key = key};
    rest->work.key = &rest->key;
    if (bt_arena_printf(x->arena, &rest->key.request, "%.*s\n%.*s\n%.*s",
                        BT_STR_ARG(request->query), BT_STR_ARG(exchange_media_type(x)),
                        BT_STR_ARG(request->body)) != BT_OK) {
        (void)serve_call_respond_problem(x, BT_PROBLEM_OVERLOADED);
        return false;
    }
    return true;
}

static enum bt_status write_refusal(struct bt_call *work, void *adapter);

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

/* True when the operation can answer with text or JSON, and Accept does not prefer JSON. */
static bool prefers_text(const struct serve_call *x)
{
    return x->route->gives &&
           bt_str_starts_with(bt_str_of(x->route->gives), BT_STR("text/plain ")) &&
           serve_call_accept_weight(x, "application/json") <=
               serve_call_accept_weight(x, "text/plain");
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
    if (!take_key(rest) || !rest_args_read(rest)) {
        bt_buf_free(&rest->answer.body);
        return false;
    }
    return true;
}

/* ---- Problems -------------------------------------------------------------------------------- */

/* The meaning of the rule that decided, because dialects can give one code different meanings. */
static bt_str title_of(const struct bt_result *answer)
{
    for (size_t i = 0; i < bt_findings_count(answer->findings); i++) {
        const struct bt_rule *rule = bt_findings_at(answer->findings, i)->rule;
        if (bt_str_eq(rule->code, answer->code)) {
            return rule->meaning;
        }
    }
    return answer->code;
}

static enum bt_status write_refusal(struct bt_call *work, void *adapter)
{
    const struct bt_result *answer = work->answer;
    struct serve_rest *rest = adapter;
    struct bt_buf buf;
    if (!answer->findings) {
        return BT_OK;
    }
    const struct bt_problem_details details = {
        .code = answer->code,
        .status = answer->status,
        .title = title_of(answer),
        .detail = BT_STR("The request was judged and refused; the findings say why."),
        .request_id = rest->x->request_id,
        .findings = answer->findings,
        .members = BT_STR(""),
        .record = answer->record};
    bt_buf_init(&buf, PROBLEM_BYTES_MAX);
    bt_problem_put(&buf, &details);
    bt_buf_clear(&work->answer->body);
    bt_buf_put(&work->answer->body, bt_buf_str(&buf));
    const enum bt_status status = buf.status;
    bt_buf_free(&buf);
    rest->is_shaped = true;
    return status == BT_OK ? work->answer->body.status : status;
}

/*
 * Respond with 400 and a finding that says what to change, for errors that are not about a single
 * parameter.
 */
static enum bt_status respond_bad_request(struct serve_call *x, bt_str reason)
{
    struct bt_buf buf;
    bt_str members;
    bt_buf_init(&buf, 1 << 16);
    bt_problem_put_finding(&buf, BT_PROBLEM_BAD_REQUEST, BT_STR(""), reason, BT_STR(""));
    BT_TRY(bt_buf_finish(&buf, x->arena, &members));
    return serve_call_respond_problem_with(x, BT_PROBLEM_BAD_REQUEST, members);
}

/* Respond with what the operation says is wrong with a parameter. */
static enum bt_status respond_bad_parameter(struct serve_rest *rest, bt_str name)
{
    const struct bt_result *answer = &rest->answer;
    struct serve_call *x = rest->x;
    const bt_str text = bt_buf_str(&answer->body);
    bt_str message;
    BT_TRY(bt_arena_copy(x->arena, bt_str_slice(text, answer->reason_at, text.len), &message));
    return exchange_bad_parameter_with(x, name, message.ptr, answer->params);
}

static enum bt_status respond_refusal(struct serve_rest *rest)
{
    struct bt_result *answer = &rest->answer;
    struct serve_call *x = rest->x;
    if (!rest->is_shaped && !answer->is_replay) {
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
    const struct bt_result *answer = &rest->answer;
    struct serve_call *x = rest->x;
    const enum bt_problem problem = answer->problem;
    x->outcome.is_pump_failure = answer->is_pump_failure;
    if (problem == BT_PROBLEM_SCOPE_MISSING) {
        bt_str members;
        BT_TRY(bt_arena_printf(x->arena, &members, "\"scope\":\"%.*s\"",
                               BT_STR_ARG(bt_str_slice(answer->pointer, 1, answer->pointer.len))));
        return serve_call_respond_problem_with(x, problem, members);
    }
    if (answer->findings) {
        return respond_refusal(rest);
    }
    if (problem == BT_PROBLEM_PARAMETER_INVALID) {
        /* in the query these names have no prefix */
        static const bt_str options = BT_STR_INIT("/options/");
        const size_t from = bt_str_starts_with(answer->pointer, options) ? options.len : 1;
        return respond_bad_parameter(rest,
                                     bt_str_slice(answer->pointer, from, answer->pointer.len));
    }
    return problem || answer->kind == ANSWER_FAILED
               ? serve_call_respond_problem(x, problem ? problem : BT_PROBLEM_INTERNAL)
               : respond_bad_request(x, bt_buf_str(&answer->body));
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
        BT_TRY(bt_arena_printf(x->arena, &location, "/v1/handoffs/%" PRIu64, answer->seq));
        serve_call_add_header(x, "Location", location);
        serve_call_set_seq(x, answer->seq);
    }
    if (is_row(rest, BT_OPERATION_HANDOFF_CHECK)) {
        serve_call_add_header(x, "Baton-Verdict", bt_verdict_name(answer->verdict));
    }
    if (is_row(rest, BT_OPERATION_HANDOFF_DOCUMENT)) {
        serve_call_add_header(x, "Content-Disposition", BT_STR("attachment"));
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
        rest->is_shaped = true;
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

enum bt_status rest_end(struct serve_rest *rest, enum bt_status status)
{
    const char *cache = rest->answer.kind == ANSWER_DONE ? cache_control(rest) : NULL;
    status = status == BT_OK ? respond_result(rest) : status;
    bt_buf_free(&rest->answer.body);
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
