/* SPDX-License-Identifier: Apache-2.0 */
/* rest_pump.c - use the pump through its control channel; handlers do not run in this process. */
#include <inttypes.h>

#include "operation/pump.h"
#include "serve/rest.h"

enum {
    ANSWER_MS = 5000,
    PARAMS_BYTES_MAX = 1 << 20,
    EVENTS_AT_ONCE = 64,
    TEXT_BYTES_MAX = 64 << 20,
};

/* ---- Queries --------------------------------------------------------------------------------- */

static enum bt_status query_pump(struct serve_call *x, const char *method, bt_str params)
{
    struct serve_rest rest;
    return rest_begin(&rest, x) ? rest_end(&rest, bt_op_pump(&rest.work, method, params)) : BT_OK;
}

static enum bt_status get_status(struct serve_call *x)
{
    return query_pump(x, "status", BT_STR(""));
}

static enum bt_status list_listeners(struct serve_call *x)
{
    return query_pump(x, "list", BT_STR(""));
}

static enum bt_status get_graph(struct serve_call *x)
{
    const bt_str format = rest_query(x, "format");
    bt_str params;
    if (format.len > 0 && !bt_str_eq(format, BT_STR("json")) &&
        !bt_str_eq(format, BT_STR("mermaid")) && !bt_str_eq(format, BT_STR("dot"))) {
        return serve_call_respond_bad_parameter(x, BT_STR("format"), "json, mermaid or dot");
    }
    BT_TRY(bt_arena_printf(x->arena, &params, "{\"format\":\"%.*s\"}",
                           BT_STR_ARG(format.len > 0 ? format : BT_STR("json"))));
    return query_pump(x, "graph", params);
}

/* Put the parameters of `thread-history`; `client` may be "". */
static enum bt_status put_thread(struct serve_call *x, bt_str client, const uint64_t page[2],
                                 bool payloads, bt_str *out)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, PARAMS_BYTES_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "thread", x->params[0]);
    if (client.len > 0) {
        bt_emit_member_string(&emit, "client", client);
    }
    bt_emit_member_u64(&emit, "limit", page[0]);
    bt_emit_member_u64(&emit, "offset", page[1]);
    bt_emit_name(&emit, "payloads");
    bt_emit_bool(&emit, payloads);
    bt_emit_end(&emit);
    const enum bt_status kept = bt_buf_copy(&buf, x->arena, out);
    bt_buf_free(&buf);
    return kept;
}

static enum bt_status get_thread(struct serve_call *x)
{
    static const uint64_t limits[2] = {1, 1000};
    static const uint64_t offsets[2] = {0, INT64_MAX};
    struct serve_rest rest;
    uint64_t page[2] = {100, 0};
    bool payloads = false;
    bt_str params;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    const bool is_ready = rest_query_number(&rest, "limit", limits, &page[0]) &&
                          rest_query_number(&rest, "offset", offsets, &page[1]) &&
                          rest_query_switch(&rest, "payloads", &payloads);
    (void)rest_drop(&rest);
    if (!is_ready) {
        return BT_OK;
    }
    BT_TRY(put_thread(x, rest_query(x, "client"), page, payloads, &params));
    return query_pump(x, "thread-history", params);
}

/* ---- Clients --------------------------------------------------------------------------------- */

/* Put the entries of a history that were sent to the client. */
static enum bt_status put_replies(struct serve_call *x, bt_str result, struct bt_buf *buf)
{
    struct bt_json_options options = bt_json_options_default();
    struct bt_json_read_result read;
    struct bt_emit emit;
    options.document_bytes_max = TEXT_BYTES_MAX;
    options.string_bytes_max = TEXT_BYTES_MAX;
    /* from: socket */
    BT_TRY(bt_json_read(x->arena, result, &options, &read));
    const bt_json_value *entries =
        read.document ? bt_json_get(read.document, bt_json_root(read.document), BT_STR("entries"))
                      : NULL;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "thread", x->params[0]);
    bt_emit_name(&emit, "replies");
    bt_emit_begin_array(&emit);
    for (size_t i = 0; entries && i < bt_json_count(entries); i++) {
        const bt_json_value *entry = &bt_json_items(entries)[i];
        const bt_json_value *kind = bt_json_get(read.document, entry, BT_STR("kind"));
        if (kind && bt_str_eq(bt_json_text(kind), BT_STR("egress"))) {
            const struct bt_json_span span = bt_json_span(read.document, entry);
            bt_emit_raw(&emit, bt_str_slice(result, span.begin, span.end));
        }
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    return buf->status;
}

static enum bt_status query_replies(struct serve_rest *rest, bt_str params)
{
    struct bt_control_result answer;
    if (!bt_op_pump_query(&rest->work, "thread-history", params, &answer)) {
        return BT_OK;
    }
    if (answer.error != 0) {
        return bt_op_pump_reject(&rest->work, &answer);
    }
    BT_TRY(put_replies(rest->x, answer.result, &rest->answer.body));
    return bt_result_set_done(&rest->work);
}

static enum bt_status list_replies(struct serve_call *x)
{
    static const uint64_t page[2] = {1000, 0};
    const bt_str client = x->caller.pump_client;
    struct serve_rest rest;
    bt_str params;
    if (client.len == 0) {
        return serve_call_respond_problem_with(x, "SCOPE_MISSING",
                                               BT_STR("\"scope\":\"pump_client\""));
    }
    BT_TRY(put_thread(x, client, page, true, &params));
    return rest_begin(&rest, x) ? rest_end(&rest, query_replies(&rest, params)) : BT_OK;
}

static enum bt_status as_message(struct bt_call *work, struct bt_check_request *request)
{
    request->dialect = bt_dialect_find(BT_STR("xml"));
    return bt_op_handoff_submit(work, request);
}

static enum bt_status send_message(struct serve_call *x)
{
    return rest_run(x, OPTION_SUBMIT, as_message);
}

/* ---- Events ---------------------------------------------------------------------------------- */

struct serve_pump_stream {
    struct bt_control_client *control;
    bool is_over; /* the pump closed the connection */
};

static void put_event(struct bt_arena *arena, bt_str event, struct bt_buf *out)
{
    struct bt_json_read_result read;
    uint64_t number = 0;
    /* from: socket */
    if (bt_json_read(arena, event, NULL, &read) == BT_OK && read.document) {
        const bt_json_value *n =
            bt_json_get(read.document, bt_json_root(read.document), BT_STR("n"));
        if (n && bt_str_to_u64(bt_json_number_text(read.document, n), &number) == BT_OK) {
            bt_buf_printf(out, "id: %" PRIu64 "\n", number);
        }
    }
    bt_buf_put_text(out, "event: pump\ndata: ");
    bt_buf_put(out, event);
    bt_buf_put_text(out, "\n\n");
}

static enum http_stream_result pull_events(struct http_exchange *call, void *worker,
                                           struct bt_buf *out)
{
    struct serve_pump_stream *watching = call->answer.stream_state;
    struct bt_arena arena;
    struct bt_error error;
    size_t count = 0;
    bt_str event = BT_STR("");
    (void)worker;
    bt_arena_init(&arena, TEXT_BYTES_MAX);
    for (; count < EVENTS_AT_ONCE && !watching->is_over; count++) {
        watching->is_over =
            bt_control_client_next_event(watching->control, &arena, 0, &event, &error) != BT_OK;
        if (watching->is_over || event.len == 0) {
            break;
        }
        put_event(&arena, event, out);
    }
    bt_arena_free(&arena);
    return watching->is_over         ? HTTP_STREAM_RESULT_ENDED
           : count == EVENTS_AT_ONCE ? HTTP_STREAM_RESULT_MORE
                                     : HTTP_STREAM_RESULT_IDLE;
}

static void close_events(void *control)
{
    bt_control_client_close(control);
}

static const struct http_stream pump_stream = {
    .pull = pull_events,
    .name = "pump",
    .poll_ms = 250,
    .keepalive_text = ": still here\n\n",
    .too_slow_text = "event: lagged\ndata: {}\n\n",
    .closing_text = ": bye\n\n",
};

/* Connect to the pump. NULL: the response is set. */
static struct bt_control_client *connect_to_pump(struct serve_call *x)
{
    struct serve_rest rest;
    if (!rest_begin(&rest, x)) {
        return NULL;
    }
    struct bt_control_client *control = bt_op_pump_connect(&rest.work);
    (void)(control ? rest_drop(&rest) : rest_end(&rest, BT_OK));
    return control;
}

/* Request events from where the reader stopped. False: the response is set. */
static bool begin_events(struct serve_call *x, struct serve_pump_stream *watching)
{
    const bt_str last = http_field_text(x->request, "last-event-id");
    const bt_str after = last.len > 0 ? last : rest_query(x, "after");
    struct bt_control_request question = {
        .method = BT_STR("events"), .params = BT_STR(""), .wait_ms = ANSWER_MS};
    struct bt_control_result answer;
    struct bt_error error;
    uint64_t number = 0;
    if (after.len > 0 && (bt_str_to_u64(after, &number) != BT_OK || number > INT64_MAX)) {
        (void)serve_call_respond_bad_parameter(x, BT_STR("after"), "it is no number of an event");
        return false;
    }
    watching->control = connect_to_pump(x);
    if (!watching->control) {
        return false;
    }
    exchange_hold(x, close_events, watching->control);
    if ((after.len > 0 &&
         bt_arena_printf(x->arena, &question.params, "{\"after\":%" PRIu64 "}", number) != BT_OK) ||
        bt_control_client_call(watching->control, x->arena, &question, &answer, &error) != BT_OK ||
        answer.error != 0) {
        exchange_release(x);
        (void)serve_call_respond_problem(x, "STORE_UNAVAILABLE");
        return false;
    }
    return true;
}

static enum bt_status stream_events(struct serve_call *x)
{
    struct serve_pump_stream *watching = BT_NEW(x->arena, struct serve_pump_stream);
    if (!watching) {
        return BT_ENOMEM;
    }
    if (!begin_events(x, watching)) {
        return BT_OK;
    }
    x->answer->stream = &pump_stream;
    x->answer->stream_state = watching;
    serve_call_add_header(x, "X-Accel-Buffering", BT_STR("no"));
    return serve_call_respond_body(x, 200, "text/event-stream", BT_STR("retry: 2000\n\n"));
}

/* ---- Rows ------------------------------------------------------------------------------------ */

#define PUMP_ROW(path_, operation_, run_, query_, summary_)                                        \
    {                                                                                              \
        .method = HTTP_GET, .path = (path_), .operation = (operation_),                            \
        .scopes = BT_SCOPE_OPERATE, .flags = ROUTE_WAITS, .run = (run_), .query = (query_),        \
        .summary = (summary_)                                                                      \
    }

const struct serve_route pump_routes[] = {
    {.method = HTTP_POST,
     .path = "/v1/pump/send",
     .operation = "pumpSend",
     .scopes = BT_SCOPE_SUBMIT,
     .flags = ROUTE_RECORDS | ROUTE_SUBMITS,
     .run = send_message,
     .takes = "application/xml text/plain application/octet-stream",
     .summary = "Send a message to the pump"},
    {.method = HTTP_GET,
     .path = "/v1/pump/threads/{thread}/replies",
     .operation = "pumpReplies",
     .scopes = BT_SCOPE_SUBMIT,
     .flags = ROUTE_WAITS,
     .run = list_replies,
     .summary = "Read what the pump delivered to the caller's thread"},
    PUMP_ROW("/v1/pump/status", "pumpStatus", get_status, NULL, "Tell how the pump is doing"),
    PUMP_ROW("/v1/pump/listeners", "pumpListeners", list_listeners, NULL, "List the listeners"),
    PUMP_ROW("/v1/pump/graph", "pumpGraph", get_graph, "format", "Show who may call whom"),
    PUMP_ROW("/v1/pump/threads/{thread}", "pumpThread", get_thread, "client limit offset payloads",
             "Show the history of a thread"),
    {.method = HTTP_GET,
     .path = "/v1/pump/events",
     .operation = "pumpEvents",
     .scopes = BT_SCOPE_OPERATE,
     .flags = ROUTE_WAITS | ROUTE_STREAM,
     .run = stream_events,
     .gives = "text/event-stream",
     .query = "after",
     .summary = "Follow the events of the pump"},
    {.path = NULL},
};
