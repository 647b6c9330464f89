/* SPDX-License-Identifier: Apache-2.0 */
/* rest_pump.c - use the pump through its control channel; handlers do not run in this process. */
#include <inttypes.h>

#include "operation/arguments.h"
#include "operation/pump.h"
#include "serve/rest.h"

enum {
    ANSWER_MS = 5000,
    PARAMS_BYTES_MAX = 1 << 20,
    EVENTS_AT_ONCE = 64,
    TEXT_BYTES_MAX = 64 << 20,
};

/* ---- Queries --------------------------------------------------------------------------------- */

static enum bt_status get_status(struct serve_rest *rest)
{
    return bt_op_pump(&rest->work, "status", BT_STR(""));
}

static enum bt_status list_listeners(struct serve_rest *rest)
{
    return bt_op_pump(&rest->work, "list", BT_STR(""));
}

static enum bt_status get_graph(struct serve_rest *rest)
{
    const bt_str format = rest_text(rest, "format");
    bt_str params;
    if (format.len > 0 && !bt_str_eq(format, BT_STR("json")) &&
        !bt_str_eq(format, BT_STR("mermaid")) && !bt_str_eq(format, BT_STR("dot"))) {
        (void)rest_refuse(rest, "format", "json, mermaid or dot");
        return BT_OK;
    }
    BT_TRY(bt_arena_printf(rest->x->arena, &params, "{\"format\":\"%.*s\"}",
                           BT_STR_ARG(format.len > 0 ? format : BT_STR("json"))));
    return bt_op_pump(&rest->work, "graph", params);
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

static enum bt_status get_thread(struct serve_rest *rest)
{
    const uint64_t page[2] = {rest_number(rest, "limit", 100), rest_number(rest, "offset", 0)};
    bool payloads = false;
    bt_str params;
    if (rest_has(rest, "payloads") &&
        !bt_argument_read_bool(rest_text(rest, "payloads"), &payloads)) {
        (void)rest_refuse(rest, "payloads", "it is 1 or 0");
        return BT_OK;
    }
    BT_TRY(put_thread(rest->x, rest_text(rest, "client"), page, payloads, &params));
    return bt_op_pump(&rest->work, "thread-history", params);
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

static enum bt_status list_replies(struct serve_rest *rest)
{
    static const uint64_t page[2] = {1000, 0};
    const bt_str client = rest->x->caller.pump_client;
    bt_str params;
    if (client.len == 0) {
        return serve_call_respond_problem_with(rest->x, BT_PROBLEM_SCOPE_MISSING,
                                               BT_STR("\"scope\":\"pump_client\""));
    }
    BT_TRY(put_thread(rest->x, client, page, true, &params));
    return query_replies(rest, params);
}

static enum bt_status as_message(struct bt_call *work, struct bt_check_request *request)
{
    request->dialect = BT_DIALECT_XML;
    return bt_op_handoff_submit(work, request);
}

static enum bt_status send_message(struct serve_rest *rest)
{
    return rest_run(rest, OPTION_SUBMIT, as_message);
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
        (void)serve_call_respond_problem(x, BT_PROBLEM_STORE_UNAVAILABLE);
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

const struct serve_handler pump_handlers[] = {
    {BT_OPERATION_PUMP_SEND, 0, .run = send_message},
    {BT_OPERATION_PUMP_REPLIES, ROUTE_WAITS, .run = list_replies},
    {BT_OPERATION_PUMP_STATUS, ROUTE_WAITS, .run = get_status},
    {BT_OPERATION_PUMP_LIST_LISTENERS, ROUTE_WAITS, .run = list_listeners},
    {BT_OPERATION_PUMP_GRAPH, ROUTE_WAITS, .run = get_graph},
    {BT_OPERATION_PUMP_THREAD, ROUTE_WAITS, .run = get_thread},
    {BT_OPERATION_PUMP_EVENTS, ROUTE_WAITS, .run_call = stream_events},
    {.run = NULL},
};
