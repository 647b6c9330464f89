/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path_tree.c - placed footprints as a tree of path segments.
 *
 * Nodes are found by one table of all edges, (parent, segment) -> node, so that a folder with many
 * children costs no more than one with few.
 */
#include "dialect/plan/path_tree.h"

#include <assert.h>

#include "base/map.h"
#include "base/vec.h"

/* What is known about a path and about everything below it. */
struct plan_pathtree_node {
    struct bt_plan_placed_step read;
    struct bt_plan_placed_step write;
    struct bt_plan_placed_step read_below; /* itself included */
    struct bt_plan_placed_step write_below;
};

struct bt_plan_path_tree {
    struct bt_arena *arena;
    struct bt_map children; /* (node, segment) -> node; the root is nobody's child */
    BT_VEC(struct plan_pathtree_node) nodes;
    uint64_t work;
};

struct bt_plan_placed_step bt_plan_placed_step_first(struct bt_plan_placed_step a,
                                                     struct bt_plan_placed_step b)
{
    if (a.wave != b.wave) {
        return a.wave > b.wave ? a : b;
    }
    return a.step <= b.step ? a : b;
}

struct bt_plan_path_tree *bt_plan_path_tree_new(struct bt_arena *arena, const uint64_t seed[2])
{
    struct bt_plan_path_tree *tree = BT_NEW(arena, struct bt_plan_path_tree);
    if (!tree || bt_vec_push(arena, &tree->nodes, (struct plan_pathtree_node){0}) != BT_OK) {
        return NULL;
    }
    tree->arena = arena;
    bt_map_init(&tree->children, arena, seed);
    return tree;
}

static struct bt_map_key child_key(size_t parent, bt_str segment)
{
    return (struct bt_map_key){segment, parent};
}

/* Move `at` behind the next segment of a normalised path; false at its end. */
static bool next_segment(bt_str path, size_t *at, bt_str *out)
{
    if (*at >= path.len) {
        return false;
    }
    const size_t end = bt_str_find_byte(path, '/', *at);
    *out = bt_str_slice(path, *at, end);
    *at = end + 1;
    return true;
}

static enum bt_status enter_segment(struct bt_plan_path_tree *tree, size_t *node, bt_str segment)
{
    struct bt_map_entry *child = NULL;
    BT_TRY(bt_map_add(&tree->children, child_key(*node, segment), &child));
    if (child->value.number == 0) {
        child->value.number = tree->nodes.count;
        BT_TRY(bt_vec_push(tree->arena, &tree->nodes, (struct plan_pathtree_node){0}));
    }
    *node = (size_t)child->value.number;
    return BT_OK;
}

static void update_placed(struct bt_plan_path_tree *tree, struct bt_plan_placed_step *known,
                          struct bt_plan_placed_step placed)
{
    tree->work++;
    *known = bt_plan_placed_step_first(*known, placed);
}

enum bt_status bt_plan_path_tree_add(struct bt_plan_path_tree *tree, bt_str path, bool is_write,
                                     struct bt_plan_placed_step placed)
{
    assert(tree);
    assert(placed.wave > 0);
    size_t node = 0;
    bt_str segment;
    for (size_t at = 0;;) {
        struct plan_pathtree_node *here = &tree->nodes.items[node];
        update_placed(tree, is_write ? &here->write_below : &here->read_below, placed);
        if (!next_segment(path, &at, &segment)) {
            update_placed(tree, is_write ? &here->write : &here->read, placed);
            return BT_OK;
        }
        BT_TRY(enter_segment(tree, &node, segment));
    }
}

struct bt_plan_placed_step bt_plan_path_tree_conflict(struct bt_plan_path_tree *tree, bt_str path,
                                                      bool is_write)
{
    assert(tree);
    struct bt_plan_placed_step first = {.wave = 0, .step = 0};
    size_t node = 0;
    bt_str segment;
    for (size_t at = 0;;) {
        const struct plan_pathtree_node *here = &tree->nodes.items[node];
        tree->work++;
        first = bt_plan_placed_step_first(first, here->write);
        first = is_write ? bt_plan_placed_step_first(first, here->read) : first;
        if (!next_segment(path, &at, &segment)) {
            first = bt_plan_placed_step_first(first, here->write_below);
            return is_write ? bt_plan_placed_step_first(first, here->read_below) : first;
        }
        const struct bt_map_entry *child = bt_map_find(&tree->children, child_key(node, segment));
        if (!child) {
            return first;
        }
        node = (size_t)child->value.number;
    }
}

uint64_t bt_plan_path_tree_work(const struct bt_plan_path_tree *tree)
{
    return tree->work;
}
