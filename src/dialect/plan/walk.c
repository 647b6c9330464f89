/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk.c - every value below a value, in document order, without recursion.
 */
#include "dialect/plan/walk.h"

#include <assert.h>

void bt_payload_walk_begin(struct bt_payload_walk *walk, const bt_json_value *from)
{
    assert(walk);
    walk->depth = 0;
    if (bt_json_count(from) > 0) {
        walk->frames[walk->depth++] = (struct bt_payload_walk_frame){from, 0};
    }
}

bool bt_payload_walk_next(struct bt_payload_walk *walk, struct bt_payload_walk_value *out)
{
    while (walk->depth > 0) {
        struct bt_payload_walk_frame *top = &walk->frames[walk->depth - 1];
        if (top->next == bt_json_count(top->container)) {
            walk->depth--;
            continue;
        }
        const size_t at = top->next++;
        const struct bt_json_member *members = bt_json_members(top->container);
        out->member = members ? &members[at] : NULL;
        out->value = members ? &members[at].value : &bt_json_items(top->container)[at];
        out->depth = walk->depth;
        if (bt_json_count(out->value) > 0) {
            assert(walk->depth < BT_WALK_DEPTH_MAX);
            walk->frames[walk->depth++] = (struct bt_payload_walk_frame){out->value, 0};
        }
        return true;
    }
    return false;
}
