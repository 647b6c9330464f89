/* SPDX-License-Identifier: Apache-2.0 */
/* document.c - open documents: opened, changed, closed; out of sync after an impossible change. */
#include "lsp/lsp_internal.h"

#include <string.h>

#include "base/path.h"

enum { DOCUMENT_ARENA_BYTES = 1 << 20, JUDGED_ARENA_BYTES = 1 << 30 };

struct lsp_document *lsp_document_find(struct lsp_server *server, bt_str uri)
{
    for (size_t i = 0; i < server->documents.count; i++) {
        if (bt_str_eq(server->documents.items[i]->uri, uri)) {
            return server->documents.items[i];
        }
    }
    return NULL;
}

static struct lsp_document *create_document(bt_str uri)
{
    struct bt_arena arena;
    bt_arena_init(&arena, DOCUMENT_ARENA_BYTES);
    struct lsp_document *document = BT_NEW(&arena, struct lsp_document);
    if (!document || bt_arena_copy(&arena, uri, &document->uri) != BT_OK) {
        bt_arena_free(&arena);
        return NULL;
    }
    const bool is_file = lsp_uri_to_path(&arena, uri, &document->path);
    const bool is_name = !is_file && lsp_uri_to_name(&arena, uri, &document->path);
    document->is_ignored =
        is_file ? bt_path_resolve(&arena, document->path, &document->path) != BT_OK : !is_name;
    document->arena = arena;
    bt_buf_init(&document->text, LSP_TEXT_BYTES_MAX);
    bt_buf_init(&document->judged.rendered, JUDGED_ARENA_BYTES);
    bt_arena_init(&document->judged.arena, JUDGED_ARENA_BYTES);
    return document;
}

void lsp_document_destroy(struct lsp_document *document)
{
    bt_buf_free(&document->text);
    bt_buf_free(&document->judged.rendered);
    bt_arena_free(&document->judged.arena);
    struct bt_arena arena = document->arena;
    bt_arena_free(&arena);
}

static size_t count_judged(const struct lsp_server *server)
{
    size_t count = 0;
    for (size_t i = 0; i < server->documents.count; i++) {
        count += !server->documents.items[i]->is_ignored;
    }
    return count;
}

/* Add a document. NULL when not even one that is ignored fits. */
static struct lsp_document *add_document(struct lsp_server *server, bt_str uri)
{
    struct lsp_documents *documents = &server->documents;
    const bool is_full = count_judged(server) >= LSP_DOCUMENTS_MAX;
    struct lsp_document *document =
        documents->count < sizeof(documents->items) / sizeof(documents->items[0])
            ? create_document(uri)
            : NULL;
    if (is_full && !server->has_warned_of_documents) {
        server->has_warned_of_documents = true;
        lsp_show_message(server, BT_STR("baton: more than 1000 documents are open; the others are "
                                        "not checked"));
    }
    if (document) {
        document->is_ignored = document->is_ignored || is_full;
        documents->items[documents->count++] = document;
    }
    return document;
}

static void remove_document(struct lsp_server *server, struct lsp_document *document)
{
    struct lsp_documents *documents = &server->documents;
    size_t index = 0;
    while (documents->items[index] != document) {
        index++;
    }
    documents->count--;
    memmove(&documents->items[index], &documents->items[index + 1],
            (documents->count - index) * sizeof(documents->items[0]));
    lsp_document_destroy(document);
}

/* Set the whole text. */
static void replace_text(struct lsp_document *document, bt_str text)
{
    bt_buf_clear(&document->text);
    lsp_text_replace(&document->text, (struct lsp_span){0, 0}, text);
    document->is_lost = document->text.status != BT_OK;
}

static bool get_version(const struct lsp_request *request, const bt_json_value *document,
                        int64_t *out)
{
    const bt_json_value *version = lsp_get(request, document, "version");
    if (!version || bt_json_type(version) != BT_JSON_INTEGER) {
        return false;
    }
    *out = version->as.integer;
    return true;
}

enum lsp_error lsp_method_did_open(struct lsp_request *request)
{
    struct lsp_server *server = request->server;
    const bt_json_value *params = lsp_get(request, request->params, "textDocument");
    bt_str uri;
    bt_str text;
    int64_t version = 0;
    if (!lsp_get_text(request, params, "uri", &uri) ||
        !lsp_get_text(request, params, "text", &text) || !get_version(request, params, &version)) {
        return LSP_INVALID_PARAMS;
    }
    struct lsp_document *document = lsp_document_find(server, uri);
    document = document ? document : add_document(server, uri);
    if (!document || document->is_ignored) {
        return LSP_OK;
    }
    document->version = version;
    replace_text(document, text);
    document->needs_check = true;
    document->needs_publish = true;
    return LSP_OK;
}

/* Apply one change. False: it is impossible. */
static bool apply_change(struct lsp_request *request, struct lsp_document *document,
                         const bt_json_value *change)
{
    const enum lsp_encoding encoding = request->server->client.encoding;
    const bt_json_value *value = lsp_get(request, change, "range");
    struct lsp_range range;
    struct lsp_span span;
    bt_str text;
    if (!lsp_get_text(request, change, "text", &text)) {
        return false;
    }
    if (!value) {
        replace_text(document, text);
        return !document->is_lost;
    }
    if (document->is_lost || !lsp_get_range(request, value, &range) ||
        lsp_position_compare(range.start, range.end) > 0 ||
        !lsp_offset_of(lsp_document_text(document), encoding, range.start, &span.begin) ||
        !lsp_offset_of(lsp_document_text(document), encoding, range.end, &span.end)) {
        return false;
    }
    lsp_text_replace(&document->text, span, text);
    return document->text.status == BT_OK;
}

static void show_loss(struct lsp_server *server, const struct lsp_document *document)
{
    struct bt_buf text;
    bt_buf_init(&text, LSP_FRAME_BYTES_MAX);
    bt_buf_put_text(&text, "baton: a change of ");
    bt_buf_put_printable(&text, document->uri, BT_ERROR_TEXT_BYTES);
    bt_buf_put_text(&text, " does not fit its text; open it again to have it checked");
    lsp_show_message(server, bt_buf_str(&text));
    bt_buf_free(&text);
}

enum lsp_error lsp_method_did_change(struct lsp_request *request)
{
    const bt_json_value *params = lsp_get(request, request->params, "textDocument");
    const bt_json_value *changes = lsp_get(request, request->params, "contentChanges");
    bt_str uri;
    int64_t version = 0;
    if (!lsp_get_text(request, params, "uri", &uri)) {
        return LSP_INVALID_PARAMS;
    }
    struct lsp_document *document = lsp_document_find(request->server, uri);
    if (!document || document->is_ignored) {
        return LSP_OK;
    }
    const bool was_lost = document->is_lost;
    if (!get_version(request, params, &version) || version <= document->version || !changes ||
        bt_json_type(changes) != BT_JSON_ARRAY) {
        document->is_lost = true;
    }
    document->version = version > document->version ? version : document->version;
    for (size_t i = 0;
         changes && i < bt_json_count(changes) && bt_json_type(changes) == BT_JSON_ARRAY; i++) {
        if (!apply_change(request, document, &bt_json_items(changes)[i])) {
            document->is_lost = true;
        }
    }
    if (document->is_lost && !was_lost) {
        show_loss(request->server, document);
    }
    document->needs_check = true;
    document->needs_publish = !document->is_lost || !was_lost;
    return LSP_OK;
}

enum lsp_error lsp_method_did_close(struct lsp_request *request)
{
    struct lsp_server *server = request->server;
    bt_str uri;
    if (!lsp_get_text(request, lsp_get(request, request->params, "textDocument"), "uri", &uri)) {
        return LSP_INVALID_PARAMS;
    }
    struct lsp_document *document = lsp_document_find(server, uri);
    if (!document) {
        return LSP_OK;
    }
    if (document->was_published || document->needs_publish) {
        lsp_publish_empty(server, uri);
    }
    remove_document(server, document);
    return LSP_OK;
}
