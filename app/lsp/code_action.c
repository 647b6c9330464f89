/* SPDX-License-Identifier: Apache-2.0 */
/* code_action.c - textDocument/codeAction: the fixes of findings as edits. */
#include "lsp/dialects.h"

enum lsp_error lsp_method_code_action(struct lsp_request *request)
{
    bt_emit_begin_array(&request->emit);
    bt_emit_end(&request->emit);
    return LSP_OK;
}
