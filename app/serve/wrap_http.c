/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrap_http.c - POST /wrap/{name}/mcp: one message for a wrapped server.
 *
 * The response is JSON, or a stream of events when the server says more than its answer. Everything
 * that is judged and recorded is the business of the channel (wrap_channels.h); here messages are
 * read, header fields are compared with them, and answers get their status.
 */
#include <stdio.h>

#include "json/emit.h"
#include "mcp/mcp.h"
#include "serve/protocol_state.h"
#include "serve/wrap_channels.h"
#include "wrap/policy.h"
#include "wrap/servers.h"

/* The beginning of each event of a stream. */
static const char event[] = "event: message\ndata: ";
static const bt_str version_key = BT_STR_INIT("io.modelcontextprotocol/protocolVersion");
static const bt_str capabilities_key = BT_STR_INIT("io.modelcontextprotocol/clientCapabilities");
static const bt_str modern_version = BT_STR_INIT("2026-07-28"); /* the first one */

enum {
    OUTPUT_BYTES_MAX = 1 << 30,
    OUTPUT_SPARE_BYTES = 1 << 20,
    ERROR_BYTES_MAX = 4096,
    POLL_MS = 1000,
    PULL_BYTES = 64 << 10,
};

/* Codes of JSON-RPC and MCP that have a status of their own. */
enum serve_wrap_code {
    CODE_PARSE = -32700,
    CODE_REQUEST = -32600,
    CODE_METHOD = -32601,
    CODE_PARAMS = -32602,
    CODE_HEADER = -32020,
    CODE_CAPABILITY = -32021,
    CODE_VERSION = -32022,
};

/* A message and what waits for its answer; it lives as long as its request. */
struct serve_wrap_talk {
    struct serve_call *x;
    struct bt_wrap_message message;
    struct serve_wrap_target target;
    struct serve_wrap_exchange exchange;
    struct serve_open_stream stream;
    bool has_stream;
    bool was_parked;
    struct bt_buf events; /* of the stream */
    size_t sent;          /* bytes of them that were sent */
    bool is_over;         /* the answer is one of them */
};

/* ---- Errors ---------------------------------------------------------------------------------- */

/* An error of our own. `data` is JSON or "". */
struct serve_wrap_error {
    unsigned status;
    enum serve_wrap_code code;
    const char *message;
    bt_str data;
};

/* Respond with an error; it has the id of the message where that could be read. */
static enum bt_status respond_error(struct serve_call *x, const struct bt_wrap_message *message,
                                    const struct serve_wrap_error *error)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, ERROR_BYTES_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "jsonrpc", BT_STR("2.0"));
    if (message->kind == BT_WRAP_MESSAGE_REQUEST) {
        bt_emit_name(&emit, "id");
        bt_emit_value(&emit);
        bt_wrap_id_put(&buf, &message->id);
    }
    bt_emit_member_object(&emit, "error");
    bt_emit_name(&emit, "code");
    bt_emit_i64(&emit, error->code);
    bt_emit_member_string(&emit, "message", bt_str_of(error->message));
    if (error->data.len > 0) {
        bt_emit_member_raw(&emit, "data", error->data);
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    const enum bt_status status = buf.status == BT_OK
                                      ? serve_call_respond_json(x, error->status, bt_buf_str(&buf))
                                      : buf.status;
    bt_buf_free(&buf);
    return status;
}

/* ---- Admission ------------------------------------------------------------------------------- */

/* Find the server that the path names, if this principal may use it. BT_ENOENT: it may not. */
static enum bt_status find_server(struct serve_call *x, struct serve_wrap_target *out)
{
    struct bt_wrap_server_settings entry;
    struct bt_wrap_policy policy;
    BT_TRY(x->settings->may_wrap ? BT_OK : BT_ENOENT);
    BT_TRY(bt_wrap_servers_read(x->arena, x->config, x->params[0], &entry));
    bool is_allowed = entry.is_served && !entry.has_principals;
    for (size_t i = 0; entry.is_served && i < entry.principals.count; i++) {
        is_allowed =
            is_allowed || bt_str_eq(entry.principals.items[i], x->identity.principal->name);
    }
    BT_TRY(is_allowed ? BT_OK : BT_ENOENT);
    BT_TRY(bt_wrap_policy_read(x->arena, x->config, x->params[0], &policy));
    *out = (struct serve_wrap_target){.server = x->params[0],
                                      .session = BT_STR(""),
                                      .idle_s = entry.idle_s,
                                      .processes = entry.processes,
                                      .message_bytes = policy.limits.message_bytes};
    return BT_OK;
}

/* A version before the first modern one; versions are days. */
static bool is_legacy_version(bt_str version)
{
    return version.len == modern_version.len && bt_str_compare(version, modern_version) < 0;
}

static const bt_json_value *find_metadata(const struct bt_wrap_message *message, bt_str key)
{
    const bt_json_value *metadata =
        message->params ? bt_json_get(message->document, message->params, BT_STR("_meta")) : NULL;
    return metadata ? bt_json_get(message->document, metadata, key) : NULL;
}

static bt_str text_of(const bt_json_value *value)
{
    return value ? bt_json_text(value) : BT_STR("");
}

/* Set the era of the message, and its session. */
static void choose_era(struct serve_wrap_talk *talk)
{
    const struct http_request *request = talk->x->request;
    const struct bt_wrap_message *message = &talk->message;
    const bt_str version = serve_field_or_null(request, "mcp-protocol-version");
    const bt_str session = serve_field_or_null(request, "mcp-session-id");
    const bool is_modern =
        find_metadata(message, version_key) || (version.ptr && !is_legacy_version(version));
    const bool is_opening = bt_str_eq(message->method, BT_STR("initialize"));
    talk->target.is_legacy = !is_modern && (is_opening || version.ptr || session.ptr);
    if (talk->target.is_legacy && session.ptr) {
        talk->target.session = session;
    }
    talk->target.may_start = message->kind == BT_WRAP_MESSAGE_REQUEST &&
                             (!talk->target.is_legacy || (is_opening && !session.ptr));
}

/* Respond when a modern request lacks members of its metadata. True: it has them. */
static bool has_metadata(struct serve_wrap_talk *talk, enum bt_status *out)
{
    const bt_json_value *version = find_metadata(&talk->message, version_key);
    const bt_json_value *capabilities = find_metadata(&talk->message, capabilities_key);
    const bool has_version = version && bt_json_type(version) == BT_JSON_STRING;
    const bool has_capabilities = capabilities && bt_json_type(capabilities) == BT_JSON_OBJECT;
    struct serve_wrap_error error = {.status = BT_HTTP_BAD_REQUEST,
                                     .code = CODE_PARAMS,
                                     .message = "required members of _meta are missing"};
    if (has_version && has_capabilities) {
        return true;
    }
    *out = bt_arena_printf(
        talk->x->arena, &error.data, "{\"missing\":[%s%.*s%s%.*s%s]}", has_version ? "" : "\"",
        BT_STR_ARG(has_version ? BT_STR("") : version_key),
        has_version        ? (has_capabilities ? "" : "\"")
        : has_capabilities ? "\""
                           : "\",\"",
        BT_STR_ARG(has_capabilities ? BT_STR("") : capabilities_key), has_capabilities ? "" : "\"");
    *out = *out == BT_OK ? respond_error(talk->x, &talk->message, &error) : *out;
    return false;
}

/* True when the header fields of a modern request say what its body says. */
static bool headers_fit(struct serve_wrap_talk *talk)
{
    struct serve_call *x = talk->x;
    const struct bt_wrap_message *message = &talk->message;
    const char *named = mcp_named_member(message->method);
    const bt_json_value *name =
        named ? bt_json_get(message->document, message->params, bt_str_of(named)) : NULL;
    return mcp_header_equals(x->arena, serve_field_or_null(x->request, "mcp-protocol-version"),
                             text_of(find_metadata(message, version_key))) &&
           mcp_header_equals(x->arena, serve_field_or_null(x->request, "mcp-method"),
                             message->method) &&
           (!named || mcp_header_equals(x->arena, serve_field_or_null(x->request, "mcp-name"),
                                        text_of(name))) &&
           (!bt_str_eq(message->method, BT_STR("tools/call")) ||
            serve_wrap_params_fit(x, &talk->target, message));
}

/* Respond to a message that cannot be passed on. True: it can. */
static bool check_message(struct serve_wrap_talk *talk, enum bt_status *out)
{
    static const struct serve_wrap_error mismatch = {
        BT_HTTP_BAD_REQUEST, CODE_HEADER,
        "a header is missing or says something else than the body", BT_STR_INIT("")};
    static const struct serve_wrap_error no_session = {
        BT_HTTP_BAD_REQUEST, CODE_REQUEST, "Mcp-Session-Id is missing", BT_STR_INIT("")};
    static const struct serve_wrap_error reserved = {BT_HTTP_BAD_REQUEST, CODE_REQUEST,
                                                     "ids that begin with baton- are reserved",
                                                     BT_STR_INIT("")};
    const struct bt_wrap_message *message = &talk->message;
    const bool is_request = message->kind == BT_WRAP_MESSAGE_REQUEST;
    const struct serve_wrap_error *error = NULL;
    if (is_request && bt_wrap_id_is_reserved(&message->id)) {
        error = &reserved;
    } else if (talk->target.is_legacy && talk->target.session.len == 0 && !talk->target.may_start) {
        error = &no_session;
    } else if (!talk->target.is_legacy && is_request) {
        if (!has_metadata(talk, out)) {
            return false;
        }
        error = headers_fit(talk) ? NULL : &mismatch;
    }
    *out = error ? respond_error(talk->x, message, error) : BT_OK;
    return !error;
}

/* Respond to a message that is unusable for the reason in it. */
static enum bt_status respond_unusable(struct serve_wrap_talk *talk)
{
    const struct bt_wrap_message *message = &talk->message;
    const bt_str version = serve_field_or_null(talk->x->request, "mcp-protocol-version");
    const struct serve_wrap_error error = {
        .status = is_legacy_version(version) ? BT_HTTP_OK : BT_HTTP_BAD_REQUEST,
        .code = message->reason <= BT_WRAP_REASON_LIMIT ? CODE_PARSE : CODE_REQUEST,
        .message = bt_wrap_reason_text(message->reason).ptr,
        .data = BT_STR("")};
    return respond_error(talk->x, message, &error);
}

/* Read the message. False: the response is set, or *out is not BT_OK. */
static bool read_message(struct serve_wrap_talk *talk, enum bt_status *out)
{
    struct serve_call *x = talk->x;
    struct bt_wrap_message *message = &talk->message;
    const bt_str body = x->request->body;
    *message = (struct bt_wrap_message){.reason = BT_WRAP_REASON_SIZE, .method = BT_STR("")};
    *out = body.len <= talk->target.message_bytes
               ? bt_wrap_message_read(x->arena, x->service->env, body, talk->target.message_bytes,
                                      message)
               : BT_OK;
    if (*out != BT_OK || message->kind != BT_WRAP_MESSAGE_NONE) {
        return *out == BT_OK;
    }
    *out = respond_unusable(talk);
    return false;
}

/* ---- Sending --------------------------------------------------------------------------------- */

static bt_str source_of(const struct bt_wrap_message *message, const bt_json_value *value)
{
    const struct bt_json_span span = bt_json_span(message->document, value);
    return bt_str_slice(bt_json_source(message->document), span.begin, span.end);
}

/* The line for the server: ids and tokens are ours. False: there is nothing to send. */
static bool put_line(struct serve_wrap_talk *talk, struct bt_buf *out)
{
    const struct bt_wrap_message *message = &talk->message;
    const struct bt_json_doc *document = message->document;
    struct serve_wrap_exchange *exchange = &talk->exchange;
    struct serve_wrap_edit edits[2] = {{0}};
    uint64_t number = exchange->number;
    char text[24];
    if (message->kind == BT_WRAP_MESSAGE_REQUEST) {
        edits[0].value = bt_json_get(document, bt_json_root(document), BT_STR("id"));
        edits[1].value = find_metadata(message, BT_STR("progressToken"));
        exchange->id = source_of(message, edits[0].value);
        exchange->token = edits[1].value ? source_of(message, edits[1].value) : BT_STR("");
    } else if (bt_str_eq(message->method, BT_STR("notifications/cancelled")) && message->params) {
        struct bt_wrap_id id;
        edits[0].value = bt_json_get(document, message->params, BT_STR("requestId"));
        number = edits[0].value && bt_wrap_id_read(document, edits[0].value, &id)
                     ? serve_wrap_find_number(talk->x, &talk->target, &id)
                     : 0;
        if (number == 0) {
            return false; /* it is answered, or it is not known which one is meant */
        }
    }
    const int length = snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
    edits[0].text = (bt_str){text, (size_t)length};
    edits[1].text = edits[0].text;
    serve_wrap_put_line(out, document, edits, 2);
    return true;
}

static enum bt_status respond_outcome(struct serve_wrap_talk *talk, enum serve_wrap_outcome outcome)
{
    static const struct serve_wrap_error unknown = {BT_HTTP_NOT_FOUND, CODE_REQUEST,
                                                    "unknown session", BT_STR_INIT("")};
    struct serve_call *x = talk->x;
    if (outcome == SERVE_WRAP_BUSY) {
        serve_call_add_header(x, "Retry-After", BT_STR("1"));
        x->outcome.has_retry = true;
        return serve_call_respond_problem(x, BT_PROBLEM_OVERLOADED);
    }
    if (outcome == SERVE_WRAP_NO_CHANNEL && talk->target.is_legacy) {
        return respond_error(x, &talk->message, &unknown);
    }
    x->answer->status = BT_HTTP_ACCEPTED; /* a notification, which a server that rests misses */
    return BT_OK;
}

/* ---- Receiving ------------------------------------------------------------------------------- */

static void release_talk(void *held)
{
    struct serve_wrap_talk *talk = held;
    serve_wrap_leave(talk->x->gateway->conversations.wrap, &talk->exchange);
    if (talk->has_stream) {
        serve_stream_close(talk->x, &talk->stream);
    }
    bt_buf_free(&talk->events);
}

/* The status of an answer. */
static unsigned status_of(const struct serve_wrap_talk *talk)
{
    if (talk->target.is_legacy) {
        return BT_HTTP_OK;
    }
    switch (talk->exchange.error_code) {
    case CODE_METHOD:
        return BT_HTTP_NOT_FOUND;
    case CODE_HEADER:
    case CODE_CAPABILITY:
    case CODE_VERSION:
        return BT_HTTP_BAD_REQUEST;
    default:
        return BT_HTTP_OK;
    }
}

static enum http_stream_result pull_events(struct http_exchange *call, void *worker,
                                           struct bt_buf *out)
{
    struct serve_wrap_talk *talk = call->answer.stream_state;
    struct bt_buf lines;
    (void)worker;
    bt_buf_init(&lines, OUTPUT_BYTES_MAX);
    if (!talk->is_over) {
        talk->is_over =
            serve_wrap_take(talk->x->gateway->conversations.wrap, &talk->exchange, &lines);
    }
    serve_put_events(&talk->events, event, bt_buf_str(&lines));
    bt_buf_free(&lines);
    const bt_str rest = bt_str_slice(bt_buf_str(&talk->events), talk->sent, talk->events.len);
    const bt_str part = bt_str_slice(rest, 0, rest.len < PULL_BYTES ? rest.len : PULL_BYTES);
    bt_buf_put(out, part);
    talk->sent += part.len;
    if (part.len < rest.len) {
        return HTTP_STREAM_RESULT_MORE;
    }
    bt_buf_clear(&talk->events);
    talk->sent = 0;
    return talk->is_over ? HTTP_STREAM_RESULT_ENDED : HTTP_STREAM_RESULT_IDLE;
}

static const struct http_stream stream = {.pull = pull_events,
                                          .name = "wrap",
                                          .poll_ms = POLL_MS,
                                          .keepalive_text = ": quiet\n\n",
                                          .too_slow_text = "event: lagged\ndata: {}\n\n",
                                          .closing_text = ": bye\n\n",
                                          .waits_for_reader = true};

/* Begin a stream with these lines. */
static enum bt_status begin_stream(struct serve_wrap_talk *talk, bt_str lines)
{
    struct serve_call *x = talk->x;
    talk->stream.actor = x->identity.caller.actor;
    talk->has_stream = serve_stream_open(x, &talk->stream);
    if (!talk->has_stream) {
        serve_call_add_header(x, "Retry-After", BT_STR("1"));
        return serve_call_respond_problem(x, BT_PROBLEM_RATE_LIMITED);
    }
    x->suspended = NULL;
    x->answer->stream = &stream;
    x->answer->stream_state = talk;
    return serve_respond_events(x, event, lines);
}

static bool is_one_line(bt_str lines)
{
    return lines.len > 0 && bt_str_find_byte(lines, '\n', 0) + 1 == lines.len;
}

static enum bt_status respond_answer(struct serve_wrap_talk *talk, bt_str lines)
{
    struct serve_call *x = talk->x;
    const struct serve_wrap_exchange *exchange = &talk->exchange;
    x->suspended = NULL;
    if (exchange->session[0] && exchange->error_code == 0) {
        serve_call_add_header(x, "Mcp-Session-Id", bt_str_of(exchange->session));
    } else if (exchange->session[0]) {
        serve_wrap_close_session(x->gateway->conversations.wrap, exchange);
    }
    if (lines.len == 0) {
        return BT_ENOMEM; /* more than a request may hold */
    }
    const enum bt_status status =
        is_one_line(lines)
            ? serve_call_respond_json(x, status_of(talk), bt_str_slice(lines, 0, lines.len - 1))
            : serve_respond_events(x, event, lines);
    exchange_release(x);
    return status;
}

/* Respond with what has arrived, or wait for more. */
static enum bt_status continue_talk(struct serve_wrap_talk *talk)
{
    struct serve_call *x = talk->x;
    struct serve_wrap *wrap = x->gateway->conversations.wrap;
    enum bt_status status = BT_OK;
    struct bt_buf lines;
    bt_buf_init(&lines, OUTPUT_BYTES_MAX);
    bool is_over = serve_wrap_take(wrap, &talk->exchange, &lines);
    if (!is_over && lines.len == 0) {
        x->suspended = talk;
        if (!serve_wrap_park(wrap, &talk->exchange, !talk->was_parked)) {
            is_over = serve_wrap_take(wrap, &talk->exchange, &lines);
        }
        talk->was_parked = true;
    }
    if (is_over) {
        status = respond_answer(talk, bt_buf_str(&lines));
    } else if (lines.len > 0) {
        status = begin_stream(talk, bt_buf_str(&lines));
    }
    bt_buf_free(&lines);
    return status;
}

/* Send the message, and wait for the answer if it is a request. */
static enum bt_status send_message(struct serve_wrap_talk *talk)
{
    struct serve_call *x = talk->x;
    const struct bt_wrap_message *message = &talk->message;
    const bool is_request = message->kind == BT_WRAP_MESSAGE_REQUEST;
    struct bt_buf line;
    if (is_request) {
        talk->exchange = (struct serve_wrap_exchange){
            .call = x->call,
            .number = serve_wrap_next_number(x->gateway->conversations.wrap),
            .client_id = message->id,
            .takes_events = exchange_accepts(x, "text/event-stream"),
            .lists_tools = bt_str_eq(message->method, BT_STR("tools/list"))};
        bt_buf_init(&talk->exchange.output, 2 * talk->target.message_bytes + OUTPUT_SPARE_BYTES);
        bt_buf_init(&talk->events, OUTPUT_BYTES_MAX);
    }
    bt_buf_init(&line, x->request->body.len + ERROR_BYTES_MAX);
    const bool is_sent = put_line(talk, &line);
    enum bt_status status = line.status;
    enum serve_wrap_outcome outcome = SERVE_WRAP_NO_CHANNEL;
    if (line.len > talk->target.message_bytes + 1) { /* by the ids, which are ours now */
        bt_buf_free(&line);
        talk->message.reason = BT_WRAP_REASON_SIZE;
        return respond_unusable(talk);
    }
    if (status == BT_OK && is_sent) {
        outcome = serve_wrap_send(x, &talk->target, bt_buf_str(&line),
                                  is_request ? &talk->exchange : NULL);
    }
    bt_buf_free(&line);
    if (status == BT_OK && is_request && outcome == SERVE_WRAP_SENT) {
        exchange_hold(x, release_talk, talk);
        return continue_talk(talk);
    }
    return status == BT_OK ? respond_outcome(talk, is_sent ? outcome : SERVE_WRAP_SENT) : status;
}

static enum bt_status run(struct serve_call *x)
{
    enum bt_status status = BT_OK;
    if (x->suspended) {
        return continue_talk(x->suspended);
    }
    struct serve_wrap_talk *talk = BT_NEW(x->arena, struct serve_wrap_talk);
    if (!talk) {
        return BT_ENOMEM;
    }
    talk->x = x;
    status = find_server(x, &talk->target);
    if (status == BT_ENOENT) {
        return serve_call_respond_problem(x, BT_PROBLEM_NOT_FOUND);
    }
    BT_TRY(status);
    if (serve_is_read_only(x->gateway)) {
        return serve_call_respond_problem(x, BT_PROBLEM_LEDGER_READ_ONLY);
    }
    if (!read_message(talk, &status)) {
        return status;
    }
    choose_era(talk);
    return check_message(talk, &status) ? send_message(talk) : status;
}

const struct serve_route wrap_routes[] = {
    {.method = HTTP_POST,
     .path = "/wrap/{name}/mcp",
     .operation = "wrapMcp",
     .scopes = BT_SCOPE_SUBMIT,
     .flags = ROUTE_SUBMITS,
     .run = run,
     .takes = "application/json",
     .gives = "application/json text/event-stream",
     .summary = "one message of the Model Context Protocol, for a wrapped server"},
    {.path = NULL},
};
