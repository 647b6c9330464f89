/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk.h - every value below a value, in document order, without recursion.
 */
#ifndef BATON_SRC_JSON_WALK_H
#define BATON_SRC_JSON_WALK_H

#include <baton/json.h>

enum {
    BT_JSON_WALK_DEPTH_MAX = 1001
}; /* no document is nested deeper; see struct bt_json_options */

struct bt_json_walk_frame {
    const bt_json_value *container;
    size_t next;
};

struct bt_json_walk {
    struct bt_json_walk_frame frames[BT_JSON_WALK_DEPTH_MAX];
    size_t depth; /* frames in use */
};

/* The value of a child of an array or object. */
static inline const bt_json_value *bt_json_child(const bt_json_value *container, size_t index)
{
    return container->type == BT_JSON_ARRAY ? &container->as.items[index]
                                            : &container->as.members[index].value;
}

/* One value of a walk. */
struct bt_json_walk_value {
    const bt_json_value *value;
    const struct bt_json_member *member; /* that it is the value of, or NULL */
    size_t depth;                        /* below where the walk began: its children have 1 */
};

void bt_json_walk_begin(struct bt_json_walk *walk, const bt_json_value *from);
/* The next value below where the walk began; false at the end. */
bool bt_json_walk_next(struct bt_json_walk *walk, struct bt_json_walk_value *out);

#endif
