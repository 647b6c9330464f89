/* SPDX-License-Identifier: Apache-2.0 */
/* formatting.c - textDocument/formatting: the pretty form of a document. */
#include "lsp/dialects.h"

#include "json/options.h"

enum { FORMATTED_BYTES_MAX = 1 << 30, TAB_SIZE_MAX = 16, PRETTY_INDENT = 2 };

/* How a level is indented. */
struct lsp_indent {
    char byte;
    size_t count;
};

static bool get_indent(const struct lsp_request *request, struct lsp_indent *out)
{
    const bt_json_value *options = lsp_get(request, request->params, "options");
    const bt_json_value *size = lsp_get(request, options, "tabSize");
    const bt_json_value *spaces = lsp_get(request, options, "insertSpaces");
    if (!size || bt_json_type(size) != BT_JSON_INTEGER || size->as.integer < 0 || !spaces ||
        (bt_json_type(spaces) != BT_JSON_TRUE && bt_json_type(spaces) != BT_JSON_FALSE)) {
        return false;
    }
    const size_t count = size->as.integer < TAB_SIZE_MAX ? (size_t)size->as.integer : TAB_SIZE_MAX;
    *out = bt_json_type(spaces) == BT_JSON_TRUE ? (struct lsp_indent){' ', count}
                                                : (struct lsp_indent){'\t', 1};
    return true;
}

/* Put a pretty text with another indentation. No string has a line feed in it. */
static void put_indented(struct bt_buf *buf, bt_str pretty, struct lsp_indent indent)
{
    for (size_t at = 0; at < pretty.len;) {
        const size_t end = bt_str_find_byte(pretty, '\n', at);
        size_t spaces = 0;
        while (at + spaces < end && pretty.ptr[at + spaces] == ' ') {
            spaces++;
        }
        bt_buf_put_repeat(buf, indent.byte, spaces / PRETTY_INDENT * indent.count);
        bt_buf_put(buf, bt_str_slice(pretty, at + spaces, end + 1));
        at = end + 1;
    }
}

/* Put the pretty form of a JSON text. *out_read is false when it cannot be read. */
static enum bt_status put_pretty(struct lsp_request *request, bt_str text, struct lsp_indent indent,
                                 struct bt_buf *out, bool *out_read)
{
    const struct bt_json_options options = bt_json_options_from_env(request->workspace->env);
    struct bt_json_read_result read = {0};
    bt_str pretty;
    BT_TRY(bt_json_read(request->arena, text, &options, &read)); /* from: caller */
    *out_read = read.document != NULL;
    if (!read.document) {
        return BT_OK;
    }
    BT_TRY(bt_json_write_text(read.document, bt_json_root(read.document), BT_JSON_FORM_PRETTY,
                              request->arena, &pretty));
    put_indented(out, pretty, indent);
    return out->status;
}

static void emit_edit(struct lsp_request *request, struct lsp_span body, bt_str before,
                      bt_str after)
{
    struct bt_emit *emit = &request->emit;
    bt_emit_begin_array(emit);
    if (!bt_str_eq(before, after)) {
        bt_emit_begin_object(emit);
        lsp_emit_span(request, body);
        bt_emit_member_string(emit, "newText", after);
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}

enum lsp_error lsp_method_formatting(struct lsp_request *request)
{
    const struct lsp_document *document = request->document;
    struct lsp_indent indent;
    bool is_read = false;
    if (!get_indent(request, &indent)) {
        return LSP_INVALID_PARAMS;
    }
    if (!lsp_dialect(document->judged.dialect)->is_formatted) {
        bt_emit_null(&request->emit);
        return LSP_OK;
    }
    const struct lsp_span body = lsp_json_body(document, SIZE_MAX);
    const bt_str before = bt_str_slice(lsp_document_text(document), body.begin, body.end);
    struct bt_buf after;
    bt_buf_init(&after, FORMATTED_BYTES_MAX);
    const enum bt_status status = put_pretty(request, before, indent, &after, &is_read);
    if (status == BT_OK && is_read) {
        emit_edit(request, body, before, bt_buf_str(&after));
    } else if (status == BT_OK) {
        bt_emit_null(&request->emit);
    }
    bt_buf_free(&after);
    return status == BT_OK ? LSP_OK : LSP_INTERNAL_ERROR;
}
