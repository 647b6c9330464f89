/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rest_pump.c - the pump of XML messages, asked through its control channel: no handler runs here.
 */
#include <inttypes.h>
#include <string.h>

#include <baton/file.h>
#include <baton/organism.h>
#include <baton/pump.h>

#include "gateway/gateway.h"
#include "gateway/rest.h"

enum {
    ORGANISM_BYTES_MAX = 1 << 20,
    CONNECT_MS = 1000,
    ANSWER_MS = 5000,
    PARAMS_BYTES_MAX = 1 << 20,
    EVENTS_AT_ONCE = 64,
    TEXT_BYTES_MAX = 64 << 20,
};

/* ---- The pump -------------------------------------------------------------------------------- */

/* The file of the organism, or "". */
static bt_str organism_path(struct exchange *x)
{
    const char *given = x->gateway->flags->organism;
    bt_str path = BT_STR("");
    if (given) {
        return bt_str_of(given);
    }
    return bt_config_is_given(x->config, "pump.organism") &&
                   bt_config_path(x->config, "pump.organism", x->arena, &path) == BT_OK
               ? path
               : BT_STR("");
}

/* Connect to the pump. NULL after an answer. */
static struct bt_control *find_pump(struct exchange *x)
{
    const struct bt_organism_options how = {.has_files = true};
    const struct bt_organism *organism = NULL;
    struct bt_organism_source source = {.path = organism_path(x)};
    struct bt_control *control = NULL;
    struct bt_judged judged;
    struct bt_error error;
    bt_str path = BT_STR("");
    if (source.path.len == 0) {
        (void)exchange_problem(x, "NOT_FOUND");
        return NULL;
    }
    if (bt_file_read(x->arena, source.path, ORGANISM_BYTES_MAX, &source.text, &error) != BT_OK ||
        bt_organism_read(x->service->env, x->arena, &source, &how, &judged, &organism) != BT_OK ||
        !organism || bt_pump_socket(organism, x->arena, &path) != BT_OK || path.len == 0 ||
        bt_control_open(path.ptr, CONNECT_MS, &control, &error) != BT_OK) {
        (void)exchange_problem(x, "STORE_UNAVAILABLE");
        return NULL;
    }
    return control;
}

/* Ask one thing. False after an answer: the pump could not be asked. */
static bool ask(struct exchange *x, const char *method, bt_str params, struct bt_pump_answer *out)
{
    const struct bt_control_question question = {
        .method = bt_str_of(method), .params = params, .wait_ms = ANSWER_MS};
    struct bt_control *control = find_pump(x);
    struct bt_error error;
    if (!control) {
        return false;
    }
    const enum bt_status status = bt_control_call(control, x->arena, &question, out, &error);
    bt_control_close(control);
    if (status != BT_OK) {
        (void)exchange_problem(x, "STORE_UNAVAILABLE");
    }
    return status == BT_OK;
}

/* What the pump said no to. */
static enum bt_status refuse(struct exchange *x, const struct bt_pump_answer *answer)
{
    switch (answer->error) {
    case BT_CONTROL_NOT_FOUND:
        return exchange_problem(x, "NOT_FOUND");
    case BT_CONTROL_BUSY:
        return exchange_problem(x, "OVERLOADED");
    case BT_CONTROL_PARAMS:
    case BT_CONTROL_INVALID:
    case BT_CONTROL_PARSE:
        return exchange_problem(x, "PARAMETER_INVALID");
    default:
        return exchange_problem(x, "INTERNAL");
    }
}

/* Ask, and answer as `baton pump ctl` does. */
static enum bt_status look(struct exchange *x, const char *method, bt_str params)
{
    struct bt_pump_answer answer;
    bt_str json;
    if (!ask(x, method, params, &answer)) {
        return BT_OK;
    }
    if (answer.error != 0) {
        return refuse(x, &answer);
    }
    BT_TRY(bt_arena_printf(x->arena, &json, "{\"baton\":1,\"method\":\"%s\",\"result\":%.*s}",
                           method, BT_STR_ARG(answer.result)));
    return exchange_json(x, 200, json);
}

/* ---- Looking --------------------------------------------------------------------------------- */

static enum bt_status status(struct exchange *x)
{
    return look(x, "status", BT_STR(""));
}

static enum bt_status listeners(struct exchange *x)
{
    return look(x, "list", BT_STR(""));
}

static enum bt_status graph(struct exchange *x)
{
    const bt_str format = rest_query(x, "format");
    bt_str params;
    if (format.len > 0 && !bt_str_eq(format, BT_STR("json")) &&
        !bt_str_eq(format, BT_STR("mermaid")) && !bt_str_eq(format, BT_STR("dot"))) {
        return exchange_bad_parameter(x, BT_STR("format"), "json, mermaid or dot");
    }
    BT_TRY(bt_arena_printf(x->arena, &params, "{\"format\":\"%.*s\"}",
                           BT_STR_ARG(format.len > 0 ? format : BT_STR("json"))));
    return look(x, "graph", params);
}

/* Parameters of `thread-history`; `client` may be "". */
static enum bt_status put_thread(struct exchange *x, bt_str client, const uint64_t page[2],
                                 bool payloads, bt_str *out)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, PARAMS_BYTES_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_object(&emit);
    bt_emit_member_string(&emit, "thread", x->params[0]);
    if (client.len > 0) {
        bt_emit_member_string(&emit, "client", client);
    }
    bt_emit_member_u64(&emit, "limit", page[0]);
    bt_emit_member_u64(&emit, "offset", page[1]);
    bt_emit_name(&emit, "payloads");
    bt_emit_bool(&emit, payloads);
    bt_emit_end(&emit);
    const enum bt_status kept = bt_buf_keep(&buf, x->arena, out);
    bt_buf_free(&buf);
    return kept;
}

static enum bt_status thread(struct exchange *x)
{
    static const uint64_t limits[2] = {1, 1000};
    static const uint64_t offsets[2] = {0, INT64_MAX};
    struct rest rest;
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
    return look(x, "thread-history", params);
}

/* ---- Clients --------------------------------------------------------------------------------- */

/* The client of the pump that the caller is. "" after an answer. */
static bt_str client_of(struct exchange *x)
{
    const bt_str client = x->principal->pump_client;
    if (client.len == 0) {
        (void)exchange_problem_with(x, "SCOPE_MISSING", BT_STR("\"scope\":\"pump_client\""));
    }
    return client;
}

/* Put those entries of a history that went out to the client. */
static enum bt_status put_replies(struct exchange *x, bt_str result, struct bt_buf *buf)
{
    struct bt_json_options options = bt_json_options_default();
    struct bt_json_result read;
    struct bt_emit emit;
    options.document_bytes_max = TEXT_BYTES_MAX;
    options.string_bytes_max = TEXT_BYTES_MAX;
    BT_TRY(bt_json_read(x->arena, result, &options, &read));
    const bt_value *entries =
        read.document ? bt_json_get(read.document, bt_json_root(read.document), BT_STR("entries"))
                      : NULL;
    bt_emit_init(&emit, buf, false);
    bt_emit_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "thread", x->params[0]);
    bt_emit_name(&emit, "replies");
    bt_emit_array(&emit);
    for (size_t i = 0; entries && i < bt_json_count(entries); i++) {
        const bt_value *entry = &bt_json_items(entries)[i];
        const bt_value *kind = bt_json_get(read.document, entry, BT_STR("kind"));
        if (kind && bt_str_eq(bt_json_text(kind), BT_STR("egress"))) {
            const struct bt_json_span span = bt_json_span(read.document, entry);
            bt_emit_raw(&emit, bt_str_slice(result, span.begin, span.end));
        }
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    return buf->status;
}

static enum bt_status replies(struct exchange *x)
{
    static const uint64_t page[2] = {1000, 0};
    const bt_str client = client_of(x);
    struct bt_pump_answer answer;
    struct bt_buf buf;
    bt_str params;
    if (client.len == 0) {
        return BT_OK;
    }
    BT_TRY(put_thread(x, client, page, true, &params));
    if (!ask(x, "thread-history", params, &answer)) {
        return BT_OK;
    }
    if (answer.error != 0) {
        return refuse(x, &answer);
    }
    bt_buf_init(&buf, TEXT_BYTES_MAX);
    enum bt_status done = put_replies(x, answer.result, &buf);
    done = done == BT_OK ? exchange_json(x, 200, bt_buf_str(&buf)) : done;
    bt_buf_free(&buf);
    return done;
}

/* ---- Sending --------------------------------------------------------------------------------- */

/* Parameters of `inject`; what is no text goes as base64. */
static enum bt_status put_message(struct exchange *x, bt_str client, bt_str text, bt_str *out)
{
    const bool is_text = bt_utf8_check(text) == text.len;
    struct bt_buf buf;
    struct bt_buf coded;
    struct bt_emit emit;
    bt_buf_init(&buf, PARAMS_BYTES_MAX - 256);
    bt_buf_init(&coded, PARAMS_BYTES_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_object(&emit);
    bt_emit_member_string(&emit, "client", client);
    if (is_text) {
        bt_emit_member_string(&emit, "message", text);
    } else {
        bt_base64_put(&coded, text);
        bt_emit_member_string(&emit, "message_base64", bt_buf_str(&coded));
    }
    bt_emit_end(&emit);
    const enum bt_status kept =
        coded.status == BT_OK ? bt_buf_keep(&buf, x->arena, out) : coded.status;
    bt_buf_free(&buf);
    bt_buf_free(&coded);
    return kept;
}

static bt_str text_of(const struct bt_doc *document, const bt_value *object, const char *name)
{
    const bt_value *value = object ? bt_json_get(document, object, bt_str_of(name)) : NULL;
    return value ? bt_json_text(value) : BT_STR("");
}

/* 202 as `pump send` tells it. */
static enum bt_status tell_sent(struct exchange *x, const struct bt_doc *document)
{
    const bt_value *root = bt_json_root(document);
    const bt_value *repeated = bt_json_get(document, root, BT_STR("duplicate"));
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, PARAMS_BYTES_MAX);
    bt_buf_put_text(&buf, "{\"baton\":1,\"mode\":\"sent\",\"accepted\":1,\"refused\":0,"
                          "\"messages\":[");
    bt_emit_init(&emit, &buf, false);
    bt_emit_object(&emit);
    bt_emit_member_u64(&emit, "index", 1);
    bt_emit_member_string(&emit, "state", BT_STR("accepted"));
    bt_emit_member_string(&emit, "thread", text_of(document, root, "thread"));
    bt_emit_name(&emit, "duplicate");
    bt_emit_bool(&emit, repeated && bt_json_type(repeated) == BT_JSON_TRUE);
    bt_emit_end(&emit);
    bt_buf_put_text(&buf, "]}");
    const enum bt_status done =
        buf.status == BT_OK ? exchange_json(x, 202, bt_buf_str(&buf)) : buf.status;
    bt_buf_free(&buf);
    return done;
}

/* A message that was judged and refused: its findings, under the status of the first. */
static enum bt_status tell_refused(struct exchange *x, const struct bt_doc *data)
{
    const bt_value *findings = bt_json_get(data, bt_json_root(data), BT_STR("findings"));
    const bool has_one = findings && bt_json_count(findings) > 0;
    const bt_value *first = has_one ? &bt_json_items(findings)[0] : NULL;
    const bt_str code = text_of(data, first, "code");
    const bt_str stage = text_of(data, first, "stage");
    const unsigned status_told = bt_str_ends(code, BT_STR("_TOO_LARGE"))    ? 413
                                 : bt_str_eq(stage, BT_STR("read"))         ? 400
                                 : bt_str_eq(code, BT_STR("XML_DUPLICATE")) ? 409
                                                                            : 422;
    const size_t rule = bt_rules_find(code);
    struct bt_buf buf;
    struct bt_emit emit;
    if (!first || rule == bt_rules_count()) {
        return exchange_problem(x, "BAD_REQUEST");
    }
    const struct bt_json_span span = bt_json_span(data, findings);
    bt_buf_init(&buf, PARAMS_BYTES_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_object(&emit);
    bt_emit_name(&emit, "type");
    bt_buf_printf(&buf, "\"/problems/%.*s\"", BT_STR_ARG(code));
    bt_buf_put_text(&buf, ",\"title\":");
    bt_json_put_string(&buf, bt_rules_at(rule)->meaning);
    bt_buf_printf(&buf, ",\"status\":%u,\"detail\":\"The message was judged and refused.\"",
                  status_told);
    bt_buf_printf(&buf, ",\"instance\":\"urn:baton:request:%s\",\"code\":\"%.*s\",\"findings\":",
                  x->request_id, BT_STR_ARG(code));
    bt_buf_put(&buf, bt_str_slice(bt_json_source(data), span.begin, span.end));
    bt_buf_put_text(&buf, "}\n");
    x->code = bt_rules_at(rule)->code;
    const enum bt_status done = buf.status == BT_OK
                                    ? exchange_body(x, status_told, REST_PROBLEM, bt_buf_str(&buf))
                                    : buf.status;
    bt_buf_free(&buf);
    return done;
}

enum bt_status rest_pump_send(struct exchange *x, bt_str text)
{
    const bt_str client = client_of(x);
    struct bt_pump_answer answer;
    struct bt_json_result read = {0};
    bt_str params;
    if (client.len == 0) {
        return BT_OK;
    }
    if (put_message(x, client, text, &params) != BT_OK) {
        return exchange_problem(x, "BODY_TOO_LARGE");
    }
    if (!ask(x, "inject", params, &answer)) {
        return BT_OK;
    }
    const bt_str said = answer.error == 0 ? answer.result : answer.data;
    if (said.len > 0) {
        BT_TRY(bt_json_read(x->arena, said, NULL, &read));
    }
    if (!read.document || (answer.error != 0 && answer.error != BT_CONTROL_PARAMS)) {
        return refuse(x, &answer);
    }
    return answer.error == 0 ? tell_sent(x, read.document) : tell_refused(x, read.document);
}

static enum bt_status pump_send(struct exchange *x)
{
    return rest_pump_send(x, x->request->body);
}

/* ---- Events ---------------------------------------------------------------------------------- */

struct watching {
    struct bt_control *control;
    bool is_over; /* the pump hung up */
};

static void put_event(struct bt_arena *arena, bt_str event, struct bt_buf *out)
{
    struct bt_json_result read;
    uint64_t number = 0;
    if (bt_json_read(arena, event, NULL, &read) == BT_OK && read.document) {
        const bt_value *n = bt_json_get(read.document, bt_json_root(read.document), BT_STR("n"));
        if (n && bt_str_to_u64(bt_json_number_text(read.document, n), &number) == BT_OK) {
            bt_buf_printf(out, "id: %" PRIu64 "\n", number);
        }
    }
    bt_buf_put_text(out, "event: pump\ndata: ");
    bt_buf_put(out, event);
    bt_buf_put_text(out, "\n\n");
}

static enum http_pull pull_events(struct http_call *call, void *worker, struct bt_buf *out)
{
    struct watching *watching = call->answer.stream_state;
    struct bt_arena arena;
    struct bt_error error;
    size_t count = 0;
    bt_str event = BT_STR("");
    (void)worker;
    bt_arena_init(&arena, TEXT_BYTES_MAX);
    for (; count < EVENTS_AT_ONCE && !watching->is_over; count++) {
        watching->is_over = bt_control_next(watching->control, &arena, 0, &event, &error) != BT_OK;
        if (watching->is_over || event.len == 0) {
            break;
        }
        put_event(&arena, event, out);
    }
    bt_arena_free(&arena);
    return watching->is_over         ? HTTP_PULL_ENDED
           : count == EVENTS_AT_ONCE ? HTTP_PULL_MORE
                                     : HTTP_PULL_IDLE;
}

static void close_events(struct http_call *call, void *worker)
{
    struct watching *watching = call->answer.stream_state;
    (void)worker;
    bt_control_close(watching->control);
    watching->control = NULL;
}

static const struct http_stream pump_stream = {
    .pull = pull_events,
    .close = close_events,
    .name = "pump",
    .poll_ms = 250,
    .quiet = ": still here\n\n",
    .lagged = "event: lagged\ndata: {}\n\n",
    .bye = ": bye\n\n",
};

/* Ask for events from where the reader stood. False after an answer. */
static bool begin_events(struct exchange *x, struct watching *watching)
{
    const bt_str last = http_field_text(x->request, "last-event-id");
    const bt_str after = last.len > 0 ? last : rest_query(x, "after");
    struct bt_control_question question = {
        .method = BT_STR("events"), .params = BT_STR(""), .wait_ms = ANSWER_MS};
    struct bt_pump_answer answer;
    struct bt_error error;
    uint64_t number = 0;
    if (after.len > 0 && (bt_str_to_u64(after, &number) != BT_OK || number > INT64_MAX)) {
        (void)exchange_bad_parameter(x, BT_STR("after"), "it is no number of an event");
        return false;
    }
    watching->control = find_pump(x);
    if (!watching->control) {
        return false;
    }
    if ((after.len > 0 &&
         bt_arena_printf(x->arena, &question.params, "{\"after\":%" PRIu64 "}", number) != BT_OK) ||
        bt_control_call(watching->control, x->arena, &question, &answer, &error) != BT_OK ||
        answer.error != 0) {
        bt_control_close(watching->control);
        (void)exchange_problem(x, "STORE_UNAVAILABLE");
        return false;
    }
    return true;
}

static enum bt_status events(struct exchange *x)
{
    struct watching *watching = BT_NEW(x->arena, struct watching);
    if (!watching) {
        return BT_ENOMEM;
    }
    if (!begin_events(x, watching)) {
        return BT_OK;
    }
    x->answer->stream = &pump_stream;
    x->answer->stream_state = watching;
    exchange_field(x, "X-Accel-Buffering", BT_STR("no"));
    return exchange_body(x, 200, "text/event-stream", BT_STR("retry: 2000\n\n"));
}

/* ---- Rows ------------------------------------------------------------------------------------ */

#define PUMP_ROW(path_, operation_, run_, query_, summary_)                                        \
    {                                                                                              \
        .method = HTTP_GET, .path = (path_), .operation = (operation_), .scopes = SCOPE_OPERATE,   \
        .flags = ROUTE_WAITS, .run = (run_), .query = (query_), .summary = (summary_)              \
    }

const struct route pump_routes[] = {
    {.method = HTTP_POST,
     .path = "/v1/pump/send",
     .operation = "pumpSend",
     .scopes = SCOPE_SUBMIT,
     .flags = ROUTE_WAITS | ROUTE_SUBMITS,
     .run = pump_send,
     .takes = "application/xml text/plain application/octet-stream",
     .summary = "Send a message to the pump"},
    {.method = HTTP_GET,
     .path = "/v1/pump/threads/{thread}/replies",
     .operation = "pumpReplies",
     .scopes = SCOPE_SUBMIT,
     .flags = ROUTE_WAITS,
     .run = replies,
     .summary = "Read what the pump delivered to the caller's thread"},
    PUMP_ROW("/v1/pump/status", "pumpStatus", status, NULL, "Tell how the pump is doing"),
    PUMP_ROW("/v1/pump/listeners", "pumpListeners", listeners, NULL, "List the listeners"),
    PUMP_ROW("/v1/pump/graph", "pumpGraph", graph, "format", "Show who may call whom"),
    PUMP_ROW("/v1/pump/threads/{thread}", "pumpThread", thread, "client limit offset payloads",
             "Show the history of a thread"),
    {.method = HTTP_GET,
     .path = "/v1/pump/events",
     .operation = "pumpEvents",
     .scopes = SCOPE_OPERATE,
     .flags = ROUTE_WAITS | ROUTE_STREAM,
     .run = events,
     .gives = "text/event-stream",
     .query = "after",
     .summary = "Follow the events of the pump"},
    {.path = NULL},
};
