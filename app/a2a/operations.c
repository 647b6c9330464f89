/* SPDX-License-Identifier: Apache-2.0 */
/* operations.c - request -> operation -> answer, for both bindings; one row per method. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "a2a/a2a_internal.h"
#include "json/options.h"

enum { HISTORY_MAX = 1000000 };

/* ---- Params ---------------------------------------------------------------------------------- */

bt_str a2a_value_source(const struct bt_json_doc *document, const bt_json_value *value)
{
    const struct bt_json_span span = bt_json_span(document, value);
    return bt_str_slice(bt_json_source(document), span.begin, span.end);
}

enum bt_status a2a_put_compact(struct bt_arena *arena, const struct bt_json_doc *document,
                               const bt_json_value *value, bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, A2A_TEXT_BYTES_MAX);
    enum bt_status status = bt_json_write(&buf, document, value, BT_JSON_FORM_COMPACT, arena, NULL);
    status = status == BT_OK ? bt_buf_copy(&buf, arena, out) : status;
    bt_buf_free(&buf);
    return status;
}

const bt_json_value *a2a_param(const struct a2a_request *request, const char *name)
{
    return request->params ? bt_json_get(request->document, request->params, bt_str_of(name))
                           : NULL;
}

bt_str a2a_param_text(const struct a2a_request *request, const char *name)
{
    const bt_json_value *value = a2a_param(request, name);
    return value ? bt_json_text(value) : BT_STR("");
}

bool a2a_param_number(struct a2a_request *request, const char *name, const uint64_t range[2],
                      uint64_t *out)
{
    const bt_json_value *value = a2a_param(request, name);
    if (!value) {
        return true;
    }
    if (bt_json_type(value) != BT_JSON_INTEGER || value->as.integer < 0 ||
        (uint64_t)value->as.integer < range[0] || (uint64_t)value->as.integer > range[1]) {
        (void)a2a_respond_field_error(request, name, BT_STR("a number that is in range"));
        return false;
    }
    *out = (uint64_t)value->as.integer;
    return true;
}

bool a2a_param_id(struct a2a_request *request, bt_str *out)
{
    *out = a2a_param_text(request, "id");
    if (out->len == 0) {
        (void)a2a_respond_field_error(request, "id", BT_STR("the id of a task"));
    }
    return out->len > 0;
}

/*
 * Read the requested length of the history, from the configuration of a message or from the params.
 */
static bool take_view(struct a2a_request *request, struct a2a_task_view *out)
{
    static const uint64_t range[2] = {0, HISTORY_MAX};
    const bt_json_value *configuration = a2a_param(request, "configuration");
    struct a2a_request inner = *request;
    const bool is_message = request->operation == A2A_SEND || request->operation == A2A_STREAM;
    *out = (struct a2a_task_view){0};
    if (is_message) {
        if (!configuration || bt_json_type(configuration) != BT_JSON_OBJECT) {
            return true;
        }
        inner.params = configuration;
    }
    out->has_history_length = a2a_param(&inner, "historyLength") != NULL;
    const bool fits = a2a_param_number(&inner, "historyLength", range, &out->history_length);
    request->is_answered = request->is_answered || inner.is_answered;
    return fits;
}

/* ---- Answers --------------------------------------------------------------------------------- */

/* Continue the answer as a stream if that was requested and the task can still change. */
static enum bt_status open_stream(struct a2a_request *request, const struct bt_task *task)
{
    static const struct a2a_artifact_range no_artifacts = {0, 0};
    struct a2a_stream *stream = &request->a2a->outcome.stream;
    struct a2a_status status;
    struct bt_buf none;
    struct bt_emit emit;
    if (request->operation != A2A_STREAM && request->operation != A2A_SUBSCRIBE) {
        return BT_OK;
    }
    BT_TRY(a2a_status_read(request->a2a, task->state, &status));
    bt_buf_init(&none, A2A_TEXT_BYTES_MAX);
    bt_emit_init(&emit, &none, false);
    bt_emit_begin_array(&emit);
    *stream =
        (struct a2a_stream){.is_on = true, .binding = request->binding, .used = request->a2a->used};
    const enum bt_status counted =
        a2a_put_artifacts(request->a2a, &emit, task, &status, &no_artifacts, &stream->artifacts);
    bt_buf_free(&none);
    (void)snprintf(stream->task, sizeof(stream->task), "%.*s", BT_STR_ARG(task->id));
    (void)snprintf(stream->status, sizeof(stream->status), "%.*s %.*s", BT_STR_ARG(status.state),
                   BT_STR_ARG(status.time));
    (void)snprintf(stream->id, sizeof(stream->id), "%.*s", BT_STR_ARG(request->id));
    return counted;
}

enum bt_status a2a_respond_with_task(struct a2a_request *request, const struct bt_task *task)
{
    const bool is_bare = request->operation == A2A_GET || request->operation == A2A_CANCEL;
    struct a2a_task_view view;
    struct bt_emit emit;
    if (!take_view(request, &view)) {
        return BT_OK;
    }
    if (!bt_str_eq(task->principal, request->a2a->caller->actor)) {
        /* A caller that decides about a task of another caller sees its status, but no document. */
        view = (struct a2a_task_view){.has_no_artifacts = true, .has_history_length = true};
    }
    bt_buf_clear(&request->result);
    bt_emit_init(&emit, &request->result, false);
    if (!is_bare) {
        bt_emit_begin_object(&emit);
        bt_emit_name(&emit, "task");
    }
    BT_TRY(a2a_put_task(request->a2a, &emit, task, &view));
    if (!is_bare) {
        bt_emit_end(&emit);
    }
    return open_stream(request, task);
}

/* ---- Operations ------------------------------------------------------------------------------ */

static enum bt_status no_push(struct a2a_request *request)
{
    return a2a_respond_error(request, A2A_NO_PUSH,
                             "push notifications are not sent: subscribe to the task");
}

static enum bt_status no_card(struct a2a_request *request)
{
    return a2a_respond_error(request, A2A_UNSUPPORTED, "this agent has no extended card");
}

/* Find the task that the params name. False after an error, or when *out_status is not BT_OK. */
static bool find_task(struct a2a_request *request, struct bt_task *out, enum bt_status *out_status)
{
    bt_str id;
    *out_status = BT_OK;
    if (!a2a_param_id(request, &id)) {
        return false;
    }
    const enum bt_status found = a2a_task_find(request->a2a, id, out);
    *out_status = found == BT_ENOMEM ? found : BT_OK;
    if (found == BT_OK) {
        return true;
    }
    if (found == BT_ENOENT) {
        (void)a2a_respond_error(request, A2A_TASK_UNKNOWN, "unknown task");
    } else if (found != BT_ENOMEM) {
        (void)a2a_respond_error(request, A2A_INTERNAL, "the store could not be read");
    }
    return false;
}

enum bt_status a2a_get(struct a2a_request *request)
{
    struct bt_task task;
    enum bt_status status = BT_OK;
    return find_task(request, &task, &status) ? a2a_respond_with_task(request, &task) : status;
}

enum bt_status a2a_subscribe(struct a2a_request *request)
{
    struct a2a_status now;
    struct bt_task task;
    enum bt_status status = BT_OK;
    if (!find_task(request, &task, &status)) {
        return status;
    }
    BT_TRY(a2a_status_read(request->a2a, task.state, &now));
    return a2a_is_final(now.state)
               ? a2a_respond_error(request, A2A_UNSUPPORTED, "the task has ended")
               : a2a_respond_with_task(request, &task);
}

/* ---- The table ------------------------------------------------------------------------------- */

static const struct a2a_method_row {
    const char *method;
    enum a2a_operation operation;
    const char *label;
    a2a_run_fn *run;
} rows[] = {
    {"SendMessage", A2A_SEND, "send", a2a_send},
    {"SendStreamingMessage", A2A_STREAM, "stream", a2a_send},
    {"GetTask", A2A_GET, "get", a2a_get},
    {"ListTasks", A2A_LIST, "list", a2a_list},
    {"CancelTask", A2A_CANCEL, "cancel", a2a_cancel},
    {"SubscribeToTask", A2A_SUBSCRIBE, "subscribe", a2a_subscribe},
    {"CreateTaskPushNotificationConfig", A2A_PUSH, "push", no_push},
    {"GetTaskPushNotificationConfig", A2A_PUSH, "push", no_push},
    {"ListTaskPushNotificationConfigs", A2A_PUSH, "push", no_push},
    {"DeleteTaskPushNotificationConfig", A2A_PUSH, "push", no_push},
    {"GetExtendedAgentCard", A2A_CARD, "card", no_card},
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

/* Put the result, unless it is pending or was refused. */
static enum bt_status write_result(struct a2a_request *request, enum bt_status status)
{
    struct a2a *a2a = request->a2a;
    if (a2a->late) {
        return BT_OK;
    }
    status = status == BT_OK ? request->result.status : status;
    if (status == BT_OK && !request->is_answered) {
        a2a_put_result(a2a, request->binding, request->id, bt_buf_str(&request->result));
    }
    bt_buf_free(&request->result);
    return status;
}

static enum bt_status run(struct a2a_request *request, const struct a2a_method_row *row)
{
    struct a2a *a2a = request->a2a;
    request->operation = row->operation;
    a2a->outcome.operation = row->label;
    a2a->used |= a2a_extensions_of(a2a->place->extensions);
    bt_buf_init(&request->result, A2A_TEXT_BYTES_MAX);
    return write_result(request, row->run(request));
}

enum bt_status a2a_resume(struct a2a *a2a)
{
    assert(a2a->late);
    struct a2a_send_state *sending = a2a->late;
    const enum bt_status status = write_result(a2a_request_read(sending), a2a_send_end(sending));
    return status == BT_OK ? a2a->out->status : status;
}

/* ---- Bindings -------------------------------------------------------------------------------- */

static bool has_version(struct a2a_request *request)
{
    if (bt_str_eq(request->a2a->place->version, BT_STR("1.0"))) {
        return true;
    }
    (void)a2a_respond_error(request, A2A_VERSION, "A2A-Version: 1.0 is spoken here");
    return false;
}

static enum bt_status read_text(struct a2a_request *request, bt_str text)
{
    struct bt_json_options options = bt_json_options_from_env(request->a2a->service->env);
    struct bt_json_read_result read = {0};
    options.document_bytes_max = A2A_TEXT_BYTES_MAX;
    options.string_bytes_max = A2A_TEXT_BYTES_MAX;
    /* from: caller */
    BT_TRY(bt_json_read(request->a2a->arena, text, &options, &read));
    request->document = read.document;
    return BT_OK;
}

static bool is_id(const bt_json_value *id)
{
    return id && (bt_json_type(id) == BT_JSON_STRING || bt_json_type(id) == BT_JSON_INTEGER);
}

static enum bt_status take_call(struct a2a_request *request)
{
    static const struct a2a_method_row none = {"", A2A_GET, "other", NULL};
    const bt_json_value *root = bt_json_root(request->document);
    const bt_json_value *id = bt_json_get(request->document, root, BT_STR("id"));
    const bt_json_value *method = bt_json_get(request->document, root, BT_STR("method"));
    const bt_json_value *version = bt_json_get(request->document, root, BT_STR("jsonrpc"));
    const bt_json_value *params = bt_json_get(request->document, root, BT_STR("params"));
    const struct a2a_method_row *row = &none;
    request->id = is_id(id) ? a2a_value_source(request->document, id) : BT_STR("");
    if (request->id.len == 0 || request->id.len >= sizeof(((struct a2a_stream *)NULL)->id) ||
        !version || !bt_str_eq(bt_json_text(version), BT_STR("2.0")) || !method ||
        bt_json_type(method) != BT_JSON_STRING) {
        return a2a_respond_error(request, A2A_INVALID_REQUEST,
                                 "this is not a JSON-RPC 2.0 request");
    }
    if (!has_version(request)) {
        return BT_OK;
    }
    for (size_t i = 0; i < ROWS; i++) {
        row = bt_str_eq(bt_json_text(method), bt_str_of(rows[i].method)) ? &rows[i] : row;
    }
    if (!row->run) {
        return a2a_respond_error(request, A2A_UNKNOWN_METHOD, "unknown method");
    }
    if (params && bt_json_type(params) != BT_JSON_OBJECT) {
        return a2a_respond_field_error(request, "params", BT_STR("an object"));
    }
    request->params = params;
    return run(request, row);
}

/* Make the request in the arena, where it stays if it becomes pending. */
static struct a2a_request *create_request(struct a2a *a2a, enum a2a_binding binding)
{
    struct a2a_request *request = BT_NEW(a2a->arena, struct a2a_request);
    a2a->outcome =
        (struct a2a_outcome){.status = BT_HTTP_OK, .operation = "other", .seq = BT_LEDGER_SEQ_NONE};
    if (request) {
        *request = (struct a2a_request){.a2a = a2a, .binding = binding, .id = BT_STR("")};
    }
    return request;
}

enum bt_status a2a_rpc(struct a2a *a2a, bt_str body)
{
    struct a2a_request *request = create_request(a2a, A2A_JSONRPC);
    if (!request) {
        return BT_ENOMEM;
    }
    BT_TRY(read_text(request, body));
    if (!request->document) {
        return a2a_respond_error(request, A2A_PARSE_ERROR, "this is not JSON");
    }
    if (bt_json_type(bt_json_root(request->document)) != BT_JSON_OBJECT) {
        return a2a_respond_error(request, A2A_INVALID_REQUEST, "a request is one object");
    }
    const enum bt_status status = take_call(request);
    return status == BT_OK ? a2a->out->status : status;
}

enum bt_status a2a_http(struct a2a *a2a, enum a2a_operation operation, bt_str params)
{
    struct a2a_request *request = create_request(a2a, A2A_HTTP);
    if (!request) {
        return BT_ENOMEM;
    }
    if (!has_version(request)) {
        return BT_OK;
    }
    BT_TRY(read_text(request, params));
    if (!request->document) {
        return a2a_respond_error(request, A2A_PARSE_ERROR, "this is not JSON");
    }
    request->params = bt_json_root(request->document);
    if (bt_json_type(request->params) != BT_JSON_OBJECT) {
        return a2a_respond_field_error(request, "", BT_STR("an object"));
    }
    for (size_t i = 0; i < ROWS; i++) {
        if (rows[i].operation == operation) {
            const enum bt_status status = run(request, &rows[i]);
            return status == BT_OK ? a2a->out->status : status;
        }
    }
    return a2a_respond_error(request, A2A_UNKNOWN_METHOD, "unknown operation");
}
