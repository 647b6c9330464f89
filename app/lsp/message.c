/* SPDX-License-Identifier: Apache-2.0 */
/* message.c - the content of a frame -> a row of the table of methods -> an answer. */
#include "base/str.h"
#include "lsp/frame.h"
#include "lsp/lsp_internal.h"

#include "json/options.h"

enum { MESSAGE_ARENA_BYTES = 1 << 30 };

/* ---- Writing --------------------------------------------------------------------------------- */

static void send_message(struct lsp_server *server)
{
    lsp_frame_put(&server->output, bt_buf_str(&server->message));
}

static struct bt_emit begin_message(struct lsp_server *server)
{
    struct bt_emit emit;
    bt_buf_clear(&server->message);
    bt_emit_init(&emit, &server->message, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "jsonrpc", BT_STR("2.0"));
    return emit;
}

struct bt_emit lsp_notification_begin(struct lsp_server *server, const char *method)
{
    struct bt_emit emit = begin_message(server);
    bt_emit_member_string(&emit, "method", bt_str_of(method));
    bt_emit_name(&emit, "params");
    return emit;
}

void lsp_notification_end(struct lsp_server *server, struct bt_emit *emit)
{
    bt_emit_end(emit);
    send_message(server);
}

void lsp_show_message(struct lsp_server *server, bt_str text)
{
    enum { MESSAGE_TYPE_ERROR = 1 };
    struct bt_emit emit = lsp_notification_begin(server, "window/showMessage");
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "type", MESSAGE_TYPE_ERROR);
    bt_emit_member_string(&emit, "message", text);
    bt_emit_end(&emit);
    lsp_notification_end(server, &emit);
}

/* Answer with an error; `id` is JSON. */
static void respond_error(struct lsp_server *server, bt_str id, enum lsp_error code)
{
    static const struct {
        enum lsp_error code;
        const char *message;
    } texts[] = {
        {LSP_PARSE_ERROR, "the content is not JSON"},
        {LSP_INVALID_REQUEST, "not a JSON-RPC 2.0 message, or one that is not allowed now"},
        {LSP_METHOD_NOT_FOUND, "unknown method"},
        {LSP_INVALID_PARAMS, "params have a wrong type, or name a document that is not open"},
        {LSP_INTERNAL_ERROR, "no memory for the answer"},
        {LSP_NOT_INITIALIZED, "the first request must be initialize"},
        {LSP_REQUEST_CANCELLED, "the request was cancelled"},
    };
    const char *message = "";
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        message = texts[i].code == code ? texts[i].message : message;
    }
    struct bt_emit emit = begin_message(server);
    bt_emit_member_raw(&emit, "id", id);
    bt_emit_member_object(&emit, "error");
    bt_emit_name(&emit, "code");
    bt_emit_i64(&emit, code);
    bt_emit_member_string(&emit, "message", bt_str_of(message));
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    send_message(server);
}

static void respond_result(struct lsp_server *server, bt_str id)
{
    struct bt_emit emit = begin_message(server);
    bt_emit_member_raw(&emit, "id", id);
    bt_emit_member_raw(&emit, "result", bt_buf_str(&server->result));
    bt_emit_end(&emit);
    send_message(server);
}

/* ---- Params ---------------------------------------------------------------------------------- */

const bt_json_value *lsp_get(const struct lsp_request *request, const bt_json_value *object,
                             const char *name)
{
    return bt_json_get(request->message, object, bt_str_of(name));
}

bool lsp_get_text(const struct lsp_request *request, const bt_json_value *object, const char *name,
                  bt_str *out)
{
    const bt_json_value *value = lsp_get(request, object, name);
    if (!value || bt_json_type(value) != BT_JSON_STRING) {
        return false;
    }
    *out = bt_json_text(value);
    return true;
}

static bool get_count(const struct lsp_request *request, const bt_json_value *object,
                      const char *name, uint64_t *out)
{
    const bt_json_value *value = lsp_get(request, object, name);
    if (!value || bt_json_type(value) != BT_JSON_INTEGER || value->as.integer < 0) {
        return false;
    }
    *out = (uint64_t)value->as.integer;
    return true;
}

bool lsp_get_position(const struct lsp_request *request, const bt_json_value *value,
                      struct lsp_position *out)
{
    return get_count(request, value, "line", &out->line) &&
           get_count(request, value, "character", &out->character);
}

bool lsp_get_range(const struct lsp_request *request, const bt_json_value *value,
                   struct lsp_range *out)
{
    return lsp_get_position(request, lsp_get(request, value, "start"), &out->start) &&
           lsp_get_position(request, lsp_get(request, value, "end"), &out->end);
}

static void emit_position(struct bt_emit *emit, const char *name, struct lsp_position position)
{
    bt_emit_member_object(emit, name);
    bt_emit_member_u64(emit, "line", position.line);
    bt_emit_member_u64(emit, "character", position.character);
    bt_emit_end(emit);
}

void lsp_emit_range(struct bt_emit *emit, struct lsp_range range)
{
    bt_emit_begin_object(emit);
    emit_position(emit, "start", range.start);
    emit_position(emit, "end", range.end);
    bt_emit_end(emit);
}

void lsp_emit_span(struct lsp_request *request, struct lsp_span span)
{
    struct lsp_cursor cursor =
        lsp_cursor_begin(lsp_document_text(request->document), request->server->client.encoding);
    bt_emit_name(&request->emit, "range");
    lsp_emit_range(&request->emit, lsp_cursor_range(&cursor, span));
}

/* ---- Methods --------------------------------------------------------------------------------- */

enum lsp_method_kind { LSP_NOTIFICATION = 0, LSP_REQUEST };

/* What is found before a method's function is called. */
enum lsp_method_need {
    LSP_NEEDS_NOTHING = 0,
    LSP_NEEDS_DOCUMENT, /* everything is published; a document out of sync is answered with null */
    LSP_NEEDS_POSITION, /* a document, and a position in it */
    LSP_NEEDS_ANY_DOCUMENT, /* the document may be out of sync */
};

static enum lsp_error run_shutdown(struct lsp_request *request)
{
    lsp_server_publish(request->server);
    request->server->phase = LSP_PHASE_SHUT;
    bt_emit_null(&request->emit);
    return LSP_OK;
}

static enum lsp_error run_exit(struct lsp_request *request)
{
    request->server->has_exited = true;
    return LSP_OK;
}

static const struct lsp_method {
    bt_str name;
    lsp_method_fn *run;
    enum lsp_method_kind kind;
    enum lsp_method_need need;
} methods[] = {
    {BT_STR_INIT("initialize"), lsp_method_initialize, LSP_REQUEST, LSP_NEEDS_NOTHING},
    {BT_STR_INIT("shutdown"), run_shutdown, LSP_REQUEST, LSP_NEEDS_NOTHING},
    {BT_STR_INIT("exit"), run_exit, LSP_NOTIFICATION, LSP_NEEDS_NOTHING},
    {BT_STR_INIT("textDocument/didOpen"), lsp_method_did_open, LSP_NOTIFICATION, LSP_NEEDS_NOTHING},
    {BT_STR_INIT("textDocument/didChange"), lsp_method_did_change, LSP_NOTIFICATION,
     LSP_NEEDS_NOTHING},
    {BT_STR_INIT("textDocument/didClose"), lsp_method_did_close, LSP_NOTIFICATION,
     LSP_NEEDS_NOTHING},
    {BT_STR_INIT("textDocument/didSave"), lsp_method_reload, LSP_NOTIFICATION, LSP_NEEDS_NOTHING},
    {BT_STR_INIT("workspace/didChangeWatchedFiles"), lsp_method_reload, LSP_NOTIFICATION,
     LSP_NEEDS_NOTHING},
    {BT_STR_INIT("workspace/didChangeConfiguration"), lsp_method_change_configuration,
     LSP_NOTIFICATION, LSP_NEEDS_NOTHING},
    {BT_STR_INIT("workspace/didChangeWorkspaceFolders"), lsp_method_change_folders,
     LSP_NOTIFICATION, LSP_NEEDS_NOTHING},
    {BT_STR_INIT("textDocument/diagnostic"), lsp_method_diagnostic, LSP_REQUEST,
     LSP_NEEDS_ANY_DOCUMENT},
    {BT_STR_INIT("textDocument/codeAction"), lsp_method_code_action, LSP_REQUEST,
     LSP_NEEDS_DOCUMENT},
    {BT_STR_INIT("textDocument/hover"), lsp_method_hover, LSP_REQUEST, LSP_NEEDS_POSITION},
    {BT_STR_INIT("textDocument/completion"), lsp_method_completion, LSP_REQUEST,
     LSP_NEEDS_POSITION},
    {BT_STR_INIT("textDocument/definition"), lsp_method_definition, LSP_REQUEST,
     LSP_NEEDS_POSITION},
    {BT_STR_INIT("textDocument/formatting"), lsp_method_formatting, LSP_REQUEST,
     LSP_NEEDS_DOCUMENT},
    {BT_STR_INIT("textDocument/codeLens"), lsp_method_code_lens, LSP_REQUEST, LSP_NEEDS_DOCUMENT},
};

static const struct lsp_method *find_method(bt_str name)
{
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        if (bt_str_eq(methods[i].name, name)) {
            return &methods[i];
        }
    }
    return NULL;
}

/* Find the document, and the position if it is needed. *out_done: the answer is null. */
static enum lsp_error find_document(struct lsp_request *request, enum lsp_method_need need,
                                    bool *out_done)
{
    bt_str uri;
    struct lsp_position position;
    *out_done = false;
    if (need == LSP_NEEDS_NOTHING) {
        return LSP_OK;
    }
    if (!lsp_get_text(request, lsp_get(request, request->params, "textDocument"), "uri", &uri)) {
        return LSP_INVALID_PARAMS;
    }
    const bt_json_value *place = lsp_get(request, request->params, "position");
    if (need == LSP_NEEDS_POSITION && !lsp_get_position(request, place, &position)) {
        return LSP_INVALID_PARAMS;
    }
    request->document = lsp_document_find(request->server, uri);
    if (!request->document) {
        return LSP_INVALID_PARAMS;
    }
    lsp_server_publish(request->server);
    if (need == LSP_NEEDS_POSITION) {
        (void)lsp_offset_of(lsp_document_text(request->document), request->server->client.encoding,
                            position, &request->offset);
    }
    const bool is_usable = !request->document->is_lost && !request->document->is_ignored;
    if (is_usable) {
        request->workspace = lsp_folder_enter(request->server, request->document);
    }
    *out_done = need != LSP_NEEDS_ANY_DOCUMENT &&
                (!is_usable || !request->workspace || !request->document->judged.dialect);
    return LSP_OK;
}

/* ---- Cancelling ------------------------------------------------------------------------------ */

/* Find the line of an id among those that are cancelled. */
static bool find_cancelled(const struct lsp_server *server, bt_str id, struct lsp_span *out)
{
    const bt_str ids = bt_buf_str(&server->cancelled);
    for (size_t at = 0; at < ids.len;) {
        const size_t end = bt_str_find_byte(ids, '\n', at);
        if (bt_str_eq(bt_str_slice(ids, at, end), id)) {
            *out = (struct lsp_span){at, end + 1};
            return true;
        }
        at = end + 1;
    }
    return false;
}

/* True when the request was cancelled; its id is dropped. */
static bool take_cancelled(struct lsp_server *server, bt_str id)
{
    struct lsp_span line;
    const bool is_cancelled = find_cancelled(server, id, &line);
    if (is_cancelled) {
        lsp_text_replace(&server->cancelled, line, BT_STR(""));
    }
    return is_cancelled;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static enum bt_status read_content(struct lsp_server *server, struct bt_arena *arena,
                                   bt_str content, struct bt_json_read_result *out)
{
    struct bt_json_options options = bt_json_options_from_env(server->program->env);
    options.document_bytes_max = LSP_FRAME_BYTES_MAX;
    options.string_bytes_max = LSP_FRAME_BYTES_MAX;
    options.nodes_max = LSP_FRAME_BYTES_MAX;
    return bt_json_read(arena, content, &options, out); /* from: caller */
}

/* The id of a request as JSON. False: it is not an id. */
static bool get_id(const struct bt_json_doc *message, const bt_json_value *id, bt_str *out)
{
    if (bt_json_type(id) != BT_JSON_STRING && bt_json_type(id) != BT_JSON_INTEGER) {
        return false;
    }
    const struct bt_json_span span = bt_json_span(message, id);
    *out = bt_str_slice(bt_json_source(message), span.begin, span.end);
    return true;
}

void lsp_note_cancellation(struct lsp_server *server, bt_str content)
{
    enum { CANCELLATION_BYTES_MAX = 4096 };
    const bt_str method = BT_STR("$/cancelRequest");
    struct bt_json_read_result read = {0};
    struct bt_arena arena;
    bt_str id;
    if (content.len > CANCELLATION_BYTES_MAX || bt_str_find(content, method) == content.len) {
        return;
    }
    bt_arena_init(&arena, MESSAGE_ARENA_BYTES);
    if (read_content(server, &arena, content, &read) == BT_OK && read.document) {
        const bt_json_value *root = bt_json_root(read.document);
        const bt_json_value *name = bt_json_get(read.document, root, BT_STR("method"));
        const bt_json_value *params = bt_json_get(read.document, root, BT_STR("params"));
        const bt_json_value *value = bt_json_get(read.document, params, BT_STR("id"));
        if (name && bt_str_eq(bt_json_text(name), method) && value &&
            get_id(read.document, value, &id)) {
            bt_buf_put(&server->cancelled, id);
            bt_buf_put_char(&server->cancelled, '\n');
        }
    }
    bt_arena_free(&arena);
    if (server->cancelled.status != BT_OK) {
        bt_buf_clear(&server->cancelled); /* a request that is not cancelled is answered */
    }
}

/* A cancellation whose request was answered before it. */
static void drop_cancellation(struct lsp_request *request)
{
    const bt_json_value *value = lsp_get(request, request->params, "id");
    bt_str id;
    if (value && get_id(request->message, value, &id)) {
        (void)take_cancelled(request->server, id);
    }
}

/* ---- Handling -------------------------------------------------------------------------------- */

static void handle_notification(struct lsp_request *request, bt_str name)
{
    struct lsp_server *server = request->server;
    const struct lsp_method *method = find_method(name);
    if (bt_str_eq(name, BT_STR("$/cancelRequest"))) {
        drop_cancellation(request);
    }
    if (method && method->kind == LSP_NOTIFICATION &&
        (server->phase == LSP_PHASE_READY || method->run == run_exit)) {
        (void)method->run(request);
    }
}

/* Whether a request may be made in this phase. */
static enum lsp_error check_phase(const struct lsp_server *server, const struct lsp_method *method)
{
    const bool is_initialize = method && method->run == lsp_method_initialize;
    if (server->phase == LSP_PHASE_NEW) {
        return is_initialize ? LSP_OK : LSP_NOT_INITIALIZED;
    }
    return server->phase == LSP_PHASE_SHUT || is_initialize ? LSP_INVALID_REQUEST : LSP_OK;
}

static enum lsp_error run_request(struct lsp_request *request, bt_str id, bt_str name)
{
    struct lsp_server *server = request->server;
    const struct lsp_method *method = find_method(name);
    const bool is_cancelled = take_cancelled(server, id);
    enum lsp_error error = check_phase(server, method);
    if (error != LSP_OK) {
        return error;
    }
    if (!method || method->kind != LSP_REQUEST) {
        return LSP_METHOD_NOT_FOUND;
    }
    if (is_cancelled) {
        return LSP_REQUEST_CANCELLED;
    }
    bool is_done = false;
    error = find_document(request, method->need, &is_done);
    if (error != LSP_OK) {
        return error;
    }
    bt_buf_clear(&server->result);
    bt_emit_init(&request->emit, &server->result, false);
    if (is_done) {
        bt_emit_null(&request->emit);
        return LSP_OK;
    }
    error = method->run(request);
    return error == LSP_OK && server->result.status != BT_OK ? LSP_INTERNAL_ERROR : error;
}

static bool is_response(const struct lsp_request *request, const bt_json_value *root)
{
    return lsp_get(request, root, "id") &&
           (lsp_get(request, root, "result") || lsp_get(request, root, "error"));
}

static void handle_document(struct lsp_request *request)
{
    const bt_json_value *root = bt_json_root(request->message);
    const bt_json_value *id_value = lsp_get(request, root, "id");
    bt_str version = BT_STR("");
    bt_str name;
    bt_str id = BT_STR("null");
    if (!lsp_get_text(request, root, "jsonrpc", &version) || !bt_str_eq(version, BT_STR("2.0")) ||
        (id_value && bt_json_type(id_value) != BT_JSON_NULL &&
         !get_id(request->message, id_value, &id))) {
        respond_error(request->server, BT_STR("null"), LSP_INVALID_REQUEST);
        return;
    }
    if (!lsp_get_text(request, root, "method", &name)) {
        if (!is_response(request, root)) {
            respond_error(request->server, BT_STR("null"), LSP_INVALID_REQUEST);
        }
        return;
    }
    request->params = lsp_get(request, root, "params");
    if (request->params && bt_json_type(request->params) == BT_JSON_NULL) {
        request->params = NULL;
    }
    const bool is_structured = !request->params || bt_json_type(request->params) >= BT_JSON_ARRAY;
    if (!id_value) {
        if (is_structured) {
            handle_notification(request, name);
        }
        return;
    }
    const enum lsp_error error = bt_str_eq(id, BT_STR("null")) ? LSP_INVALID_REQUEST
                                 : is_structured               ? run_request(request, id, name)
                                                               : LSP_INVALID_PARAMS;
    if (error == LSP_OK) {
        respond_result(request->server, id);
    } else {
        respond_error(request->server, id, error);
    }
}

void lsp_handle_message(struct lsp_server *server, bt_str content)
{
    struct bt_arena arena;
    struct bt_json_read_result read = {0};
    bt_arena_init(&arena, MESSAGE_ARENA_BYTES);
    if (read_content(server, &arena, content, &read) != BT_OK) {
        respond_error(server, BT_STR("null"), LSP_INTERNAL_ERROR);
    } else if (!read.document) {
        respond_error(server, BT_STR("null"), LSP_PARSE_ERROR);
    } else {
        struct lsp_request request = {.server = server, .arena = &arena, .message = read.document};
        handle_document(&request);
    }
    bt_arena_free(&arena);
}
