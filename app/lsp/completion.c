/* SPDX-License-Identifier: Apache-2.0 */
/* completion.c - the answer to textDocument/completion. The rows of dialects find the items. */
#include "lsp/completion.h"

#include <stdlib.h>

#include "base/vec.h"
#include "lsp/dialects.h"

enum { NEW_TEXT_BYTES_MAX = 1 << 20 };

enum bt_status lsp_completion_add(struct lsp_completion *completion,
                                  const struct lsp_completion_item *item)
{
    if (completion->count == LSP_CANDIDATES_MAX) {
        return BT_OK;
    }
    return bt_vec_push(completion->arena, completion, *item);
}

enum bt_status lsp_completion_add_label(struct lsp_completion *completion, bt_str label,
                                        enum lsp_completion_kind kind, bt_str detail)
{
    const struct lsp_completion_item item = {.label = label, .detail = detail, .kind = kind};
    return lsp_completion_add(completion, &item);
}

/* Needed ones first, then by label. */
static int compare_items(const void *a_pointer, const void *b_pointer)
{
    const struct lsp_completion_item *a = a_pointer;
    const struct lsp_completion_item *b = b_pointer;
    return a->is_needed != b->is_needed ? b->is_needed - a->is_needed
                                        : bt_str_compare(a->label, b->label);
}

static void emit_item(struct lsp_request *request, const struct lsp_completion *completion,
                      const struct lsp_completion_item *item)
{
    struct bt_emit *emit = &request->emit;
    struct bt_buf text;
    bt_buf_init(&text, NEW_TEXT_BYTES_MAX);
    if (completion->quotes && !item->is_bare) {
        bt_json_put_string(&text, item->label);
    } else {
        bt_buf_put(&text, item->label);
        bt_buf_put_text(&text, completion->closes && !item->is_bare ? "\"" : "");
    }
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "label", item->label);
    bt_emit_member_u64(emit, "kind", item->kind);
    bt_emit_member_string(emit, "detail", item->detail);
    bt_emit_member_object(emit, "textEdit");
    lsp_emit_span(request, completion->span);
    bt_emit_member_string(emit, "newText", bt_buf_str(&text));
    bt_emit_end(emit);
    bt_emit_end(emit);
    bt_buf_free(&text);
}

static void emit_completion(struct lsp_request *request, struct lsp_completion *completion)
{
    struct bt_emit *emit = &request->emit;
    size_t shown = 0;
    if (completion->count > 0) {
        qsort(completion->items, completion->count, sizeof(completion->items[0]), compare_items);
    }
    bt_emit_begin_object(emit);
    bt_emit_member_bool(emit, "isIncomplete", false);
    bt_emit_member_array(emit, "items");
    for (size_t i = 0; i < completion->count && shown < LSP_COMPLETIONS_MAX; i++) {
        const struct lsp_completion_item *item = &completion->items[i];
        if (i == 0 || !bt_str_eq(item->label, item[-1].label)) {
            emit_item(request, completion, item);
            shown++;
        }
    }
    bt_emit_end(emit);
    bt_emit_end(emit);
}

enum lsp_error lsp_method_completion(struct lsp_request *request)
{
    struct lsp_completion completion = {.arena = request->arena,
                                        .span = {request->offset, request->offset}};
    lsp_complete_fn *complete = lsp_dialect(request->document->judged.dialect)->complete;
    if (complete && complete(request, &completion) != BT_OK) {
        return LSP_INTERNAL_ERROR;
    }
    emit_completion(request, &completion);
    return LSP_OK;
}
