/* SPDX-License-Identifier: Apache-2.0 */
/*
 * set.h - the values of const and enum, and whether a value is one of them.
 */
#ifndef BATON_SRC_SCHEMA_SET_H
#define BATON_SRC_SCHEMA_SET_H

#include "schema/names.h"
#include "schema/run.h"

/* Make the set of `count` values; they stay where they are. */
BT_MUST_USE enum bt_status bt_schema_set_make(struct bt_arena *arena,
                                              const struct bt_json_doc *document,
                                              const bt_json_value *values, uint32_t count,
                                              const struct bt_schema_set **out);

#define BT_NOT_IN_SET UINT32_MAX

/* The index of a value equal to `value`, or BT_NOT_IN_SET. */
BT_MUST_USE enum bt_schema_result bt_schema_set_find(struct bt_schema_machine *run,
                                                     const struct bt_schema_set *set,
                                                     const bt_json_value *value,
                                                     uint32_t *out_index);

/* The index of a string equal to `text`, or BT_NOT_IN_SET; cannot fail. */
uint32_t bt_schema_set_find_hashed(const struct bt_schema_set *set, bt_str text);

static inline uint32_t bt_schema_set_find_text(const struct bt_schema_set *set, bt_str text)
{
    if (set->mask != 0) {
        return bt_schema_set_find_hashed(set, text);
    }
    for (uint32_t i = 0; i < set->count; i++) {
        const bt_json_value *value = &set->values[i];
        if (value->size == text.len && bt_json_type(value) == BT_JSON_STRING &&
            bt_name_equal(value->as.text, text.ptr, text.len)) {
            return i;
        }
    }
    return BT_NOT_IN_SET;
}

/* The index of a value without children equal to `value`, or BT_NOT_IN_SET; cannot fail. */
uint32_t bt_schema_set_find_scalar(const struct bt_schema_set *set,
                                   const struct bt_json_doc *document, const bt_json_value *value);

/* The types of its values. */
uint16_t bt_schema_set_types(const struct bt_schema_set *set);

#endif
