/* SPDX-License-Identifier: Apache-2.0 */
/* builtin.c - the schemas of the formats that Baton reads and writes. */
#include "schema/builtin.h"

#include <assert.h>

size_t bt_schema_builtin_count(void)
{
    return bt_schema_texts_count;
}

const struct bt_schema_builtin *bt_schema_builtin_at(size_t index)
{
    assert(index < bt_schema_texts_count);
    return &bt_schema_texts[index];
}

bt_str bt_schema_builtin_name(size_t index)
{
    return bt_schema_builtin_at(index)->name;
}

bt_str bt_schema_builtin_text(size_t index)
{
    return bt_schema_builtin_at(index)->text;
}

bt_str bt_schema_builtin_of(const char *name)
{
    size_t i = 0;
    while (i < bt_schema_texts_count && !bt_str_eq(bt_schema_texts[i].name, bt_str_of(name))) {
        i++;
    }
    assert(i < bt_schema_texts_count);
    return bt_schema_texts[i].text;
}
