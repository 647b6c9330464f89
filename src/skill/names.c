/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.c - names of skills, compared so that spelling cannot hide which skill is meant.
 */
#include "base/ascii.h"
#include "skill/skill_internal.h"

bt_str bt_skill_name_trim(bt_str name)
{
    while (name.len > 0 && bt_ascii_is_space(name.ptr[0])) {
        name = bt_str_slice(name, 1, name.len);
    }
    while (name.len > 0 && bt_ascii_is_space(name.ptr[name.len - 1])) {
        name.len--;
    }
    return name;
}

int bt_skill_name_compare(bt_str a, bt_str b)
{
    a = bt_skill_name_trim(a);
    b = bt_skill_name_trim(b);
    for (size_t i = 0; i < a.len && i < b.len; i++) {
        const int order =
            (unsigned char)bt_ascii_lower(a.ptr[i]) - (unsigned char)bt_ascii_lower(b.ptr[i]);
        if (order != 0) {
            return order;
        }
    }
    return (a.len > b.len) - (a.len < b.len);
}

bool bt_skill_name_equal(bt_str a, bt_str b)
{
    return bt_skill_name_compare(a, b) == 0;
}
