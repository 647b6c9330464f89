/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ascii.c - comparing and copying texts by their ASCII characters.
 */
#include "base/ascii.h"

bool bt_ascii_equal_nocase(bt_str a, bt_str b)
{
    if (a.len != b.len) {
        return false;
    }
    for (size_t i = 0; i < a.len; i++) {
        if (bt_ascii_lower(a.ptr[i]) != bt_ascii_lower(b.ptr[i])) {
            return false;
        }
    }
    return true;
}

static enum bt_status copy_in_case(struct bt_arena *arena, bt_str text, bool is_upper, bt_str *out)
{
    char *copy = bt_arena_alloc(arena, text.len + 1);
    if (!copy) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < text.len; i++) {
        copy[i] = is_upper ? bt_ascii_upper(text.ptr[i]) : bt_ascii_lower(text.ptr[i]);
    }
    copy[text.len] = '\0';
    *out = (bt_str){copy, text.len};
    return BT_OK;
}

enum bt_status bt_ascii_lower_copy(struct bt_arena *arena, bt_str text, bt_str *out)
{
    return copy_in_case(arena, text, false, out);
}

enum bt_status bt_ascii_upper_copy(struct bt_arena *arena, bt_str text, bt_str *out)
{
    return copy_in_case(arena, text, true, out);
}
