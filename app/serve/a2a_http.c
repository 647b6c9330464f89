/* SPDX-License-Identifier: Apache-2.0 */
/*
 * a2a_http.c - the Agent2Agent protocol over HTTP: JSON-RPC at /a2a, HTTP+JSON below it, and the
 * card.
 */
#include <stdio.h>

#include "a2a/a2a.h"
#include "base/buf.h"
#include "json/emit.h"
#include "serve/metrics.h"
#include "serve/protocol_state.h"

/* The beginning of each event of a stream. */
static const char event[] = "data: ";

enum { OUTPUT_BYTES_MAX = 1 << 30, POLL_MS = 1000, URL_BYTES_MAX = 4096, CARD_BYTES_MAX = 1 << 20 };

/* A request, and the stream that it may become. */
struct serve_a2a_http_talk {
    struct serve_call *x;
    struct serve_protocol_keys keys;
    struct a2a_binding_info place;
    struct a2a a2a;
    struct a2a_stream stream;
    struct serve_open_stream waiting;
    struct bt_call_completion later;
    bool is_rpc;
};

/* ---- The request ----------------------------------------------------------------------------- */

/* The protocol version of the caller, from the header field or the query. */
static bt_str version_of(struct serve_call *x)
{
    bt_str version = serve_field(x->request, "a2a-version", NULL);
    if (version.len == 0 && !exchange_query(x, "A2A-Version", &version)) {
        version = BT_STR("");
    }
    return version;
}

static enum bt_status create_a2a_call(struct serve_call *x, struct serve_a2a_http_talk **out_talk)
{
    struct serve_a2a_http_talk *talk = BT_NEW(x->arena, struct serve_a2a_http_talk);
    if (!talk) {
        return BT_ENOMEM;
    }
    talk->x = x;
    serve_protocol_keys_derive(x, &talk->keys);
    talk->place =
        (struct a2a_binding_info){.version = version_of(x),
                                  .extensions = serve_field(x->request, "a2a-extensions", NULL),
                                  .page_key = talk->keys.page,
                                  .traceparent = bt_str_of(x->trace.text),
                                  .is_read_only = serve_is_read_only(x->gateway)};
    talk->a2a = (struct a2a){.service = x->service,
                             .caller = &x->identity.caller,
                             .arena = x->arena,
                             .place = &talk->place,
                             .events = &x->events};
    if (x->service->writer && x->call->lane == HTTP_SLOW) {
        talk->later = serve_call_completion(x);
        talk->a2a.later = &talk->later;
    }
    *out_talk = talk;
    return BT_OK;
}

/* ---- Streams --------------------------------------------------------------------------------- */

static enum http_stream_result pull_events(struct http_exchange *call, void *worker,
                                           struct bt_buf *out)
{
    struct serve_a2a_http_talk *talk = call->answer.stream_state;
    struct bt_arena arena;
    struct bt_buf output;
    bool is_ended = false;
    talk->a2a.service = serve_call_worker_for_stream(talk->x, worker);
    if (!talk->a2a.service) {
        return HTTP_STREAM_RESULT_IDLE;
    }
    bt_arena_init(&arena, OUTPUT_BYTES_MAX);
    bt_buf_init(&output, OUTPUT_BYTES_MAX);
    talk->a2a.arena = &arena;
    talk->a2a.out = &output;
    const enum bt_status status = a2a_stream_next(&talk->a2a, &talk->stream, &is_ended);
    serve_put_events(out, event, bt_buf_str(&output));
    bt_buf_free(&output);
    bt_arena_free(&arena);
    return status == BT_ENOMEM || is_ended ? HTTP_STREAM_RESULT_ENDED : HTTP_STREAM_RESULT_IDLE;
}

static void close_open_stream(void *held)
{
    struct serve_a2a_http_talk *talk = held;
    serve_stream_close(talk->x, &talk->waiting);
}

static const struct http_stream stream = {.pull = pull_events,
                                          .name = "a2a",
                                          .poll_ms = POLL_MS,
                                          .keepalive_text = ": quiet\n\n",
                                          .too_slow_text = "event: lagged\ndata: {}\n\n",
                                          .closing_text = ": bye\n\n"};

/* ---- The answer ------------------------------------------------------------------------------ */

static void count_request(struct serve_call *x, const struct a2a_outcome *outcome, bool is_rpc)
{
    const bt_str labels[METRIC_LABELS_MAX] = {is_rpc ? BT_STR("jsonrpc") : BT_STR("http"),
                                              bt_str_of(outcome->operation),
                                              outcome->is_refused ? BT_STR("error") : BT_STR("ok")};
    metrics_count(x->gateway->observers.metrics, SERVE_METRIC_A2A_REQUESTS, labels);
}

static void add_extensions(struct serve_a2a_http_talk *talk)
{
    struct bt_buf names;
    bt_buf_init(&names, 1024);
    a2a_put_extensions(&talk->a2a, &names);
    if (names.len > 0) {
        serve_call_add_header(talk->x, "A2A-Extensions", bt_buf_str(&names));
    }
    bt_buf_free(&names);
}

/*
 * A sent message is answered even without a free stream, because its task can be followed later; a
 * pure subscription is refused.
 */
static enum bt_status respond_stream(struct serve_a2a_http_talk *talk, bt_str output)
{
    struct serve_call *x = talk->x;
    talk->stream = talk->a2a.outcome.stream;
    talk->waiting.actor = x->identity.caller.actor;
    if (serve_stream_open(x, &talk->waiting)) {
        exchange_hold(x, close_open_stream, talk);
        x->answer->stream = &stream;
        x->answer->stream_state = talk;
    } else if (bt_str_eq(bt_str_of(talk->a2a.outcome.operation), BT_STR("subscribe"))) {
        serve_call_add_header(x, "Retry-After", BT_STR("1"));
        return serve_call_respond_problem(x, BT_PROBLEM_RATE_LIMITED);
    }
    return serve_respond_events(x, event, output);
}

static enum bt_status send_response(struct serve_a2a_http_talk *talk, bt_str output)
{
    struct serve_call *x = talk->x;
    const struct a2a_outcome *outcome = &talk->a2a.outcome;
    bt_str members;
    count_request(x, outcome, talk->is_rpc);
    if (outcome->is_recorded) {
        serve_call_notify_commit(x);
    }
    if (outcome->seq != BT_LEDGER_SEQ_NONE && outcome->is_recorded) {
        serve_call_set_seq(x, outcome->seq);
    }
    if (outcome->scope) {
        BT_TRY(bt_arena_printf(x->arena, &members, "\"scope\":\"%s\"", outcome->scope));
        return serve_call_respond_problem_with(x, BT_PROBLEM_SCOPE_MISSING, members);
    }
    add_extensions(talk);
    if (outcome->stream.is_on) {
        return respond_stream(talk, output);
    }
    return serve_call_respond_body(
        x, outcome->status, talk->is_rpc ? "application/json" : "application/a2a+json", output);
}

/* Run the operation, or continue after the writer; then respond, or suspend the request. */
static enum bt_status run_a2a_request(struct serve_a2a_http_talk *talk,
                                      enum a2a_operation operation, bt_str params)
{
    struct serve_call *x = talk->x;
    struct a2a *a2a = &talk->a2a;
    struct bt_buf out;
    bt_buf_init(&out, OUTPUT_BYTES_MAX);
    a2a->service = x->service;
    a2a->out = &out;
    talk->later.was_notified = x->call->is_resumed;
    enum bt_status status = a2a->late      ? a2a_resume(a2a)
                            : talk->is_rpc ? a2a_rpc(a2a, params)
                                           : a2a_http(a2a, operation, params);
    if (a2a->late) {
        serve_call_suspend(x, &talk->later, talk);
    } else {
        x->suspended = NULL;
        status = status == BT_OK ? send_response(talk, bt_buf_str(&out)) : status;
    }
    bt_buf_free(&out);
    return status;
}

/* Run the operation of a route of HTTP+JSON, or JSON-RPC. */
static enum bt_status run(struct serve_call *x, enum a2a_operation operation, bt_str params)
{
    struct serve_a2a_http_talk *talk = x->suspended;
    if (!talk) {
        BT_TRY(create_a2a_call(x, &talk));
        talk->is_rpc = operation == 0;
    }
    return run_a2a_request(talk, operation, params);
}

/* ---- JSON-RPC -------------------------------------------------------------------------------- */

static enum bt_status run_rpc(struct serve_call *x)
{
    return run(x, 0, x->request->body);
}

/* ---- HTTP+JSON ------------------------------------------------------------------------------- */

static bool is_number(bt_str text)
{
    bool is_it = text.len > 0 && text.len < 10;
    for (size_t i = 0; i < text.len; i++) {
        is_it = is_it && text.ptr[i] >= '0' && text.ptr[i] <= '9';
    }
    return is_it;
}

/* The path and query as a JSON object. */
static enum bt_status params_of(struct serve_call *x, bt_str *out)
{
    const struct serve_query_item *items = NULL;
    size_t count = 0;
    struct bt_buf buf;
    struct bt_emit emit;
    BT_TRY(exchange_query_items(x, &items, &count));
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    if (x->params[0].len > 0) {
        bt_emit_member_string(&emit, "id", x->params[0]);
    }
    for (size_t i = 0; i < count; i++) {
        const bt_str value = items[i].value;
        if (bt_str_eq(items[i].name, BT_STR("A2A-Version"))) {
            continue;
        }
        bt_emit_name_str(&emit, items[i].name);
        if (is_number(value) || bt_str_eq(value, BT_STR("true")) ||
            bt_str_eq(value, BT_STR("false"))) {
            uint64_t number = 0;
            if (bt_str_to_u64(value, &number) == BT_OK) {
                bt_emit_u64(&emit, number);
            } else {
                bt_emit_bool(&emit, bt_str_eq(value, BT_STR("true")));
            }
        } else {
            bt_emit_string(&emit, value);
        }
    }
    bt_emit_end(&emit);
    return bt_buf_finish(&buf, x->arena, out);
}

static enum bt_status run_named(struct serve_call *x, enum a2a_operation operation)
{
    bt_str params;
    BT_TRY(params_of(x, &params));
    return run(x, operation, params);
}

/* Check that the body has the media type of the protocol or of JSON. */
static bool has_body_type(struct serve_call *x)
{
    const bt_str type = exchange_media_type(x);
    return bt_str_eq(type, BT_STR("application/a2a+json")) ||
           bt_str_eq(type, BT_STR("application/json"));
}

static enum bt_status run_body(struct serve_call *x, enum a2a_operation operation)
{
    return has_body_type(x) ? run(x, operation, x->request->body)
                            : serve_call_respond_problem(x, BT_PROBLEM_UNSUPPORTED_MEDIA_TYPE);
}

static enum bt_status run_send(struct serve_call *x)
{
    return run_body(x, A2A_SEND);
}

static enum bt_status run_stream(struct serve_call *x)
{
    return run_body(x, A2A_STREAM);
}

static enum bt_status run_get(struct serve_call *x)
{
    return run_named(x, A2A_GET);
}

static enum bt_status run_list(struct serve_call *x)
{
    return run_named(x, A2A_LIST);
}

static enum bt_status run_cancel(struct serve_call *x)
{
    return run_named(x, A2A_CANCEL);
}

static enum bt_status run_subscribe(struct serve_call *x)
{
    return run_named(x, A2A_SUBSCRIBE);
}

static enum bt_status run_push(struct serve_call *x)
{
    return run(x, A2A_PUSH, BT_STR("{}"));
}

static enum bt_status run_card(struct serve_call *x)
{
    return run(x, A2A_CARD, BT_STR("{}"));
}

/* ---- The card -------------------------------------------------------------------------------- */

/* PUBLIC/a2a */
static enum bt_status find_url(struct serve_call *x, bt_str *out)
{
    const bt_str public = bt_config_text(x->config, "public_url");
    if (public.len > 0) {
        const bool has_slash = bt_str_ends_with(public, BT_STR("/"));
        return bt_arena_printf(x->arena, out, "%.*s%sa2a", BT_STR_ARG(public),
                               has_slash ? "" : "/");
    }
    return bt_arena_printf(x->arena, out, "%s://%.*s/a2a", x->call->peer.is_tls ? "https" : "http",
                           BT_STR_ARG(x->request->host));
}

static enum bt_status sign_card(struct serve_call *x, struct a2a_card *card)
{
    struct bt_buf made;
    bt_buf_init(&made, CARD_BYTES_MAX);
    const enum bt_status status = a2a_sign_card(x->arena, card, x->gateway->store.ledger, &made);
    if (status != BT_OK) {
        bt_buf_free(&made);
        return status;
    }
    return bt_buf_finish(&made, x->arena, &card->signatures);
}

/* If there is a key the card is signed; if signing fails it is not shown at all. */
static enum bt_status put_card(struct serve_call *x, struct a2a_card *card, struct bt_buf *out)
{
    if (x->gateway->store.ledger) {
        BT_TRY(sign_card(x, card));
    }
    a2a_put_card(out, card);
    return out->status;
}

static enum bt_status show_card(struct serve_call *x)
{
    struct a2a_card card = {.name = bt_config_text(x->config, "a2a.name"),
                            .description = bt_config_text(x->config, "a2a.description"),
                            .has_tokens = x->settings->has_tokens,
                            .signatures = BT_STR("")};
    struct bt_buf buf;
    BT_TRY(find_url(x, &card.url));
    bt_buf_init(&buf, CARD_BYTES_MAX);
    enum bt_status status = put_card(x, &card, &buf);
    const bool has_no_key = status == BT_EIO;
    status = status == BT_OK ? serve_call_respond_json(x, BT_HTTP_OK, bt_buf_str(&buf)) : status;
    bt_buf_free(&buf);
    if (has_no_key) {
        return serve_call_respond_problem(x, BT_PROBLEM_STORE_UNAVAILABLE);
    }
    BT_TRY(status);
    serve_call_set_cache_control(x, "max-age=300");
    return serve_call_set_etag(x);
}

/* ---- The table ------------------------------------------------------------------------------- */

#define A2A_FLAGS (ROUTE_MAY_STORE | ROUTE_ANY_ACCEPT | ROUTE_ANY_QUERY | ROUTE_WAITS)
#define SENDS (A2A_FLAGS | ROUTE_SUBMITS)
#define ROW(method_, path_, operation_, run_, summary_)                                            \
    {                                                                                              \
        .method = (method_), .path = (path_), .operation = (operation_),                           \
        .flags = ((method_) == HTTP_POST ? SENDS : A2A_FLAGS) | ROUTE_OWN_ERRORS, .run = (run_),   \
        .key = "a2a.enabled", .gives = "application/a2a+json text/event-stream",                   \
        .summary = (summary_)                                                                      \
    }
#define CONFIGS "/a2a/tasks/{id}/pushNotificationConfigs"

const struct serve_route a2a_routes[] = {
    {.method = HTTP_GET,
     .path = "/.well-known/agent-card.json",
     .key = "a2a.enabled",
     .operation = "agentCard",
     .flags = ROUTE_PUBLIC,
     .run = show_card,
     .summary = "what Baton says about itself to agents"},
    {.method = HTTP_POST,
     .path = "/a2a",
     .key = "a2a.enabled",
     .operation = "a2aRpc",
     .flags = SENDS,
     .run = run_rpc,
     .takes = "application/json",
     .gives = "application/json text/event-stream",
     .summary = "one JSON-RPC request of the Agent2Agent protocol"},
    ROW(HTTP_POST, "/a2a/message:send", "a2aSend", run_send, "send a message"),
    ROW(HTTP_POST, "/a2a/message:stream", "a2aStream", run_stream, "send and follow"),
    ROW(HTTP_GET, "/a2a/tasks", "a2aListTasks", run_list, "the caller's tasks"),
    ROW(HTTP_POST, "/a2a/tasks/{id}:cancel", "a2aCancelTask", run_cancel, "cancel a task"),
    ROW(HTTP_POST, "/a2a/tasks/{id}:subscribe", "a2aSubscribe", run_subscribe, "follow a task"),
    ROW(HTTP_GET, "/a2a/tasks/{id}:subscribe", "a2aSubscribeGet", run_subscribe, "follow a task"),
    ROW(HTTP_GET, "/a2a/tasks/{id}", "a2aGetTask", run_get, "one task"),
    ROW(HTTP_POST, CONFIGS, "a2aCreatePush", run_push, "not supported"),
    ROW(HTTP_GET, CONFIGS, "a2aListPush", run_push, "not supported"),
    ROW(HTTP_GET, CONFIGS "/{config}", "a2aGetPush", run_push, "not supported"),
    ROW(HTTP_DELETE, CONFIGS "/{config}", "a2aDeletePush", run_push, "not supported"),
    ROW(HTTP_GET, "/a2a/extendedAgentCard", "a2aExtendedCard", run_card, "not supported"),
    {.path = NULL},
};
