/* SPDX-License-Identifier: Apache-2.0 */
/* path.c - paths as names, without looking at files. */
#include "base/path.h"

#include <string.h>

#include "base/error.h"

bool bt_path_next(bt_str path, size_t *at, bt_str *out)
{
    while (*at < path.len && path.ptr[*at] == '/') {
        ++*at;
    }
    const size_t end = bt_str_find_byte(path, '/', *at);
    *out = bt_str_slice(path, *at, end);
    *at = end;
    return out->len > 0;
}

bool bt_path_has_parent(bt_str path)
{
    size_t at = 0;
    bt_str part;
    while (bt_path_next(path, &at, &part)) {
        if (bt_str_eq(part, BT_STR(".."))) {
            return true;
        }
    }
    return false;
}

bt_str bt_path_next_component(bt_str path, size_t *at)
{
    bt_str part = BT_STR("");
    while (bt_path_next(path, at, &part)) {
        if (!bt_str_eq(part, BT_STR("."))) {
            return part;
        }
    }
    return BT_STR("");
}

bt_str bt_path_parent(bt_str path)
{
    size_t end = path.len;
    while (end > 0 && path.ptr[end - 1] != '/') {
        end--;
    }
    return bt_str_slice(path, 0, end > 0 ? end - 1 : 0);
}

enum bt_status bt_path_resolve(struct bt_arena *arena, bt_str path, bt_str *out)
{
    char *made = bt_arena_alloc(arena, path.len + 2);
    bt_str result = {made, 0};
    bt_str part;
    BT_TRY(made ? BT_OK : BT_ENOMEM);
    for (size_t at = 0; bt_path_next(path, &at, &part);) {
        if (bt_str_eq(part, BT_STR(".."))) {
            result.len = bt_path_parent(result).len;
        } else if (!bt_str_eq(part, BT_STR("."))) {
            made[result.len] = '/';
            memcpy(made + result.len + 1, part.ptr, part.len);
            result.len += part.len + 1;
        }
    }
    made[result.len] = '\0';
    *out = result;
    return BT_OK;
}
