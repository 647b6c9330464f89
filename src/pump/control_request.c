/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control_request.c - a line of the control channel: JSON-RPC 2.0 in, a method called, JSON-RPC 2.0
 * out.
 */
#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "pump/control_query.h"

enum {
    SHOWN_BYTES_MAX = 1 << 26,
    METHOD_SHOWN = 64,
    LINE_BYTES_MAX = 1 << 20,
    PARAMS_MAX = 6,
    WAIT_MS = 100
};

enum bt_status bt_control_call_fail(struct bt_pump_control_call *call, int code,
                                    const char *message)
{
    call->out->error = code;
    call->out->message = bt_str_of(message);
    return BT_OK;
}

enum bt_status bt_control_call_reject(struct bt_pump_control_call *call, const char *message)
{
    return bt_control_call_fail(call, BT_CONTROL_ERROR_INVALID_PARAMS, message);
}

enum bt_status bt_control_call_reject_with(struct bt_pump_control_call *call, const char *message,
                                           const struct bt_buf *data)
{
    BT_TRY(bt_buf_copy(data, call->arena, &call->out->data));
    return bt_control_call_reject(call, message);
}

const bt_json_value *bt_control_call_find_param(const struct bt_pump_control_call *call,
                                                const char *name)
{
    const bt_json_value *value =
        call->params ? bt_json_get(call->document, call->params, bt_str_of(name)) : NULL;
    return value && bt_json_type(value) != BT_JSON_NULL ? value : NULL;
}

bool bt_control_call_find_text(const struct bt_pump_control_call *call, const char *name,
                               bt_str *out)
{
    const bt_json_value *value = bt_control_call_find_param(call, name);
    *out = value ? bt_json_text(value) : BT_STR("");
    return !value || bt_json_type(value) == BT_JSON_STRING;
}

bool bt_control_call_find_number(const struct bt_pump_control_call *call, const char *name,
                                 uint64_t otherwise, uint64_t *out)
{
    const bt_json_value *value = bt_control_call_find_param(call, name);
    *out = otherwise;
    return !value || (bt_json_is_number(value) &&
                      bt_str_to_u64(bt_json_number_text(call->document, value), out) == BT_OK);
}

struct pump_request_method {
    const char *name;
    bt_control_method_fn *put;
    enum pump_control_requirement { NEEDS_FILE, NEEDS_STORE, NEEDS_RUNNING } need;
    const char *params[PARAMS_MAX]; /* that the method knows */
};

static const struct pump_request_method methods[] = {
    {"status", bt_control_method_status, NEEDS_STORE, {NULL}},
    {"list", bt_control_method_list, NEEDS_FILE, {NULL}},
    {"graph", bt_control_method_graph, NEEDS_FILE, {"format", NULL}},
    {"thread-history",
     bt_control_method_history,
     NEEDS_STORE,
     {"thread", "client", "limit", "offset", "payloads", NULL}},
    {"inject",
     bt_control_method_inject,
     NEEDS_RUNNING,
     {"client", "payload", "thread", "message", "message_base64", NULL}},
    {"register", bt_control_method_register, NEEDS_RUNNING, {"listener", NULL}},
    {"unregister", bt_control_method_unregister, NEEDS_RUNNING, {"name", "mode", NULL}},
    {"reload", bt_control_method_reload, NEEDS_RUNNING, {NULL}},
    {"shutdown", bt_control_method_shutdown, NEEDS_RUNNING, {"mode", "timeout_s", NULL}},
    {"events", bt_control_method_events, NEEDS_RUNNING, {"after", NULL}},
};

static const struct pump_request_method *method_called(const struct bt_pump *pump, bt_str name)
{
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        if (bt_str_eq(bt_str_of(methods[i].name), name)) {
            const bool is_there = methods[i].need != NEEDS_RUNNING || pump->hosting.pool;
            return is_there ? &methods[i] : NULL;
        }
    }
    return NULL;
}

/* A misspelled param must not count as absent. */
static bool knows_params(const struct pump_request_method *method, const bt_json_value *params)
{
    const struct bt_json_member *members = params ? bt_json_members(params) : NULL;
    for (size_t i = 0; members && i < bt_json_count(params); i++) {
        size_t k = 0;
        while (method->params[k] &&
               !bt_str_eq(bt_str_of(method->params[k]), bt_json_name(&members[i]))) {
            k++;
        }
        if (!method->params[k]) {
            return false;
        }
    }
    return true;
}

static enum bt_status run_method(struct bt_pump_control_call *call,
                                 const struct pump_request_method *method)
{
    struct bt_buf buf;
    if (!knows_params(method, call->params)) {
        return bt_control_call_reject(call, "the method has no such param");
    }
    bt_buf_init(&buf, SHOWN_BYTES_MAX);
    bt_emit_init(&call->emit, &buf, false);
    enum bt_status status = method->put(call);
    if (status == BT_OK && call->out->error == 0 && !call->is_later) {
        status = bt_buf_copy(&buf, call->arena, &call->out->result);
    }
    bt_buf_free(&buf);
    return status != BT_ELIMIT
               ? status
               : bt_control_call_fail(call, BT_CONTROL_ERROR_BUSY,
                                      "BUSY: the answer is too large, ask for less");
}

struct bt_control_result bt_control_discard_answer(void)
{
    return (struct bt_control_result){
        .result = BT_STR("null"), .message = BT_STR(""), .data = BT_STR("")};
}

enum bt_status bt_pump_query(struct bt_pump *pump, struct bt_arena *arena, bt_str method_name,
                             bt_str params, struct bt_control_result *out)
{
    assert(pump);
    assert(out);
    const struct pump_request_method *method = method_called(pump, method_name);
    struct bt_pump_control_call call = {.pump = pump, .arena = arena, .out = out};
    struct bt_json_read_result read = {.document = NULL};
    *out = bt_control_discard_answer();
    if (params.len > 0) {
        /* from: socket */
        BT_TRY(bt_json_read(arena, params, NULL, &read));
        call.document = read.document;
        call.params = read.document ? bt_json_root(read.document) : NULL;
        if (!call.params || bt_json_type(call.params) != BT_JSON_OBJECT) {
            return bt_control_call_reject(&call, "the params are not a JSON object");
        }
    }
    if (!method || method->need == NEEDS_RUNNING) {
        return bt_control_call_fail(&call, BT_CONTROL_ERROR_METHOD_NOT_FOUND,
                                    "no such method, or not while the pump stands still");
    }
    if (method->need == NEEDS_STORE && !pump->storage.ledger) {
        return BT_ENOENT;
    }
    return run_method(&call, method);
}

struct pump_control_request {
    struct bt_pump_control_call call;
    bt_str method;
};

void bt_control_result_emit(struct bt_emit *emit, const struct bt_control_result *answer)
{
    assert(emit);
    assert(answer);
    if (answer->error == 0) {
        bt_emit_member_raw(emit, "result", answer->result);
    } else {
        bt_emit_member_object(emit, "error");
        bt_emit_name(emit, "code");
        bt_emit_i64(emit, answer->error);
        bt_emit_member_string(emit, "message", answer->message);
        if (answer->data.len > 0) {
            bt_emit_member_raw(emit, "data", answer->data);
        }
        bt_emit_end(emit);
    }
}

void bt_control_client_put_answer(struct bt_buf *out, bt_str id,
                                  const struct bt_control_result *answer)
{
    struct bt_emit emit;
    bt_emit_init(&emit, out, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "jsonrpc", BT_STR("2.0"));
    bt_emit_member_raw(&emit, "id", id);
    bt_control_result_emit(&emit, answer);
    bt_emit_end(&emit);
    bt_buf_put_char(out, '\n');
}

static bool is_id(const bt_json_value *value)
{
    return bt_json_type(value) == BT_JSON_STRING || bt_json_type(value) == BT_JSON_NULL ||
           bt_json_is_number(value);
}

/* True when a document is a request. Its id is read even when it is not. */
static bool take_request(struct pump_control_request *request, const struct bt_json_doc *document)
{
    const bt_json_value *root = bt_json_root(document);
    const bt_json_value *version = bt_json_get(document, root, BT_STR("jsonrpc"));
    const bt_json_value *id = bt_json_get(document, root, BT_STR("id"));
    const bt_json_value *method = bt_json_get(document, root, BT_STR("method"));
    request->call.id = BT_STR("null");
    if (id && is_id(id)) {
        const struct bt_json_span span = bt_json_span(document, id);
        request->call.id = bt_str_slice(bt_json_source(document), span.begin, span.end);
    }
    if (!version || !bt_str_eq(bt_json_text(version), BT_STR("2.0")) || !method ||
        bt_json_type(method) != BT_JSON_STRING || (id && !is_id(id))) {
        return false;
    }
    request->call.id = id ? request->call.id : BT_STR("");
    request->method = bt_json_text(method);
    request->call.document = document;
    request->call.params = bt_json_get(document, root, BT_STR("params"));
    return true;
}

/* Log every request with the user who made it. */
static void log_request(const struct bt_pump *pump, const struct bt_pump_control_line *line,
                        bt_str method)
{
    struct bt_buf text;
    bt_buf_init(&text, 1024);
    bt_buf_printf(&text, "uid %" PRIu64 ": ", line->uid);
    bt_buf_put_printable(&text, method, METHOD_SHOWN);
    bt_pump_log(pump, BT_STR("control"), bt_buf_str(&text));
    bt_buf_free(&text);
}

static enum bt_status answer_line(struct pump_control_request *request,
                                  const struct bt_pump_control_line *line)
{
    struct bt_pump_control_call *call = &request->call;
    struct bt_json_read_result read = {0};
    /* from: socket */
    BT_TRY(bt_json_read(call->arena, line->text, NULL, &read));
    if (!read.document) {
        log_request(call->pump, line, BT_STR("(no JSON)"));
        return bt_control_call_fail(call, BT_CONTROL_ERROR_PARSE, "the line is not JSON");
    }
    if (!take_request(request, read.document)) {
        log_request(call->pump, line, BT_STR("(no request)"));
        return bt_control_call_fail(call, BT_CONTROL_ERROR_INVALID_REQUEST,
                                    "the line is not a request of JSON-RPC 2.0");
    }
    log_request(call->pump, line, request->method);
    const struct pump_request_method *method = method_called(call->pump, request->method);
    if (!method) {
        return bt_control_call_fail(call, BT_CONTROL_ERROR_METHOD_NOT_FOUND, "unknown method");
    }
    if (call->params && bt_json_type(call->params) != BT_JSON_OBJECT) {
        return bt_control_call_reject(call, "the params are not an object");
    }
    return run_method(call, method);
}

enum bt_status bt_pump_handle_control_line(struct bt_pump *pump, struct bt_arena *arena,
                                           const struct bt_pump_control_line *line,
                                           struct bt_buf *out,
                                           struct bt_pump_control_line_result *out_result)
{
    assert(line);
    struct bt_control_result answer = bt_control_discard_answer();
    struct pump_control_request request = {
        .call = {.pump = pump, .arena = arena, .out = &answer, .id = BT_STR("null")}};
    BT_TRY(line->text.len > LINE_BYTES_MAX
               ? bt_control_call_fail(&request.call, BT_CONTROL_ERROR_INVALID_REQUEST,
                                      "the line is over 1 MiB")
               : answer_line(&request, line));
    *out_result = (struct bt_pump_control_line_result){
        .wants_events = request.call.wants_events,
        .events_after = request.call.events_after,
        .ticket = request.call.is_later ? pump->changes.begun : 0,
    };
    if (request.call.id.len > 0 && !request.call.is_later) {
        bt_control_client_put_answer(out, request.call.id, &answer);
    }
    return out->status;
}

static enum bt_status wait_for(struct bt_pump *pump, struct bt_arena *arena, uint64_t ticket,
                               struct bt_buf *out, struct bt_error *error)
{
    uint64_t answered = 0;
    while (answered != ticket) { /* handlers have 10 s each */
        BT_TRY(bt_pump_wait_events(pump, WAIT_MS, error));
        BT_TRY(bt_pump_continue_change(pump, arena, out, &answered));
    }
    return BT_OK;
}

enum bt_status bt_pump_run_control_line(struct bt_pump *pump, struct bt_arena *arena, bt_str line,
                                        bt_str *out, struct bt_error *error)
{
    assert(pump);
    assert(out);
    const struct bt_pump_control_line control_line = {line, geteuid()};
    struct bt_pump_control_line_result result;
    struct bt_buf answer;
    bt_buf_init(&answer, SHOWN_BYTES_MAX);
    enum bt_status status =
        bt_pump_handle_control_line(pump, arena, &control_line, &answer, &result);
    if (status == BT_OK && result.ticket > 0) {
        status = wait_for(pump, arena, result.ticket, &answer, error);
    }
    if (status == BT_OK && answer.len > 0) {
        answer.len--; /* the line feed */
    }
    status = status == BT_OK ? bt_buf_copy(&answer, arena, out) : status;
    bt_buf_free(&answer);
    return status == BT_OK ? BT_OK : bt_error_set(error, status, "%s", bt_status_text(status));
}
