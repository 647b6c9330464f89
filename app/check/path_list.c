/* SPDX-License-Identifier: Apache-2.0 */
/* path_list.c - paths to check, from operands and from lists in files. */
#include "path_list.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"

enum bt_status check_path_list_add(struct bt_arena *arena, struct check_path_list *list,
                                   const char *operand)
{
    assert(list);
    assert(operand);
    const struct check_path_list_item item = {operand, strcmp(operand, "-") == 0};
    return bt_vec_push_max(arena, list, CHECK_PATH_LIST_MAX, item);
}

enum bt_status check_path_list_add_lines(struct bt_arena *arena, struct check_path_list *list,
                                         bt_str text, bool ends_in_nul)
{
    assert(list);
    if (!ends_in_nul && bt_str_find_byte(text, '\0', 0) < text.len) {
        return BT_EINVAL;
    }
    for (size_t at = 0; at < text.len;) {
        const size_t end = bt_str_find_byte(text, ends_in_nul ? '\0' : '\n', at);
        const bt_str line = bt_str_slice(text, at, end);
        bt_str path = BT_STR("./-");
        at = end + 1;
        if (line.len == 0) {
            continue;
        }
        if (!bt_str_eq(line, BT_STR("-"))) {
            BT_TRY(bt_arena_copy(arena, line, &path));
        }
        const struct check_path_list_item item = {path.ptr, false};
        BT_TRY(bt_vec_push_max(arena, list, CHECK_PATH_LIST_MAX, item));
    }
    return BT_OK;
}
