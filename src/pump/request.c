/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.c - a line of the control channel: JSON-RPC 2.0 in, a method called, JSON-RPC 2.0 out.
 */
#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "pump/control.h"

enum {
    SHOWN_BYTES_MAX = 1 << 26,
    METHOD_SHOWN = 64,
    LINE_BYTES_MAX = 1 << 20,
    PARAMS_MAX = 6,
    WAIT_MS = 100
};

/* ---- Params ---------------------------------------------------------------------------------- */

enum bt_status bt_asked_refuse(struct bt_asked *asked, int code, const char *message)
{
    asked->out->error = code;
    asked->out->message = bt_str_of(message);
    return BT_OK;
}

enum bt_status bt_asked_refuse_with(struct bt_asked *asked, const char *message,
                                    const struct bt_buf *data)
{
    BT_TRY(bt_buf_keep(data, asked->arena, &asked->out->data));
    return bt_asked_refuse(asked, BT_CONTROL_PARAMS, message);
}

const bt_value *bt_asked_param(const struct bt_asked *asked, const char *name)
{
    const bt_value *value =
        asked->params ? bt_json_get(asked->document, asked->params, bt_str_of(name)) : NULL;
    return value && bt_json_type(value) != BT_JSON_NULL ? value : NULL;
}

bool bt_asked_text(const struct bt_asked *asked, const char *name, bt_str *out)
{
    const bt_value *value = bt_asked_param(asked, name);
    *out = value ? bt_json_text(value) : BT_STR("");
    return !value || bt_json_type(value) == BT_JSON_STRING;
}

bool bt_asked_number(const struct bt_asked *asked, const char *name, uint64_t usual, uint64_t *out)
{
    const bt_value *value = bt_asked_param(asked, name);
    *out = usual;
    return !value || (bt_json_is_number(value) &&
                      bt_str_to_u64(bt_json_number_text(asked->document, value), out) == BT_OK);
}

/* ---- Methods --------------------------------------------------------------------------------- */

struct method {
    const char *name;
    bt_asked_fn *put;
    enum need { NEEDS_FILE, NEEDS_STORE, NEEDS_RUNNING } need;
    const char *params[PARAMS_MAX]; /* all that it takes */
};

static const struct method methods[] = {
    {"status", bt_asked_status, NEEDS_STORE, {NULL}},
    {"list", bt_asked_list, NEEDS_FILE, {NULL}},
    {"graph", bt_asked_graph, NEEDS_FILE, {"format", NULL}},
    {"thread-history",
     bt_asked_history,
     NEEDS_STORE,
     {"thread", "client", "limit", "offset", "payloads", NULL}},
    {"inject",
     bt_asked_inject,
     NEEDS_RUNNING,
     {"client", "payload", "thread", "message", "message_base64", NULL}},
    {"register", bt_asked_register, NEEDS_RUNNING, {"listener", NULL}},
    {"unregister", bt_asked_unregister, NEEDS_RUNNING, {"name", "mode", NULL}},
    {"reload", bt_asked_reload, NEEDS_RUNNING, {NULL}},
    {"shutdown", bt_asked_shutdown, NEEDS_RUNNING, {"mode", "timeout_s", NULL}},
    {"events", bt_asked_events, NEEDS_RUNNING, {"after", NULL}},
};

static const struct method *method_called(const struct bt_pump *pump, bt_str name)
{
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        if (bt_str_eq(bt_str_of(methods[i].name), name)) {
            const bool is_there = methods[i].need != NEEDS_RUNNING || pump->hosts;
            return is_there ? &methods[i] : NULL;
        }
    }
    return NULL;
}

/* A word that is misspelled must not count as absent. */
static bool knows_params(const struct method *method, const bt_value *params)
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

static enum bt_status call(struct bt_asked *asked, const struct method *method)
{
    struct bt_buf buf;
    if (!knows_params(method, asked->params)) {
        return bt_asked_refuse(asked, BT_CONTROL_PARAMS, "the method has no such param");
    }
    bt_buf_init(&buf, SHOWN_BYTES_MAX);
    bt_emit_init(&asked->emit, &buf, false);
    enum bt_status status = method->put(asked);
    if (status == BT_OK && asked->out->error == 0 && !asked->is_later) {
        status = bt_buf_keep(&buf, asked->arena, &asked->out->result);
    }
    bt_buf_free(&buf);
    return status != BT_ELIMIT ? status
                               : bt_asked_refuse(asked, BT_CONTROL_BUSY,
                                                 "BUSY: the answer is too large, ask for less");
}

struct bt_pump_answer bt_control_no_answer(void)
{
    return (struct bt_pump_answer){
        .result = BT_STR("null"), .message = BT_STR(""), .data = BT_STR("")};
}

enum bt_status bt_pump_ask(struct bt_pump *pump, struct bt_arena *arena, bt_str method_name,
                           bt_str params, struct bt_pump_answer *out)
{
    assert(pump);
    assert(out);
    const struct method *method = method_called(pump, method_name);
    struct bt_asked asked = {.pump = pump, .arena = arena, .out = out};
    struct bt_json_result read = {.document = NULL};
    *out = bt_control_no_answer();
    if (params.len > 0) {
        BT_TRY(bt_json_read(arena, params, NULL, &read));
        asked.document = read.document;
        asked.params = read.document ? bt_json_root(read.document) : NULL;
        if (!asked.params || bt_json_type(asked.params) != BT_JSON_OBJECT) {
            return bt_asked_refuse(&asked, BT_CONTROL_PARAMS, "the params are no JSON object");
        }
    }
    if (!method || method->need == NEEDS_RUNNING) {
        return bt_asked_refuse(&asked, BT_CONTROL_NO_METHOD,
                               "no such method, or not while the pump stands still");
    }
    if (method->need == NEEDS_STORE && !pump->ledger) {
        return BT_ENOENT;
    }
    return call(&asked, method);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

struct request {
    struct bt_asked asked;
    bt_str method;
};

void bt_pump_put_answer(struct bt_emit *emit, const struct bt_pump_answer *answer)
{
    assert(emit);
    assert(answer);
    if (answer->error == 0) {
        bt_emit_name(emit, "result");
        bt_emit_raw(emit, answer->result);
    } else {
        bt_emit_name(emit, "error");
        bt_emit_object(emit);
        bt_emit_name(emit, "code");
        bt_emit_i64(emit, answer->error);
        bt_emit_member_string(emit, "message", answer->message);
        if (answer->data.len > 0) {
            bt_emit_name(emit, "data");
            bt_emit_raw(emit, answer->data);
        }
        bt_emit_end(emit);
    }
}

void bt_control_put_answer(struct bt_buf *out, bt_str id, const struct bt_pump_answer *answer)
{
    struct bt_emit emit;
    bt_emit_init(&emit, out, false);
    bt_emit_object(&emit);
    bt_emit_member_string(&emit, "jsonrpc", BT_STR("2.0"));
    bt_emit_name(&emit, "id");
    bt_emit_raw(&emit, id);
    bt_pump_put_answer(&emit, answer);
    bt_emit_end(&emit);
    bt_buf_put_char(out, '\n');
}

static bool is_id(const bt_value *value)
{
    return bt_json_type(value) == BT_JSON_STRING || bt_json_type(value) == BT_JSON_NULL ||
           bt_json_is_number(value);
}

/* Whether a document is a request. Its id is taken as far as there is one. */
static bool take_request(struct request *request, const struct bt_doc *document)
{
    const bt_value *root = bt_json_root(document);
    const bt_value *version = bt_json_get(document, root, BT_STR("jsonrpc"));
    const bt_value *id = bt_json_get(document, root, BT_STR("id"));
    const bt_value *method = bt_json_get(document, root, BT_STR("method"));
    request->asked.id = BT_STR("null");
    if (id && is_id(id)) {
        const struct bt_json_span span = bt_json_span(document, id);
        request->asked.id = bt_str_slice(bt_json_source(document), span.begin, span.end);
    }
    if (!version || !bt_str_eq(bt_json_text(version), BT_STR("2.0")) || !method ||
        bt_json_type(method) != BT_JSON_STRING || (id && !is_id(id))) {
        return false;
    }
    request->asked.id = id ? request->asked.id : BT_STR("");
    request->method = bt_json_text(method);
    request->asked.document = document;
    request->asked.params = bt_json_get(document, root, BT_STR("params"));
    return true;
}

/* Every request is on record, with whose it is. */
static void note(const struct bt_pump *pump, const struct bt_control_line *line, bt_str method)
{
    struct bt_buf text;
    bt_buf_init(&text, 1024);
    bt_buf_printf(&text, "uid %" PRIu64 ": ", line->uid);
    bt_buf_put_visible(&text, method, METHOD_SHOWN);
    bt_pump_log(pump, BT_STR("control"), bt_buf_str(&text));
    bt_buf_free(&text);
}

static enum bt_status answer_line(struct request *request, const struct bt_control_line *line)
{
    struct bt_asked *asked = &request->asked;
    struct bt_json_result read;
    BT_TRY(bt_json_read(asked->arena, line->text, NULL, &read));
    if (!read.document) {
        note(asked->pump, line, BT_STR("(no JSON)"));
        return bt_asked_refuse(asked, BT_CONTROL_PARSE, "this is no JSON");
    }
    if (!take_request(request, read.document)) {
        note(asked->pump, line, BT_STR("(no request)"));
        return bt_asked_refuse(asked, BT_CONTROL_INVALID, "this is no request of JSON-RPC 2.0");
    }
    note(asked->pump, line, request->method);
    const struct method *method = method_called(asked->pump, request->method);
    if (!method) {
        return bt_asked_refuse(asked, BT_CONTROL_NO_METHOD, "there is no such method");
    }
    if (asked->params && bt_json_type(asked->params) != BT_JSON_OBJECT) {
        return bt_asked_refuse(asked, BT_CONTROL_PARAMS, "the params are no object");
    }
    return call(asked, method);
}

enum bt_status bt_pump_hear_line(struct bt_pump *pump, struct bt_arena *arena,
                                 const struct bt_control_line *line, struct bt_buf *out,
                                 struct bt_control_heard *out_heard)
{
    assert(line);
    struct bt_pump_answer answer = bt_control_no_answer();
    struct request request = {
        .asked = {.pump = pump, .arena = arena, .out = &answer, .id = BT_STR("null")}};
    BT_TRY(line->text.len > LINE_BYTES_MAX
               ? bt_asked_refuse(&request.asked, BT_CONTROL_INVALID, "the line is over 1 MiB")
               : answer_line(&request, line));
    *out_heard = (struct bt_control_heard){
        .wants_events = request.asked.wants_events,
        .events_after = request.asked.events_after,
        .ticket = request.asked.is_later ? pump->changes : 0,
    };
    if (request.asked.id.len > 0 && !request.asked.is_later) {
        bt_control_put_answer(out, request.asked.id, &answer);
    }
    return out->status;
}

static enum bt_status wait_for(struct bt_pump *pump, struct bt_arena *arena, uint64_t ticket,
                               struct bt_buf *out, struct bt_error *error)
{
    uint64_t answered = 0;
    while (answered != ticket) { /* handlers have 10 s each */
        BT_TRY(bt_pump_listen_once(pump, WAIT_MS, error));
        BT_TRY(bt_pump_go_on(pump, arena, out, &answered));
    }
    return BT_OK;
}

enum bt_status bt_pump_request(struct bt_pump *pump, struct bt_arena *arena, bt_str line,
                               bt_str *out, struct bt_error *error)
{
    assert(pump);
    assert(out);
    const struct bt_control_line heard_line = {line, geteuid()};
    struct bt_control_heard heard;
    struct bt_buf answer;
    bt_buf_init(&answer, SHOWN_BYTES_MAX);
    enum bt_status status = bt_pump_hear_line(pump, arena, &heard_line, &answer, &heard);
    if (status == BT_OK && heard.ticket > 0) {
        status = wait_for(pump, arena, heard.ticket, &answer, error);
    }
    if (status == BT_OK && answer.len > 0) {
        answer.len--; /* the line feed */
    }
    status = status == BT_OK ? bt_buf_keep(&answer, arena, out) : status;
    bt_buf_free(&answer);
    return status == BT_OK ? BT_OK : bt_fail(error, status, "%s", bt_status_text(status));
}
