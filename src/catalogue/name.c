/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name.c - names of skills, compared so that spelling cannot hide who is meant.
 */
#include "catalogue/catalogue.h"

static bool is_space(char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static unsigned char lower(char byte)
{
    return (unsigned char)(byte >= 'A' && byte <= 'Z' ? byte + ('a' - 'A') : byte);
}

bt_str bt_skill_name_trim(bt_str name)
{
    while (name.len > 0 && is_space(name.ptr[0])) {
        name = bt_str_slice(name, 1, name.len);
    }
    while (name.len > 0 && is_space(name.ptr[name.len - 1])) {
        name.len--;
    }
    return name;
}

int bt_skill_name_compare(bt_str a, bt_str b)
{
    a = bt_skill_name_trim(a);
    b = bt_skill_name_trim(b);
    for (size_t i = 0; i < a.len && i < b.len; i++) {
        const int order = (int)lower(a.ptr[i]) - (int)lower(b.ptr[i]);
        if (order != 0) {
            return order;
        }
    }
    return (a.len > b.len) - (a.len < b.len);
}

bool bt_skill_name_eq(bt_str a, bt_str b)
{
    return bt_skill_name_compare(a, b) == 0;
}

bool bt_skill_listed(const struct bt_texts *list, bt_str name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (bt_str_eq(list->items[i], BT_STR("*")) || bt_skill_name_eq(list->items[i], name)) {
            return true;
        }
    }
    return false;
}
