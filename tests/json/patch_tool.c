/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patch_tool.c - two documents with a tab between them, one pair per line of standard input -> the
 * first one patched with the second, or "!", the reason and the operation's index; tab; the patch
 * that leads from the first to the second. against_model.py holds the answers against a plain
 * model.
 */
#include "tool.h"

#include "json/options.h"

static const char *const reasons[] = {
    [BT_JSON_PATCH_OK] = "FINE",
    [BT_JSON_PATCH_MALFORMED] = "ILL_FORMED",
    [BT_JSON_PATCH_NO_TARGET] = "NO_TARGET",
    [BT_JSON_PATCH_TEST_FAILED] = "TEST",
    [BT_JSON_PATCH_TOO_LARGE] = "TOO_LARGE",
};

static bool put_patched(struct bt_buf *out, const struct bt_json_doc *a,
                        const struct bt_json_doc *b, struct bt_arena *arena)
{
    const struct bt_json_patch_options options = {.form = BT_JSON_FORM_COMPACT};
    struct bt_json_patch_result result = {0};
    if (bt_json_patch(out, a, b, &options, arena, &result) != BT_OK) {
        return false;
    }
    if (result.code != BT_JSON_PATCH_OK) {
        bt_buf_printf(out, "!%s %zu", reasons[result.code], result.operation);
    }
    return true;
}

static bool put_both(struct bt_buf *out, bt_str line, struct bt_arena *arena)
{
    const size_t middle = bt_str_find_byte(line, '\t', 0);
    struct bt_json_read_result a = {0};
    struct bt_json_read_result b = {0};
    if (bt_json_read(arena, bt_str_slice(line, 0, middle), NULL, &a) != BT_OK || !a.document ||
        bt_json_read(arena, bt_str_slice(line, middle + 1, line.len), NULL, &b) != BT_OK ||
        !b.document || !put_patched(out, a.document, b.document, arena)) {
        return false;
    }
    bt_buf_put_char(out, '\t');
    return bt_json_diff(out, a.document, b.document, arena) == BT_OK;
}

int main(void)
{
    return tool_run(put_both);
}
