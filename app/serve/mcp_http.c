/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp_http.c - POST /mcp: one message of the Model Context Protocol per request.
 *
 * The response is JSON, or a stream of events when there is more than one message: progress, a
 * question to the client, a subscription. Each request is a conversation of its own; one that sends
 * a question to a legacy client waits in its stream for the answer, which arrives in another
 * request.
 */
#include <assert.h>

#include "serve/auth.h"
#include "serve/metrics.h"
#include "serve/protocol_state.h"

/* The beginning of each event of a stream. */
static const char event[] = "event: message\ndata: ";

enum { OUTPUT_BYTES_MAX = 1 << 30, SESSION_BYTES_MAX = 1024, POLL_MS = 1000 };

/* A conversation, which lives as long as its request. */
struct serve_mcp_http_talk {
    struct serve_call *x;
    struct mcp mcp;
    struct mcp_headers headers;
    struct serve_open_stream waiting;
    bool is_waiting;
    struct bt_call_completion later;
};

/* ---- Output ---------------------------------------------------------------------------------- */

static size_t count_lines(bt_str output)
{
    size_t count = 0;
    for (size_t i = 0; i < output.len; i++) {
        count += output.ptr[i] == '\n' ? 1 : 0;
    }
    return count;
}

static void write_events(void *held)
{
    struct serve_mcp_http_talk *talk = held;
    if (talk->is_waiting) {
        serve_stream_close(talk->x, &talk->waiting);
        talk->is_waiting = false;
    }
    mcp_end(&talk->mcp);
}

/* ---- Streams --------------------------------------------------------------------------------- */

static enum http_stream_result pull_events(struct http_exchange *call, void *worker,
                                           struct bt_buf *out)
{
    struct serve_mcp_http_talk *talk = call->answer.stream_state;
    struct bt_buf mail;
    struct bt_buf output;
    enum bt_status status = BT_OK;
    talk->mcp.service = serve_call_worker_for_stream(talk->x, worker);
    if (!talk->mcp.service) {
        return HTTP_STREAM_RESULT_IDLE; /* the store is unavailable: try again later */
    }
    bt_buf_init(&mail, MCP_MESSAGE_BYTES_MAX);
    bt_buf_init(&output, OUTPUT_BYTES_MAX);
    if (talk->is_waiting && serve_stream_take_answer(talk->x, &talk->waiting, &mail)) {
        status = mcp_handle_message(&talk->mcp, bt_buf_str(&mail), &output);
    }
    if (mcp_is_watching(&talk->mcp)) {
        mcp_poll_subscriptions(&talk->mcp, &output);
    }
    serve_put_events(out, event, bt_buf_str(&output));
    bt_buf_free(&mail);
    bt_buf_free(&output);
    return status == BT_OK && mcp_is_open(&talk->mcp) ? HTTP_STREAM_RESULT_IDLE
                                                      : HTTP_STREAM_RESULT_ENDED;
}

static const struct http_stream stream = {.pull = pull_events,
                                          .name = "mcp",
                                          .poll_ms = POLL_MS,
                                          .keepalive_text = ": quiet\n\n",
                                          .too_slow_text = "event: lagged\ndata: {}\n\n",
                                          .closing_text = ": bye\n\n"};

/* ---- Requests -------------------------------------------------------------------------------- */

static enum bt_status create_mcp_call(struct serve_mcp_http_talk *talk,
                                      struct serve_protocol_keys *keys)
{
    struct serve_call *x = talk->x;
    serve_protocol_keys_derive(x, keys);
    talk->headers = (struct mcp_headers){
        .version = serve_field_or_null(x->request, "mcp-protocol-version"),
        .method = serve_field_or_null(x->request, "mcp-method"),
        .name = serve_field_or_null(x->request, "mcp-name"),
        .session = serve_field_or_null(x->request, "mcp-session-id"),
        .param = serve_mcp_param,
        .request = x->request,
    };
    struct mcp_transport place = {.headers = &talk->headers,
                                  .is_read_only = serve_is_read_only(x->gateway),
                                  .fixtures = serve_fixtures(x),
                                  .state_key = keys->state,
                                  .session_key = keys->session,
                                  .last_question_number = serve_next_question_range(x),
                                  .events = &x->events,
                                  .may_record = access_may_record,
                                  .rate = x};
    if (x->service->writer && x->call->lane == HTTP_SLOW) {
        talk->later = serve_call_completion(x);
        place.later = &talk->later;
    }
    serve_node_id(x, place.node);
    talk->waiting.first = place.last_question_number;
    talk->waiting.has_questions = true;
    talk->waiting.actor = x->identity.caller.actor;
    return mcp_begin(&talk->mcp, x->service, &x->identity.caller, &place);
}

static enum bt_status add_session(struct serve_mcp_http_talk *talk)
{
    struct bt_buf session;
    if (!talk->mcp.outcome.has_opened) {
        return BT_OK;
    }
    bt_buf_init(&session, SESSION_BYTES_MAX);
    const enum bt_status status = mcp_session_put(&talk->mcp, &session);
    if (status == BT_OK) {
        serve_call_add_header(talk->x, "Mcp-Session-Id", bt_buf_str(&session));
    }
    bt_buf_free(&session);
    return status;
}

static enum bt_status respond_rate_limited(struct serve_call *x)
{
    serve_call_add_header(x, "Retry-After", BT_STR("1"));
    return serve_call_respond_problem(x, BT_PROBLEM_RATE_LIMITED);
}

/* Open the stream; false when it was refused. */
static bool open_stream(struct serve_mcp_http_talk *talk)
{
    struct serve_call *x = talk->x;
    if (!mcp_is_open(&talk->mcp)) {
        return true;
    }
    talk->is_waiting = serve_stream_open(x, &talk->waiting);
    if (!talk->is_waiting) {
        (void)respond_rate_limited(x);
        return false;
    }
    x->answer->stream = &stream;
    x->answer->stream_state = talk;
    return true;
}

static enum bt_status respond_events(struct serve_mcp_http_talk *talk, bt_str output)
{
    struct serve_call *x = talk->x;
    if (!exchange_accepts(x, "text/event-stream")) {
        return serve_call_respond_problem(x, BT_PROBLEM_NOT_ACCEPTABLE);
    }
    if (!open_stream(talk)) {
        return BT_OK;
    }
    return serve_respond_events(x, event, output);
}

static enum bt_status send_response(struct serve_mcp_http_talk *talk, bt_str output)
{
    struct serve_call *x = talk->x;
    const struct mcp_outcome *outcome = &talk->mcp.outcome;
    if (outcome->answers != 0) {
        serve_stream_post_answer(x, outcome->answers, x->request->body);
    }
    if (outcome->is_limited) {
        return respond_rate_limited(x);
    }
    BT_TRY(add_session(talk));
    if (mcp_is_open(&talk->mcp) || count_lines(output) > 1) {
        return respond_events(talk, output);
    }
    if (output.len == 0) {
        x->answer->status = outcome->status;
        return BT_OK;
    }
    return serve_call_respond_json(x, outcome->status, bt_str_slice(output, 0, output.len - 1));
}

static void count_request(const struct serve_mcp_http_talk *talk)
{
    const struct mcp_outcome *outcome = &talk->mcp.outcome;
    const bool is_notice = outcome->is_silent && outcome->answers == 0;
    const bt_str labels[METRIC_LABELS_MAX] = {
        outcome->is_modern ? BT_STR("modern") : BT_STR("legacy"),
        is_notice ? BT_STR("notification") : bt_str_of(outcome->method),
        outcome->is_refused ? BT_STR("error") : BT_STR("ok")};
    metrics_count(talk->x->gateway->observers.metrics, SERVE_METRIC_MCP_REQUESTS, labels);
}

/* Wake the streams of other requests after changes that they may report. */
static void wake_streams(const struct serve_mcp_http_talk *talk)
{
    const struct mcp_fixtures *fixtures = talk->mcp.place.fixtures;
    if (fixtures && (atomic_load(&fixtures->tools) != talk->mcp.seen_tools ||
                     atomic_load(&fixtures->prompts) != talk->mcp.seen_prompts)) {
        http_server_wake(talk->x->gateway->server);
    }
}

static enum bt_status finish_response(struct serve_mcp_http_talk *talk, bt_str output,
                                      enum bt_status status)
{
    talk->x->suspended = NULL;
    status = status == BT_OK ? send_response(talk, output) : status;
    count_request(talk);
    wake_streams(talk);
    if (!talk->is_waiting) {
        exchange_release(talk->x);
    }
    return status;
}

/* Handle the message, or continue after the writer; then respond, or suspend the request. */
static enum bt_status run_mcp_message(struct serve_mcp_http_talk *talk)
{
    struct serve_call *x = talk->x;
    struct mcp *mcp = &talk->mcp;
    struct bt_buf output;
    bt_buf_init(&output, OUTPUT_BYTES_MAX);
    mcp->service = x->service;
    talk->later.was_notified = x->call->is_resumed;
    enum bt_status status = mcp->pending_submission
                                ? mcp_resume(mcp, &output)
                                : mcp_handle_message(mcp, x->request->body, &output);
    if (mcp->pending_submission) {
        serve_call_suspend(x, &talk->later, talk);
    } else {
        status = finish_response(talk, bt_buf_str(&output), status);
    }
    bt_buf_free(&output);
    return status;
}

static enum bt_status run(struct serve_call *x)
{
    if (x->suspended) {
        return run_mcp_message(x->suspended);
    }
    struct serve_mcp_http_talk *talk = BT_NEW(x->arena, struct serve_mcp_http_talk);
    struct serve_protocol_keys *keys = BT_NEW(x->arena, struct serve_protocol_keys);
    if (!talk || !keys) {
        return BT_ENOMEM;
    }
    talk->x = x;
    BT_TRY(create_mcp_call(talk, keys));
    exchange_hold(x, write_events, talk);
    return run_mcp_message(talk);
}

/* A modern request names its method in header fields, and is refused when the body differs. */
static bool may_wait(const struct http_request *request)
{
    static const char *const judging[] = {
        "check_handoff", "repair_handoff", "compress_handoff", "convert_handoff",
        "count_tokens",  "explain_code",   "audit_plan",       "validate_payload",
    };
    const bt_str name = serve_field(request, "mcp-name", NULL);
    for (size_t i = 0; i < sizeof(judging) / sizeof(judging[0]); i++) {
        if (bt_str_eq(name, bt_str_of(judging[i]))) {
            return false;
        }
    }
    return true;
}

const struct serve_route mcp_routes[] = {
    {.method = HTTP_POST,
     .path = "/mcp",
     .key = "mcp.enabled",
     .operation = "mcp",
     .flags = ROUTE_MAY_STORE | ROUTE_WAITS | ROUTE_BRIEF,
     .run = run,
     .takes = "application/json",
     .gives = "application/json text/event-stream",
     .summary = "one message of the Model Context Protocol",
     .may_wait = may_wait},
    {.path = NULL},
};
