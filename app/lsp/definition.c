/* SPDX-License-Identifier: Apache-2.0 */
/* definition.c - textDocument/definition. The rows of dialects find the target. */
#include "lsp/dialects.h"

enum { URI_BYTES_MAX = 1 << 20 };

enum lsp_error lsp_method_definition(struct lsp_request *request)
{
    struct lsp_target target = {.is_found = false};
    lsp_define_fn *define = lsp_dialect(request->document->judged.dialect)->define;
    struct bt_emit *emit = &request->emit;
    if (define && define(request, &target) != BT_OK) {
        return LSP_INTERNAL_ERROR;
    }
    if (!target.is_found) {
        bt_emit_null(emit);
        return LSP_OK;
    }
    struct bt_buf uri;
    bt_buf_init(&uri, URI_BYTES_MAX);
    const bool is_own = target.path.len == 0;
    if (is_own) {
        bt_buf_put(&uri, request->document->uri);
    } else {
        lsp_uri_put(&uri, target.path);
    }
    struct lsp_cursor cursor =
        lsp_cursor_begin(is_own ? lsp_document_text(request->document) : target.text,
                         request->server->client.encoding);
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "uri", bt_buf_str(&uri));
    bt_emit_name(emit, "range");
    lsp_emit_range(emit, lsp_cursor_range(&cursor, target.span));
    bt_emit_end(emit);
    bt_buf_free(&uri);
    return LSP_OK;
}
