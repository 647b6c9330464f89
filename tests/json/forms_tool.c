/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forms_tool.c - documents, one per line of standard input -> their forms, one line each:
 * canonical, tab, JSON.stringify's, tab, compact. "!" stands where there is no canonical form, and
 * alone for a line that is not JSON. against_node.py holds the answers against another
 * implementation.
 */
#include "tool.h"

static bool put_form(struct bt_buf *out, const struct bt_json_doc *document, enum bt_json_form form,
                     struct bt_arena *arena)
{
    const bt_json_value *culprit = NULL;
    const enum bt_status status =
        bt_json_write(out, document, bt_json_root(document), form, arena, &culprit);
    if (status == BT_EINVAL && culprit) {
        bt_buf_put_char(out, '!');
        return true;
    }
    return status == BT_OK;
}

static bool put_forms(struct bt_buf *out, bt_str line, struct bt_arena *arena)
{
    struct bt_json_read_result read = {0};
    if (bt_json_read(arena, line, NULL, &read) != BT_OK) {
        return false;
    }
    if (!read.document) {
        bt_buf_put_char(out, '!');
        return true;
    }
    if (!put_form(out, read.document, BT_JSON_FORM_CANONICAL, arena)) {
        return false;
    }
    bt_buf_put_char(out, '\t');
    if (!put_form(out, read.document, BT_JSON_FORM_STRINGIFY, arena)) {
        return false;
    }
    bt_buf_put_char(out, '\t');
    return put_form(out, read.document, BT_JSON_FORM_COMPACT, arena);
}

int main(void)
{
    return tool_run(put_forms);
}
