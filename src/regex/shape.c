/* SPDX-License-Identifier: Apache-2.0 */
/* shape.c - summary properties of a tree. */
#include "regex/tier.h"

static bool add_run(const struct bt_re_node *node, struct bt_re_shape *out)
{
    const bool is_repeat = node->kind == BT_RE_REPEAT;
    const struct bt_re_node *set = is_repeat ? node->child : node;
    if (set->kind != BT_RE_SET || out->count == BT_RE_RUNS_MAX) {
        return false;
    }
    out->runs[out->count++] =
        (struct bt_re_run_of){set, is_repeat ? node->min : 1, is_repeat ? node->max : 1};
    return true;
}

void bt_re_shape_of(const struct bt_re_node *root, struct bt_re_shape *out)
{
    out->count = 0;
    out->has_end = false;
    const struct bt_re_node *node = root->kind == BT_RE_CAT ? root->child : root;
    out->has_begin = node->kind == BT_RE_BEGIN;
    if (out->has_begin) {
        node = node->next;
    }
    while (node && add_run(node, out)) {
        node = node->next;
    }
    if (node && node->kind == BT_RE_END) {
        out->has_end = true;
        node = node->next;
    }
    out->is_whole = node == NULL;
}
