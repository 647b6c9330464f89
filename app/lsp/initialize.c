/* SPDX-License-Identifier: Apache-2.0 */
/* initialize.c - what both sides can do, workspace folders, and settings of the client. */
#include <baton/version.h>

#include "base/vec.h"
#include "lsp/lsp_internal.h"

/* ---- Settings -------------------------------------------------------------------------------- */

/* Copy an optional text. False: it has another type. */
static bool copy_text(struct lsp_request *request, const bt_json_value *object, const char *name,
                      bt_str *out)
{
    const bt_json_value *value = lsp_get(request, object, name);
    *out = (bt_str){NULL, 0};
    if (!value || bt_json_type(value) == BT_JSON_NULL) {
        return true;
    }
    return bt_json_type(value) == BT_JSON_STRING &&
           bt_arena_copy(&request->server->settings_arena, bt_json_text(value), out) == BT_OK;
}

static bool copy_list(struct lsp_request *request, const bt_json_value *object, const char *name,
                      struct bt_str_list *out)
{
    const bt_json_value *value = lsp_get(request, object, name);
    struct bt_arena *arena = &request->server->settings_arena;
    *out = (struct bt_str_list){NULL, 0};
    if (!value || bt_json_type(value) == BT_JSON_NULL) {
        return true;
    }
    const size_t count = bt_json_count(value);
    bt_str *items = BT_NEW_ARRAY(arena, bt_str, count + 1);
    if (bt_json_type(value) != BT_JSON_ARRAY || !items) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const bt_json_value *item = &bt_json_items(value)[i];
        if (bt_json_type(item) != BT_JSON_STRING ||
            bt_arena_copy(arena, bt_json_text(item), &items[i]) != BT_OK) {
            return false;
        }
    }
    *out = (struct bt_str_list){items, count};
    return true;
}

/* Replace the settings by those of an object; without one nothing is set. False: malformed. */
static bool take_settings(struct lsp_request *request, const bt_json_value *object)
{
    struct lsp_settings *settings = &request->server->settings;
    struct lsp_settings taken;
    bt_arena_reset(&request->server->settings_arena);
    *settings = (struct lsp_settings){.config = {NULL, 0}};
    if (!object || bt_json_type(object) == BT_JSON_NULL) {
        return true;
    }
    if (bt_json_type(object) != BT_JSON_OBJECT ||
        !copy_text(request, object, "config", &taken.config) ||
        !copy_text(request, object, "root", &taken.root) ||
        !copy_text(request, object, "organism", &taken.organism) ||
        !copy_text(request, object, "input", &taken.input) ||
        !copy_list(request, object, "skills", &taken.skills)) {
        return false;
    }
    *settings = taken;
    return true;
}

enum lsp_error lsp_method_change_configuration(struct lsp_request *request)
{
    const bt_json_value *settings = lsp_get(request, request->params, "settings");
    const bt_json_value *own = lsp_get(request, settings, "baton");
    if (own && !take_settings(request, own)) {
        lsp_show_message(request->server,
                         BT_STR("baton: the settings are not used: config, root, organism and "
                                "input are texts, skills is a list of texts"));
    }
    lsp_folders_reload(request->server);
    return LSP_OK;
}

enum lsp_error lsp_method_reload(struct lsp_request *request)
{
    lsp_folders_reload(request->server);
    return LSP_OK;
}

/* ---- Folders --------------------------------------------------------------------------------- */

static void each_folder(struct lsp_request *request, const bt_json_value *list,
                        void (*take)(struct lsp_server *server, bt_str uri))
{
    bt_str uri;
    for (size_t i = 0; list && bt_json_type(list) == BT_JSON_ARRAY && i < bt_json_count(list);
         i++) {
        if (lsp_get_text(request, &bt_json_items(list)[i], "uri", &uri)) {
            take(request->server, uri);
        }
    }
}

enum lsp_error lsp_method_change_folders(struct lsp_request *request)
{
    const bt_json_value *event = lsp_get(request, request->params, "event");
    each_folder(request, lsp_get(request, event, "removed"), lsp_folder_remove);
    each_folder(request, lsp_get(request, event, "added"), lsp_folder_add);
    lsp_folders_reload(request->server);
    return LSP_OK;
}

/* ---- The client ------------------------------------------------------------------------------ */

static bool has_text(const bt_json_value *list, bt_str text)
{
    for (size_t i = 0; list && bt_json_type(list) == BT_JSON_ARRAY && i < bt_json_count(list);
         i++) {
        if (bt_str_eq(bt_json_text(&bt_json_items(list)[i]), text)) {
            return true;
        }
    }
    return false;
}

static void take_capabilities(struct lsp_request *request, const bt_json_value *capabilities)
{
    struct lsp_client *client = &request->server->client;
    const bt_json_value *general = lsp_get(request, capabilities, "general");
    const bt_json_value *documents = lsp_get(request, capabilities, "textDocument");
    const bt_json_value *workspace = lsp_get(request, capabilities, "workspace");
    const bt_json_value *edits = lsp_get(request, workspace, "workspaceEdit");
    const bt_json_value *changes = lsp_get(request, edits, "documentChanges");
    const bt_json_value *pulled = lsp_get(request, documents, "diagnostic");
    client->encoding = has_text(lsp_get(request, general, "positionEncodings"), BT_STR("utf-8"))
                           ? LSP_ENCODING_UTF8
                           : LSP_ENCODING_UTF16;
    client->pulls_diagnostics = pulled && bt_json_type(pulled) == BT_JSON_OBJECT;
    client->has_document_changes = changes && bt_json_type(changes) == BT_JSON_TRUE;
}

/* True when a member is absent, null or of the type. */
static bool is_optional(const struct lsp_request *request, const char *name, enum bt_json_type type)
{
    const bt_json_value *value = lsp_get(request, request->params, name);
    return !value || bt_json_type(value) == BT_JSON_NULL || bt_json_type(value) == type;
}

static void take_folders(struct lsp_request *request)
{
    const bt_json_value *folders = lsp_get(request, request->params, "workspaceFolders");
    bt_str uri;
    if (folders && bt_json_type(folders) == BT_JSON_ARRAY) {
        each_folder(request, folders, lsp_folder_add);
    } else if (lsp_get_text(request, request->params, "rootUri", &uri)) {
        lsp_folder_add(request->server, uri);
    }
}

/* ---- The answer ------------------------------------------------------------------------------ */

static void emit_capabilities(struct bt_emit *emit, const struct lsp_client *client)
{
    bt_emit_member_object(emit, "capabilities");
    bt_emit_member_string(emit, "positionEncoding",
                          client->encoding == LSP_ENCODING_UTF8 ? BT_STR("utf-8")
                                                                : BT_STR("utf-16"));
    bt_emit_member_raw(
        emit, "textDocumentSync",
        BT_STR("{\"openClose\":true,\"change\":2,\"save\":{\"includeText\":false}}"));
    bt_emit_member_raw(emit, "completionProvider",
                       BT_STR("{\"triggerCharacters\":[\"\\\"\",\":\",\",\",\"<\"],"
                              "\"resolveProvider\":false}"));
    bt_emit_member_bool(emit, "hoverProvider", true);
    bt_emit_member_bool(emit, "definitionProvider", true);
    bt_emit_member_raw(emit, "codeActionProvider",
                       BT_STR("{\"codeActionKinds\":[\"quickfix\",\"source.fixAll.baton\"],"
                              "\"resolveProvider\":false}"));
    bt_emit_member_raw(emit, "codeLensProvider", BT_STR("{\"resolveProvider\":false}"));
    bt_emit_member_bool(emit, "documentFormattingProvider", true);
    if (client->pulls_diagnostics) {
        bt_emit_member_raw(emit, "diagnosticProvider",
                           BT_STR("{\"identifier\":\"baton\",\"interFileDependencies\":true,"
                                  "\"workspaceDiagnostics\":false}"));
    }
    bt_emit_member_raw(
        emit, "workspace",
        BT_STR("{\"workspaceFolders\":{\"supported\":true,\"changeNotifications\":true}}"));
    bt_emit_end(emit);
}

enum lsp_error lsp_method_initialize(struct lsp_request *request)
{
    struct lsp_server *server = request->server;
    const bt_json_value *params = request->params;
    const bt_json_value *process = lsp_get(request, params, "processId");
    if (!params || bt_json_type(params) != BT_JSON_OBJECT ||
        !is_optional(request, "processId", BT_JSON_INTEGER) ||
        !is_optional(request, "rootUri", BT_JSON_STRING) ||
        !is_optional(request, "workspaceFolders", BT_JSON_ARRAY) ||
        !is_optional(request, "capabilities", BT_JSON_OBJECT) ||
        !take_settings(request, lsp_get(request, params, "initializationOptions"))) {
        return LSP_INVALID_PARAMS;
    }
    server->client.process_id =
        process && bt_json_type(process) == BT_JSON_INTEGER ? process->as.integer : 0;
    take_capabilities(request, lsp_get(request, params, "capabilities"));
    take_folders(request);
    server->phase = LSP_PHASE_READY;
    struct bt_emit *emit = &request->emit;
    bt_emit_begin_object(emit);
    emit_capabilities(emit, &server->client);
    bt_emit_member_object(emit, "serverInfo");
    bt_emit_member_string(emit, "name", BT_STR("baton"));
    bt_emit_member_string(emit, "version", bt_str_of(bt_version()));
    bt_emit_end(emit);
    bt_emit_end(emit);
    return LSP_OK;
}
