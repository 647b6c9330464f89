/* SPDX-License-Identifier: Apache-2.0 */
/*
 * get.h - what only the library itself asks of values. A value may be NULL, which is an absent one.
 */
#ifndef BATON_SRC_JSON_GET_H
#define BATON_SRC_JSON_GET_H

#include <baton/json.h>

/* The text of the member `name` of an object; "" when one of both is absent, or not a string. The
 * document may be NULL when the object is. */
static inline bt_str bt_json_get_text(const struct bt_json_doc *document,
                                      const bt_json_value *object, bt_str name)
{
    const bt_json_value *value = object ? bt_json_get(document, object, name) : NULL;
    return value ? bt_json_text(value) : (bt_str){"", 0};
}

/* True when one of the items of an array is this text. */
static inline bool bt_json_lists_text(const bt_json_value *array, bt_str text)
{
    const size_t count = array && bt_json_items(array) ? bt_json_count(array) : 0;
    size_t i = 0;
    while (i < count && !bt_str_eq(bt_json_text(&array->as.items[i]), text)) {
        i++;
    }
    return i < count;
}

#endif
