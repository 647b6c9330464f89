/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk.h - every value below a value, in document order, without recursion.
 */
#ifndef BATON_SRC_DIALECT_PLAN_WALK_H
#define BATON_SRC_DIALECT_PLAN_WALK_H

#include <baton/json.h>

enum { BT_WALK_DEPTH_MAX = 1001 }; /* no document is nested deeper; see struct bt_json_options */

struct bt_payload_walk_frame {
    const bt_json_value *container;
    size_t next;
};

struct bt_payload_walk {
    struct bt_payload_walk_frame frames[BT_WALK_DEPTH_MAX];
    size_t depth; /* frames in use */
};

/* One value of a walk. */
struct bt_payload_walk_value {
    const bt_json_value *value;
    const struct bt_json_member *member; /* that it is the value of, or NULL */
    size_t depth;                        /* below where the walk began: its children have 1 */
};

void bt_payload_walk_begin(struct bt_payload_walk *walk, const bt_json_value *from);
/* The next value below where the walk began; false at the end. */
bool bt_payload_walk_next(struct bt_payload_walk *walk, struct bt_payload_walk_value *out);

#endif
