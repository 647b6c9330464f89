/* SPDX-License-Identifier: Apache-2.0 */
/* left_out.c - a list of what walks leave out, and why. */
#include "left_out.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/vec.h"

enum { PATH_SHOWN = 1024 };

void check_left_out_add(struct check_left_out_list *list, struct bt_arena *arena, size_t items_max,
                        bt_str path, enum check_left_out_reason reason)
{
    struct check_left_out item = {.reason = reason};
    if (list->count >= items_max || bt_arena_copy(arena, path, &item.path) != BT_OK ||
        bt_vec_push(arena, list, item) != BT_OK) {
        list->more++;
    }
}

static int compare_items(const void *a, const void *b)
{
    const struct check_left_out *left = a;
    const struct check_left_out *right = b;
    return bt_str_compare(left->path, right->path);
}

void check_left_out_put_lines(struct check_left_out_list *list, struct bt_buf *buf)
{
    /* The first word is the one under which the report counts the entry. */
    static const char *const reasons[] = {
        [CHECK_LEFT_OUT_NONE] = "",
        [CHECK_LEFT_OUT_HIDDEN] = "hidden",
        [CHECK_LEFT_OUT_NODE_MODULES] = "excluded: node_modules",
        [CHECK_LEFT_OUT_GITIGNORED] = "gitignored",
        [CHECK_LEFT_OUT_EXCLUDED] = "excluded",
        [CHECK_LEFT_OUT_NOT_INCLUDED] = "excluded: no include pattern matches",
        [CHECK_LEFT_OUT_LINK] = "unrecognised: symbolic link",
        [CHECK_LEFT_OUT_OWN_FILE] = "unrecognised: a file of this run",
        [CHECK_LEFT_OUT_UNRECOGNISED] = "unrecognised",
        [CHECK_LEFT_OUT_NO_BLOCK] = "unrecognised: no contract block",
        [CHECK_LEFT_OUT_NO_ENVELOPE] = "unrecognised: no message envelope",
    };
    if (list->count > 1) {
        qsort(list->items, list->count, sizeof(*list->items), compare_items);
    }
    for (size_t i = 0; i < list->count; i++) {
        bt_buf_put_text(buf, "left out: ");
        bt_buf_put_printable(buf, list->items[i].path, PATH_SHOWN);
        bt_buf_printf(buf, " (%s)\n", reasons[list->items[i].reason]);
    }
    if (list->more > 0) {
        bt_buf_printf(buf, "left out: %zu more\n", list->more);
    }
}
