/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operations.c - a request -> its operation -> its answer. One row per method; both bindings.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "a2a/inside.h"

enum { HISTORY_MAX = 1000000 };

/* ---- Params ---------------------------------------------------------------------------------- */

bt_str a2a_source(const struct bt_doc *document, const bt_value *value)
{
    const struct bt_json_span span = bt_json_span(document, value);
    return bt_str_slice(bt_json_source(document), span.begin, span.end);
}

enum bt_status a2a_compact(struct bt_arena *arena, const struct bt_doc *document,
                           const bt_value *value, bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, A2A_TEXT_BYTES_MAX);
    enum bt_status status = bt_json_write(&buf, document, value, BT_JSON_COMPACT, arena, NULL);
    status = status == BT_OK ? bt_buf_keep(&buf, arena, out) : status;
    bt_buf_free(&buf);
    return status;
}

const bt_value *a2a_param(const struct a2a_ask *ask, const char *name)
{
    return ask->params ? bt_json_get(ask->document, ask->params, bt_str_of(name)) : NULL;
}

bt_str a2a_param_text(const struct a2a_ask *ask, const char *name)
{
    const bt_value *value = a2a_param(ask, name);
    return value ? bt_json_text(value) : BT_STR("");
}

bool a2a_param_number(struct a2a_ask *ask, const char *name, const uint64_t range[2], uint64_t *out)
{
    const bt_value *value = a2a_param(ask, name);
    if (!value) {
        return true;
    }
    if (bt_json_type(value) != BT_JSON_INTEGER || value->as.integer < 0 ||
        (uint64_t)value->as.integer < range[0] || (uint64_t)value->as.integer > range[1]) {
        (void)a2a_refuse_field(ask, name, BT_STR("a number that is in range"));
        return false;
    }
    *out = (uint64_t)value->as.integer;
    return true;
}

bool a2a_param_id(struct a2a_ask *ask, bt_str *out)
{
    *out = a2a_param_text(ask, "id");
    if (out->len == 0) {
        (void)a2a_refuse_field(ask, "id", BT_STR("the id of a task"));
    }
    return out->len > 0;
}

/* How much of the history is wanted: of the configuration of a message, or of the params. */
static bool take_view(struct a2a_ask *ask, struct a2a_view *out)
{
    static const uint64_t range[2] = {0, HISTORY_MAX};
    const bt_value *configuration = a2a_param(ask, "configuration");
    struct a2a_ask inner = *ask;
    const bool is_message = ask->operation == A2A_SEND || ask->operation == A2A_STREAM;
    *out = (struct a2a_view){0};
    if (is_message) {
        if (!configuration || bt_json_type(configuration) != BT_JSON_OBJECT) {
            return true;
        }
        inner.params = configuration;
    }
    out->has_history_length = a2a_param(&inner, "historyLength") != NULL;
    const bool fits = a2a_param_number(&inner, "historyLength", range, &out->history_length);
    ask->is_answered = ask->is_answered || inner.is_answered;
    return fits;
}

/* ---- Answers --------------------------------------------------------------------------------- */

/* What is told of a task goes on when that was asked for and there is more to come. */
static enum bt_status open_stream(struct a2a_ask *ask, const struct bt_task *task)
{
    struct a2a_stream *stream = &ask->a2a->told.stream;
    struct a2a_status status;
    struct bt_buf none;
    struct bt_emit emit;
    if (ask->operation != A2A_STREAM && ask->operation != A2A_SUBSCRIBE) {
        return BT_OK;
    }
    BT_TRY(a2a_status_read(ask->a2a, task->state, &status));
    bt_buf_init(&none, A2A_TEXT_BYTES_MAX);
    bt_emit_init(&emit, &none, false);
    bt_emit_array(&emit);
    *stream = (struct a2a_stream){.is_on = true, .binding = ask->binding, .used = ask->a2a->used};
    const enum bt_status counted =
        a2a_put_artifacts(ask->a2a, &emit, task, &status, UINT64_MAX, &stream->artifacts);
    bt_buf_free(&none);
    (void)snprintf(stream->task, sizeof(stream->task), "%.*s", BT_STR_ARG(task->id));
    (void)snprintf(stream->status, sizeof(stream->status), "%.*s %.*s", BT_STR_ARG(status.state),
                   BT_STR_ARG(status.time));
    (void)snprintf(stream->id, sizeof(stream->id), "%.*s", BT_STR_ARG(ask->id));
    return counted;
}

enum bt_status a2a_answer_task(struct a2a_ask *ask, const struct bt_task *task)
{
    const bool is_bare = ask->operation == A2A_GET || ask->operation == A2A_CANCEL;
    struct a2a_view view;
    struct bt_emit emit;
    if (!take_view(ask, &view)) {
        return BT_OK;
    }
    if (!bt_str_eq(task->principal, ask->a2a->caller->actor)) {
        /* Who decides about a task of somebody else sees how it stands, and no document. */
        view = (struct a2a_view){.has_no_artifacts = true, .has_history_length = true};
    }
    bt_buf_clear(&ask->result);
    bt_emit_init(&emit, &ask->result, false);
    if (!is_bare) {
        bt_emit_object(&emit);
        bt_emit_name(&emit, "task");
    }
    BT_TRY(a2a_put_task(ask->a2a, &emit, task, &view));
    if (!is_bare) {
        bt_emit_end(&emit);
    }
    return open_stream(ask, task);
}

/* ---- Operations ------------------------------------------------------------------------------ */

static enum bt_status no_push(struct a2a_ask *ask)
{
    return a2a_refuse(ask, A2A_NO_PUSH, "push notifications are not sent: subscribe to the task");
}

static enum bt_status no_card(struct a2a_ask *ask)
{
    return a2a_refuse(ask, A2A_UNSUPPORTED, "there is no extended card");
}

/* The task that the params name. False after an error, or *out_status says why not. */
static bool find_task(struct a2a_ask *ask, struct bt_task *out, enum bt_status *out_status)
{
    bt_str id;
    *out_status = BT_OK;
    if (!a2a_param_id(ask, &id)) {
        return false;
    }
    const enum bt_status found = a2a_task_find(ask->a2a, id, out);
    *out_status = found == BT_ENOMEM ? found : BT_OK;
    if (found == BT_OK) {
        return true;
    }
    if (found == BT_ENOENT) {
        (void)a2a_refuse(ask, A2A_TASK_UNKNOWN, "there is no such task");
    } else if (found != BT_ENOMEM) {
        (void)a2a_refuse(ask, A2A_INTERNAL, "the store could not be read");
    }
    return false;
}

enum bt_status a2a_get(struct a2a_ask *ask)
{
    struct bt_task task;
    enum bt_status status = BT_OK;
    return find_task(ask, &task, &status) ? a2a_answer_task(ask, &task) : status;
}

enum bt_status a2a_subscribe(struct a2a_ask *ask)
{
    struct a2a_status now;
    struct bt_task task;
    enum bt_status status = BT_OK;
    if (!find_task(ask, &task, &status)) {
        return status;
    }
    BT_TRY(a2a_status_read(ask->a2a, task.state, &now));
    return a2a_is_final(now.state) ? a2a_refuse(ask, A2A_UNSUPPORTED, "the task has ended")
                                   : a2a_answer_task(ask, &task);
}

/* ---- The table ------------------------------------------------------------------------------- */

static const struct row {
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

/* Put the result, unless it is late or was refused. */
static enum bt_status end(struct a2a_ask *ask, enum bt_status status)
{
    struct a2a *a2a = ask->a2a;
    if (a2a->late) {
        return BT_OK;
    }
    status = status == BT_OK ? ask->result.status : status;
    if (status == BT_OK && !ask->is_answered) {
        a2a_put_result(a2a, ask->binding, ask->id, bt_buf_str(&ask->result));
    }
    bt_buf_free(&ask->result);
    return status;
}

static enum bt_status run(struct a2a_ask *ask, const struct row *row)
{
    struct a2a *a2a = ask->a2a;
    ask->operation = row->operation;
    a2a->told.operation = row->label;
    a2a->used |= a2a_extensions_of(a2a->place->extensions);
    bt_buf_init(&ask->result, A2A_TEXT_BYTES_MAX);
    return end(ask, row->run(ask));
}

enum bt_status a2a_go_on(struct a2a *a2a)
{
    assert(a2a->late);
    struct a2a_sending *sending = a2a->late;
    const enum bt_status status = end(a2a_ask_of(sending), a2a_send_end(sending));
    return status == BT_OK ? a2a->out->status : status;
}

/* ---- Bindings -------------------------------------------------------------------------------- */

static bool has_version(struct a2a_ask *ask)
{
    if (bt_str_eq(ask->a2a->place->version, BT_STR("1.0"))) {
        return true;
    }
    (void)a2a_refuse(ask, A2A_VERSION, "A2A-Version: 1.0 is spoken here");
    return false;
}

static enum bt_status read_text(struct a2a_ask *ask, bt_str text)
{
    struct bt_json_options options = bt_json_options_of(ask->a2a->service->env);
    struct bt_json_result read;
    options.document_bytes_max = A2A_TEXT_BYTES_MAX;
    options.string_bytes_max = A2A_TEXT_BYTES_MAX;
    BT_TRY(bt_json_read(ask->a2a->arena, text, &options, &read));
    ask->document = read.document;
    return BT_OK;
}

static bool is_id(const bt_value *id)
{
    return id && (bt_json_type(id) == BT_JSON_STRING || bt_json_type(id) == BT_JSON_INTEGER);
}

static enum bt_status take_call(struct a2a_ask *ask)
{
    static const struct row none = {"", A2A_GET, "other", NULL};
    const bt_value *root = bt_json_root(ask->document);
    const bt_value *id = bt_json_get(ask->document, root, BT_STR("id"));
    const bt_value *method = bt_json_get(ask->document, root, BT_STR("method"));
    const bt_value *version = bt_json_get(ask->document, root, BT_STR("jsonrpc"));
    const bt_value *params = bt_json_get(ask->document, root, BT_STR("params"));
    const struct row *row = &none;
    ask->id = is_id(id) ? a2a_source(ask->document, id) : BT_STR("");
    if (ask->id.len == 0 || ask->id.len >= sizeof(((struct a2a_stream *)NULL)->id) || !version ||
        !bt_str_eq(bt_json_text(version), BT_STR("2.0")) || !method ||
        bt_json_type(method) != BT_JSON_STRING) {
        return a2a_refuse(ask, A2A_INVALID_REQUEST, "this is no JSON-RPC 2.0 request");
    }
    if (!has_version(ask)) {
        return BT_OK;
    }
    for (size_t i = 0; i < ROWS; i++) {
        row = bt_str_eq(bt_json_text(method), bt_str_of(rows[i].method)) ? &rows[i] : row;
    }
    if (!row->run) {
        return a2a_refuse(ask, A2A_UNKNOWN_METHOD, "there is no such method");
    }
    if (params && bt_json_type(params) != BT_JSON_OBJECT) {
        return a2a_refuse_field(ask, "params", BT_STR("an object"));
    }
    ask->params = params;
    return run(ask, row);
}

/* In the arena, where it stays if the request is late. */
static struct a2a_ask *begin(struct a2a *a2a, enum a2a_binding binding)
{
    struct a2a_ask *ask = BT_NEW(a2a->arena, struct a2a_ask);
    a2a->told = (struct a2a_told){.status = 200, .operation = "other", .seq = BT_LEDGER_NONE};
    if (ask) {
        *ask = (struct a2a_ask){.a2a = a2a, .binding = binding, .id = BT_STR("")};
    }
    return ask;
}

enum bt_status a2a_rpc(struct a2a *a2a, bt_str body)
{
    struct a2a_ask *ask = begin(a2a, A2A_JSONRPC);
    if (!ask) {
        return BT_ENOMEM;
    }
    BT_TRY(read_text(ask, body));
    if (!ask->document) {
        return a2a_refuse(ask, A2A_PARSE_ERROR, "this is no JSON");
    }
    if (bt_json_type(bt_json_root(ask->document)) != BT_JSON_OBJECT) {
        return a2a_refuse(ask, A2A_INVALID_REQUEST, "a request is one object");
    }
    const enum bt_status status = take_call(ask);
    return status == BT_OK ? a2a->out->status : status;
}

enum bt_status a2a_http(struct a2a *a2a, enum a2a_operation operation, bt_str params)
{
    struct a2a_ask *ask = begin(a2a, A2A_HTTP);
    if (!ask) {
        return BT_ENOMEM;
    }
    if (!has_version(ask)) {
        return BT_OK;
    }
    BT_TRY(read_text(ask, params));
    if (!ask->document) {
        return a2a_refuse(ask, A2A_PARSE_ERROR, "this is no JSON");
    }
    ask->params = bt_json_root(ask->document);
    if (bt_json_type(ask->params) != BT_JSON_OBJECT) {
        return a2a_refuse_field(ask, "", BT_STR("an object"));
    }
    for (size_t i = 0; i < ROWS; i++) {
        if (rows[i].operation == operation) {
            const enum bt_status status = run(ask, &rows[i]);
            return status == BT_OK ? a2a->out->status : status;
        }
    }
    return a2a_refuse(ask, A2A_UNKNOWN_METHOD, "there is no such operation");
}
