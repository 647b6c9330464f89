/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk.c - every value below a value, in document order, without recursion.
 */
#include "json/walk.h"

#include <assert.h>

void bt_json_walk_begin(struct bt_json_walk *walk, const bt_json_value *from)
{
    assert(walk);
    walk->depth = 0;
    if (bt_json_count(from) > 0) {
        walk->frames[walk->depth++] = (struct bt_json_walk_frame){from, 0};
    }
}

bool bt_json_walk_next(struct bt_json_walk *walk, struct bt_json_walk_value *out)
{
    while (walk->depth > 0) {
        struct bt_json_walk_frame *top = &walk->frames[walk->depth - 1];
        if (top->next == bt_json_count(top->container)) {
            walk->depth--;
            continue;
        }
        const size_t at = top->next++;
        const struct bt_json_member *members = bt_json_members(top->container);
        out->member = members ? &members[at] : NULL;
        out->value = bt_json_child(top->container, at);
        out->depth = walk->depth;
        if (bt_json_count(out->value) > 0) {
            assert(walk->depth < BT_JSON_WALK_DEPTH_MAX);
            walk->frames[walk->depth++] = (struct bt_json_walk_frame){out->value, 0};
        }
        return true;
    }
    return false;
}
