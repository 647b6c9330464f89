/* SPDX-License-Identifier: Apache-2.0 */
/*
 * change_effect.h - the effect of an answer: the locations at which two documents differ.
 *
 * Objects are compared member by member in any order, arrays item by item when they have the same
 * length; otherwise the whole array is the location. So no location lies within another, and
 * changing all of them, in any order, turns the first document into the second.
 */
#ifndef BATON_SRC_DIALECT_UNIVERSAL_CHANGE_EFFECT_H
#define BATON_SRC_DIALECT_UNIVERSAL_CHANGE_EFFECT_H

#include <baton/json.h>

struct bt_universal_effect {
    bt_str pointer;
    const bt_json_value *before; /* NULL: it is added */
    const bt_json_value *after;  /* NULL: it is removed */
};

struct bt_universal_effects {
    struct bt_universal_effect *items;
    size_t count;
    size_t capacity;
};

/* Compare; *out lives in the arena. BT_ENOMEM is its only failure. */
BT_MUST_USE enum bt_status bt_universal_effects_find(const struct bt_json_doc *before,
                                                     const struct bt_json_doc *after,
                                                     struct bt_arena *arena,
                                                     struct bt_universal_effects *out);

#endif
