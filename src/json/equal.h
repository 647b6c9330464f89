/* SPDX-License-Identifier: Apache-2.0 */
/*
 * equal.h - when two values are the same one.
 */
#ifndef BATON_SRC_JSON_EQUAL_H
#define BATON_SRC_JSON_EQUAL_H

#include "json/members.h"

/* What can be said of two values without looking at their children. */
enum bt_json_similarity {
    BT_UNLIKE = 0,
    BT_ALIKE,
    BT_JSON_SIMILARITY_OPEN, /* containers of one type with as many children, and at least one */
};

enum bt_json_similarity bt_json_compare_shallow(bt_ref a, bt_ref b);

/* bt_json_equal() for those who have references. */
BT_MUST_USE enum bt_status bt_ref_equal(bt_ref a, bt_ref b, struct bt_arena *arena,
                                        bool *out_equal);

#endif
