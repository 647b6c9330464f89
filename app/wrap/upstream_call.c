/* SPDX-License-Identifier: Apache-2.0 */
/* upstream_call.c - one message of the client as a request over HTTP, and what becomes of it. */
#define _GNU_SOURCE /* struct addrinfo */
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "base/clock.h"
#include "net/dns.h"
#include "operation/rule_codes.h"
#include "wrap/upstream_state.h"

enum {
    STATUS_OK = 200,
    STATUS_REDIRECT = 300,
    STATUS_ERROR = 400,
    STATUS_NOT_FOUND = 404,
    STATUS_SERVER_ERROR = 500,
    ERROR_ANSWER = -31002,
};

/* ---- Texts and lines ------------------------------------------------------------------------- */

static bt_str text_str(const struct upstream_text *text)
{
    return (bt_str){text->bytes, text->size};
}

/* A text that does not fit, or cannot be a field, is as good as none. */
static void set_text(struct upstream_text *text, bt_str value)
{
    text->size = 0;
    if (value.len <= sizeof(text->bytes) && bt_http_field_value_is_valid(value)) {
        memcpy(text->bytes, value.ptr, value.len);
        text->size = value.len;
    }
}

/* Pass a message on as one line: line ends between its tokens become blanks. */
static void put_line(struct upstream_state *state, bt_str message)
{
    char *room = bt_buf_reserve(&state->pipes.output, message.len + 1);
    if (!room) {
        return;
    }
    for (size_t i = 0; i < message.len; i++) {
        const char byte = message.ptr[i];
        room[i] = byte == '\n' || byte == '\r' ? ' ' : byte;
    }
    if (message.len > 0 && room[0] == BT_WRAP_NOTE) {
        room[0] = '?';
    }
    room[message.len] = '\n';
    state->pipes.output.len += message.len + 1;
}

/* Say why a request failed, and answer it. `status` 0: there is a reason instead. */
static void put_failure(struct upstream_state *state, struct upstream_call *call, unsigned status,
                        const char *reason)
{
    struct bt_buf *out = &state->pipes.output;
    bt_buf_put_char(out, BT_WRAP_NOTE);
    if (status > 0) {
        bt_buf_printf(out, "%u\n", status);
    } else {
        bt_buf_printf(out, "%s\n", reason);
    }
    if (call->use != USE_REQUEST) {
        return;
    }
    call->is_answered = true;
    bt_buf_put_text(out, "{\"jsonrpc\":\"2.0\",\"id\":");
    bt_wrap_id_put(out, &call->id);
    bt_buf_printf(out,
                  ",\"error\":{\"code\":%d,\"message\":\"the HTTP server failed\",\"data\":"
                  "{\"baton\":{\"code\":\"%.*s\"}}}}\n",
                  ERROR_ANSWER, BT_STR_ARG(bt_code_name(BT_CODE_WRAP_UPSTREAM)));
}

/* ---- Requests -------------------------------------------------------------------------------- */

static struct upstream_call *add_call(struct upstream_state *state, enum upstream_use use)
{
    struct upstream_call *call = calloc(1, sizeof(*call));
    if (!call) {
        state->is_over = true;
        state->exit_status = 1;
        return NULL;
    }
    call->use = use;
    call->next = state->calls;
    state->calls = call;
    state->count++;
    wrap_event_stream_init(&call->events, state->upstream->message_bytes + UPSTREAM_READ_BYTES);
    return call;
}

void upstream_remove_call(struct upstream_state *state, struct upstream_call *call)
{
    struct upstream_call **link = &state->calls;
    while (*link != call) {
        link = &(*link)->next;
    }
    *link = call->next;
    state->count--;
    state->last = state->last == call ? NULL : state->last;
    http_fetch_free(&call->fetch);
    wrap_event_stream_free(&call->events);
    free(call);
}

/* The addresses of the host, which are looked up once, and again after a failure. */
static bool find_addresses(struct upstream_state *state)
{
    const struct http_url *where = &state->upstream->where;
    const char *why = NULL;
    if (state->peer.addresses) {
        return true;
    }
    bt_dns_free(state->peer.names);
    state->peer.names = NULL;
    if (bt_dns_start(where->host, where->port, &state->peer.names) == BT_OK &&
        bt_dns_wait(state->peer.names, bt_clock_monotonic_ms() + UPSTREAM_CONNECT_MS)) {
        state->peer.addresses = bt_dns_addresses(state->peer.names, &why);
    }
    return state->peer.addresses != NULL;
}

static void put_head(const struct upstream_state *state, struct bt_buf *buf, const char *method)
{
    const struct wrap_upstream *upstream = state->upstream;
    bt_buf_printf(buf, "%s %.*s HTTP/1.1\r\nHost: %.*s\r\nConnection: close\r\n%.*s", method,
                  BT_STR_ARG(upstream->path), BT_STR_ARG(upstream->where.authority),
                  BT_STR_ARG(upstream->fields));
    if (state->peer.version.size > 0) {
        bt_buf_printf(buf, "MCP-Protocol-Version: %.*s\r\n",
                      BT_STR_ARG(text_str(&state->peer.version)));
    }
}

static void put_session(const struct upstream_state *state, struct upstream_call *call,
                        struct bt_buf *buf)
{
    if (state->peer.session.size > 0) {
        bt_buf_printf(buf, "Mcp-Session-Id: %.*s\r\n", BT_STR_ARG(text_str(&state->peer.session)));
        call->has_session = true;
    }
}

/* Send what was put; the buffer is empty afterwards. */
static void begin_fetch(struct upstream_state *state, struct upstream_call *call,
                        struct bt_buf *request)
{
    const struct wrap_upstream *upstream = state->upstream;
    const bool is_known = find_addresses(state);
    const struct http_fetch_target target = {
        .addresses = state->peer.addresses, .tls = state->peer.tls, .host = upstream->where.host};
    http_fetch_begin(&call->fetch, &target, request, upstream->message_bytes + UPSTREAM_READ_BYTES);
    if (!is_known) {
        http_fetch_fail(&call->fetch, "the host has no address");
    }
}

static void send_message(struct upstream_state *state, struct upstream_call *call,
                         const struct bt_wrap_message *message, bt_str line)
{
    struct bt_buf request;
    bt_buf_init(&request, state->upstream->message_bytes + UPSTREAM_READ_BYTES);
    put_head(state, &request, "POST");
    if (call->is_modern) {
        wrap_upstream_put_fields(&request, &state->peer.params, message);
    } else {
        put_session(state, call, &request);
    }
    bt_buf_printf(&request,
                  "Accept: application/json, text/event-stream\r\n"
                  "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
                  line.len);
    bt_buf_put(&request, line);
    begin_fetch(state, call, &request);
    bt_buf_free(&request);
}

/* A request without a body: the stream of the server's messages, or the end of the session. */
void upstream_send_plain(struct upstream_state *state, enum upstream_use use)
{
    struct upstream_call *call = add_call(state, use);
    struct bt_buf request;
    if (!call) {
        return;
    }
    bt_buf_init(&request, UPSTREAM_READ_BYTES);
    put_head(state, &request, use == USE_STREAM ? "GET" : "DELETE");
    put_session(state, call, &request);
    if (use == USE_STREAM && state->peer.event_id.size > 0) {
        bt_buf_printf(&request, "Last-Event-ID: %.*s\r\n",
                      BT_STR_ARG(text_str(&state->peer.event_id)));
    }
    bt_buf_put_text(&request, use == USE_STREAM ? "Accept: text/event-stream\r\n\r\n" : "\r\n");
    begin_fetch(state, call, &request);
    bt_buf_free(&request);
}

/* ---- Lines of the client --------------------------------------------------------------------- */

/* A modern request is cancelled by closing its stream. */
static void cancel_request(struct upstream_state *state, const struct bt_wrap_message *message)
{
    const bt_json_value *value =
        bt_json_get(message->document, message->params, BT_STR("requestId"));
    struct bt_wrap_id id;
    if (!value || !bt_wrap_id_read(message->document, value, &id)) {
        return;
    }
    for (struct upstream_call *call = state->calls; call; call = call->next) {
        if (call->use == USE_REQUEST && bt_wrap_ids_equal(&call->id, &id)) {
            upstream_remove_call(state, call);
            return;
        }
    }
}

/* Note what the answer to a message will mean. */
static void describe_call(struct upstream_call *call, const struct bt_wrap_message *message)
{
    call->id = message->id;
    call->is_handshake = bt_str_eq(message->method, BT_STR("initialize"));
    call->is_initialized = bt_str_eq(message->method, BT_STR("notifications/initialized"));
    call->is_tools_list = bt_str_eq(message->method, BT_STR("tools/list"));
    call->is_listening = bt_str_eq(message->method, BT_STR("subscriptions/listen"));
}

/* Forget the session: its stream is closed, and the next one is negotiated anew. */
static void forget_session(struct upstream_state *state)
{
    struct upstream_call *next = NULL;
    for (struct upstream_call *call = state->calls; call; call = next) {
        next = call->next;
        if (call->use == USE_STREAM) {
            upstream_remove_call(state, call);
        }
    }
    state->stream_ms = 0;
    state->peer.version.size = 0;
    state->peer.session.size = 0;
    state->peer.event_id.size = 0;
}

/* What a client sends besides requests names no version. */
static void note_era(struct upstream_state *state, const struct bt_wrap_message *message)
{
    const bt_str version = wrap_upstream_version(message);
    if (message->kind != BT_WRAP_MESSAGE_REQUEST) {
        return;
    }
    state->peer.is_modern = version.len > 0;
    if (state->peer.is_modern) {
        set_text(&state->peer.version, version);
    } else if (bt_str_eq(message->method, BT_STR("initialize"))) {
        forget_session(state);
    }
}

void upstream_take_line(struct upstream_state *state, bt_str line)
{
    const struct wrap_upstream *upstream = state->upstream;
    struct bt_wrap_message message;
    bt_arena_reset(&state->arena);
    if (bt_wrap_message_read(&state->arena, upstream->env, line, upstream->message_bytes,
                             &message) != BT_OK ||
        message.kind == BT_WRAP_MESSAGE_NONE) {
        return; /* the session passes messages only */
    }
    note_era(state, &message);
    if (state->peer.is_modern && bt_str_eq(message.method, BT_STR("notifications/cancelled"))) {
        cancel_request(state, &message);
        return;
    }
    struct upstream_call *call =
        add_call(state, message.kind == BT_WRAP_MESSAGE_REQUEST ? USE_REQUEST : USE_OTHER);
    if (call) {
        call->is_modern = state->peer.is_modern;
        describe_call(call, &message);
        send_message(state, call, &message, line);
        state->last = call;
    }
}

/* ---- Answers --------------------------------------------------------------------------------- */

/* The session is gone: nothing that follows can succeed. */
static void lose_session(struct upstream_state *state)
{
    state->is_over = true;
    state->exit_status = 1;
}

static bool has_type(const struct upstream_call *call, bt_str type)
{
    const bt_str field = http_fetch_field(&call->fetch, BT_STR("content-type"));
    const bt_str given = bt_str_slice(field, 0, type.len);
    const bt_str ends = BT_STR("; \t");
    return bt_ascii_equal_nocase(given, type) &&
           (field.len == type.len || bt_str_find_byte(ends, field.ptr[type.len], 0) < ends.len);
}

static void note_handshake(struct upstream_state *state, const struct bt_wrap_message *answer)
{
    const bt_json_value *version =
        bt_json_get(answer->document, answer->result, BT_STR("protocolVersion"));
    if (version) {
        set_text(&state->peer.version, bt_json_text(version));
    }
}

/* Note the answer to the call's own request. False: the text is something else. */
static bool note_answer(struct upstream_state *state, struct upstream_call *call, bt_str text)
{
    struct bt_wrap_message message;
    bt_arena_reset(&state->arena);
    if (call->use != USE_REQUEST ||
        bt_wrap_message_read(&state->arena, state->upstream->env, text,
                             state->upstream->message_bytes, &message) != BT_OK ||
        message.kind != BT_WRAP_MESSAGE_RESPONSE || !bt_wrap_ids_equal(&message.id, &call->id)) {
        return false;
    }
    call->is_answered = true;
    if (call->is_handshake) {
        note_handshake(state, &message);
    }
    if (call->is_tools_list) {
        wrap_params_note(&state->peer.params, &message);
    }
    return true;
}

/* Pass a body on that is the answer to the request. False: it is something else. */
static bool pass_answer(struct upstream_state *state, struct upstream_call *call, bt_str body)
{
    if (!note_answer(state, call, body)) {
        return false;
    }
    put_line(state, body);
    return true;
}

/* Pass the error of a body on that is one. False: it is none. */
static bool pass_error(struct upstream_state *state, struct upstream_call *call, bt_str body)
{
    struct bt_json_read_result read = {0};
    bt_arena_reset(&state->arena);
    /* from: the HTTP server */
    if (bt_json_read(&state->arena, body, NULL, &read) != BT_OK || !read.document) {
        return false;
    }
    const bt_json_value *root = bt_json_root(read.document);
    const bt_json_value *error = bt_json_get(read.document, root, BT_STR("error"));
    const bt_json_value *id = bt_json_get(read.document, root, BT_STR("id"));
    struct bt_wrap_id named;
    if (!error || bt_json_type(error) != BT_JSON_OBJECT ||
        !bt_json_get(read.document, error, BT_STR("code"))) {
        return false;
    }
    if (id && bt_wrap_id_read(read.document, id, &named)) {
        return pass_answer(state, call, body);
    }
    const struct bt_json_span span = bt_json_span(read.document, error);
    struct bt_buf answer; /* an error without an id can only be about this request */
    bt_buf_init(&answer, body.len + UPSTREAM_READ_BYTES);
    bt_buf_put_text(&answer, "{\"jsonrpc\":\"2.0\",\"id\":");
    bt_wrap_id_put(&answer, &call->id);
    bt_buf_put_text(&answer, ",\"error\":");
    bt_buf_put(&answer, bt_str_slice(body, span.begin, span.end));
    bt_buf_put_char(&answer, '}');
    put_line(state, bt_buf_str(&answer));
    bt_buf_free(&answer);
    call->is_answered = true;
    return true;
}

static void take_head(struct upstream_state *state, struct upstream_call *call)
{
    const unsigned status = call->fetch.status;
    call->has_head = true;
    call->is_events = status == STATUS_OK && has_type(call, BT_STR("text/event-stream"));
    if (call->has_session && status == STATUS_NOT_FOUND && call->use != USE_END) {
        lose_session(state);
    } else if (call->is_handshake && status < STATUS_REDIRECT) {
        set_text(&state->peer.session, http_fetch_field(&call->fetch, BT_STR("mcp-session-id")));
    } else if (call->use == USE_OTHER && status >= STATUS_REDIRECT) {
        put_failure(state, call, status, NULL);
    } else if (call->is_initialized && !call->is_modern && state->stream_ms == 0) {
        state->stream_ms = bt_clock_monotonic_ms();
    }
}

static void take_events(struct upstream_state *state, struct upstream_call *call)
{
    bt_str event;
    wrap_event_stream_add(&call->events, bt_buf_str(&call->fetch.body));
    bt_buf_clear(&call->fetch.body);
    while (wrap_event_stream_next(&call->events, &event)) {
        if (event.len > 0) { /* servers send an empty event so that clients learn its id */
            (void)note_answer(state, call, event);
            put_line(state, event);
        }
        if (call->use == USE_STREAM && call->events.knows_id) {
            set_text(&state->peer.event_id, (bt_str){call->events.id, call->events.id_size});
        }
    }
    if (wrap_event_stream_is_broken(&call->events)) {
        http_fetch_fail(&call->fetch, "a message is too long");
    }
}

/* The answer to a request of the client is complete, or will not be. */
static void end_request(struct upstream_state *state, struct upstream_call *call)
{
    const struct http_fetch *fetch = &call->fetch;
    const bt_str body = bt_buf_str(&fetch->body);
    if (call->is_answered) {
        return;
    }
    if (fetch->stage == HTTP_FETCH_FAILED) {
        put_failure(state, call, 0, fetch->failure);
    } else if (fetch->status >= STATUS_ERROR) {
        if (!pass_error(state, call, body)) {
            put_failure(state, call, fetch->status, NULL);
        }
    } else if (fetch->status >= STATUS_REDIRECT || fetch->status != STATUS_OK) {
        put_failure(state, call, fetch->status, NULL);
    } else if (!call->is_events && has_type(call, BT_STR("application/json"))) {
        if (!pass_answer(state, call, body)) {
            put_failure(state, call, 0, "the body is not the answer to the request");
        }
    } else {
        put_failure(state, call, 0,
                    call->is_events ? "the stream ended without an answer"
                                    : "the answer is neither JSON nor an event stream");
    }
}

/* Try again after a loss, unless the server has no such stream. */
static void end_stream(struct upstream_state *state, const struct upstream_call *call)
{
    const unsigned status = call->fetch.status;
    const bool is_refused =
        call->has_head && status >= STATUS_REDIRECT && status < STATUS_SERVER_ERROR;
    state->stream_ms = is_refused || (call->has_head && status == STATUS_OK && !call->is_events)
                           ? 0
                           : bt_clock_monotonic_ms() + UPSTREAM_REOPEN_MS;
}

static void end_call(struct upstream_state *state, struct upstream_call *call)
{
    if (call->fetch.stage == HTTP_FETCH_FAILED && !call->has_head) {
        state->peer.addresses = NULL; /* they may have changed */
    }
    if (call->use == USE_REQUEST) {
        end_request(state, call);
    } else if (call->use == USE_STREAM) {
        end_stream(state, call);
    } else if (call->use == USE_END) {
        state->is_over = true;
    } else if (call->fetch.stage == HTTP_FETCH_FAILED && !call->has_head) {
        put_failure(state, call, 0, call->fetch.failure);
    }
    upstream_remove_call(state, call);
}

/* Take what has arrived. */
void upstream_step_call(struct upstream_state *state, struct upstream_call *call)
{
    const uint64_t now = bt_clock_monotonic_ms();
    const uint64_t limit =
        call->fetch.stage <= HTTP_FETCH_SENDING ? UPSTREAM_CONNECT_MS : state->upstream->idle_ms;
    http_fetch_step(&call->fetch);
    if (!http_fetch_has_ended(&call->fetch) && now >= call->fetch.last_ms + limit) {
        http_fetch_fail(&call->fetch, call->fetch.stage <= HTTP_FETCH_SENDING
                                          ? "no connection in time"
                                          : "no answer in time");
    }
    if (!call->has_head && call->fetch.head.len > 0 &&
        (call->fetch.stage == HTTP_FETCH_BODY || call->fetch.stage == HTTP_FETCH_COMPLETE)) {
        take_head(state, call);
    }
    if (state->is_over) {
        return; /* the proxy answers what is open */
    }
    if (call->is_events) {
        take_events(state, call);
    }
    /* What follows an answer on its stream would belong to nobody. */
    if (http_fetch_has_ended(&call->fetch) || (call->is_events && call->is_answered)) {
        end_call(state, call);
    }
}
