/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code_action.c - textDocument/codeAction: the fixes of findings as edits.
 *
 * The edits come from bt_fix(), as those of `baton check --fix` do. A quick fix changes what one
 * finding is about and nothing else; the last action makes all safe fixes.
 */
#include "engine/fix.h"
#include "lsp/dialects.h"

static const bt_str quick_fix_kind = BT_STR_INIT("quickfix");
static const bt_str fix_all_kind = BT_STR_INIT("source.fixAll.baton");

/* ---- Kinds ----------------------------------------------------------------------------------- */

/* True when a kind is the wanted one or below it: `source.fixAll` has `source.fixAll.baton`. */
static bool is_below(bt_str kind, bt_str wanted)
{
    return wanted.len == 0 || (bt_str_starts_with(kind, wanted) &&
                               (kind.len == wanted.len || kind.ptr[wanted.len] == '.'));
}

/* True when the client wants actions of a kind: it names none, or one at or above it. */
static bool is_wanted(const struct lsp_request *request, bt_str kind)
{
    const bt_json_value *context = lsp_get(request, request->params, "context");
    const bt_json_value *only = lsp_get(request, context, "only");
    if (!only || bt_json_type(only) != BT_JSON_ARRAY) {
        return true;
    }
    for (size_t i = 0; i < bt_json_count(only); i++) {
        const bt_json_value *item = &bt_json_items(only)[i];
        if (bt_json_type(item) == BT_JSON_STRING && is_below(kind, bt_json_text(item))) {
            return true;
        }
    }
    return false;
}

/* ---- Edits ----------------------------------------------------------------------------------- */

/* Find the edits of some fixes. */
static enum bt_status find_edits(struct lsp_request *request, const struct bt_finding *only,
                                 struct bt_edit_list *out)
{
    const struct lsp_document *document = request->document;
    struct bt_fix_result fixed;
    request->workspace->env->ids_made = 0; /* with --seed, ids are those of a run of its own */
    const struct bt_fix_input input = {
        .env = request->workspace->env,
        .path = document->judged.judgement.path,
        .content = lsp_document_text(document),
        .options = document->judged.options,
        .choice = {.only = only, .suppressed = document->judged.judgement.suppressed}};
    const enum bt_status status = bt_fix(&input, request->arena, &fixed);
    *out = (struct bt_edit_list){NULL, 0, 0};
    if (status == BT_OK) {
        *out = fixed.edits;
    }
    /* A document that would become too large is not fixed. */
    return status == BT_ELIMIT ? BT_OK : status;
}

static void emit_edits(struct lsp_request *request, const struct bt_edit_list *edits)
{
    struct lsp_cursor cursor =
        lsp_cursor_begin(lsp_document_text(request->document), request->server->client.encoding);
    struct bt_emit *emit = &request->emit;
    bt_emit_begin_array(emit);
    for (size_t i = 0; i < edits->count; i++) {
        const struct lsp_span span = {edits->items[i].begin, edits->items[i].end};
        bt_emit_begin_object(emit);
        bt_emit_name(emit, "range");
        lsp_emit_range(emit, lsp_cursor_range(&cursor, span));
        bt_emit_member_string(emit, "newText", edits->items[i].text);
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}

/* Put the member `edit`, in the form that the client takes. */
static void emit_workspace_edit(struct lsp_request *request, const struct bt_edit_list *edits)
{
    struct bt_emit *emit = &request->emit;
    bt_emit_member_object(emit, "edit");
    if (!request->server->client.has_document_changes) {
        bt_emit_member_object(emit, "changes");
        bt_emit_name_str(emit, request->document->uri);
        emit_edits(request, edits);
        bt_emit_end(emit);
        bt_emit_end(emit);
        return;
    }
    bt_emit_member_array(emit, "documentChanges");
    bt_emit_begin_object(emit);
    bt_emit_member_object(emit, "textDocument");
    bt_emit_member_string(emit, "uri", request->document->uri);
    bt_emit_name(emit, "version");
    bt_emit_i64(emit, request->document->version);
    bt_emit_end(emit);
    bt_emit_name(emit, "edits");
    emit_edits(request, edits);
    bt_emit_end(emit);
    bt_emit_end(emit);
    bt_emit_end(emit);
}

/* ---- Actions --------------------------------------------------------------------------------- */

static void emit_title(struct lsp_request *request, const struct bt_finding *finding)
{
    struct bt_buf title;
    bt_buf_init(&title, LSP_FRAME_BYTES_MAX);
    bt_buf_put_text(&title, "Fix ");
    bt_buf_put(&title, finding->rule->code);
    bt_buf_put_text(&title, " at ");
    bt_buf_put(&title, finding->pointer);
    bt_buf_put_text(&title, finding->fix == BT_FIX_UNSAFE ? " (unsafe)" : "");
    bt_emit_member_string(&request->emit, "title", bt_buf_str(&title));
    bt_buf_free(&title);
}

static enum bt_status emit_quick_fix(struct lsp_request *request,
                                     const struct lsp_diagnostic *diagnostic)
{
    struct lsp_cursor cursor =
        lsp_cursor_begin(lsp_document_text(request->document), request->server->client.encoding);
    struct bt_emit *emit = &request->emit;
    struct bt_edit_list edits;
    BT_TRY(find_edits(request, diagnostic->finding, &edits));
    if (edits.count == 0) {
        return BT_OK;
    }
    bt_emit_begin_object(emit);
    emit_title(request, diagnostic->finding);
    bt_emit_member_string(emit, "kind", quick_fix_kind);
    bt_emit_member_array(emit, "diagnostics");
    lsp_emit_diagnostic(emit, &cursor, request->workspace->docs_url, diagnostic);
    bt_emit_end(emit);
    bt_emit_member_bool(emit, "isPreferred", diagnostic->finding->fix == BT_FIX_SAFE);
    emit_workspace_edit(request, &edits);
    bt_emit_end(emit);
    return BT_OK;
}

static enum bt_status emit_quick_fixes(struct lsp_request *request, struct lsp_span range)
{
    const struct lsp_judged *judged = &request->document->judged;
    const size_t count =
        judged->count < LSP_DIAGNOSTICS_MAX ? judged->count : LSP_DIAGNOSTICS_MAX - 1;
    for (size_t i = 0; i < count; i++) {
        const struct lsp_diagnostic *diagnostic = &judged->items[i];
        const bool meets =
            diagnostic->span.begin <= range.end && diagnostic->span.end >= range.begin;
        if (meets && diagnostic->finding->fix != BT_FIX_NONE) {
            BT_TRY(emit_quick_fix(request, diagnostic));
        }
    }
    return BT_OK;
}

static bool has_safe_fix(const struct lsp_judged *judged)
{
    for (size_t i = 0; i < judged->count; i++) {
        if (judged->items[i].finding->fix == BT_FIX_SAFE) {
            return true;
        }
    }
    return false;
}

static enum bt_status emit_fix_all(struct lsp_request *request)
{
    struct bt_emit *emit = &request->emit;
    struct bt_edit_list edits;
    if (!has_safe_fix(&request->document->judged)) {
        return BT_OK;
    }
    BT_TRY(find_edits(request, NULL, &edits));
    if (edits.count == 0) {
        return BT_OK;
    }
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "title", BT_STR("Fix all safe findings"));
    bt_emit_member_string(emit, "kind", fix_all_kind);
    emit_workspace_edit(request, &edits);
    bt_emit_end(emit);
    return BT_OK;
}

enum lsp_error lsp_method_code_action(struct lsp_request *request)
{
    const bt_str text = lsp_document_text(request->document);
    const enum lsp_encoding encoding = request->server->client.encoding;
    struct lsp_range range;
    struct lsp_span span;
    enum bt_status status = BT_OK;
    if (!lsp_get_range(request, lsp_get(request, request->params, "range"), &range)) {
        return LSP_INVALID_PARAMS;
    }
    (void)lsp_offset_of(text, encoding, range.start, &span.begin);
    (void)lsp_offset_of(text, encoding, range.end, &span.end);
    bt_emit_begin_array(&request->emit);
    if (is_wanted(request, quick_fix_kind)) {
        status = emit_quick_fixes(request, span);
    }
    if (status == BT_OK && is_wanted(request, fix_all_kind)) {
        status = emit_fix_all(request);
    }
    bt_emit_end(&request->emit);
    return status == BT_OK ? LSP_OK : LSP_INTERNAL_ERROR;
}
