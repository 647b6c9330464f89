/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path_tree.c - placed footprints as a tree of path segments.
 *
 * Nodes are found by one table of all edges, (parent, segment) -> node, so that a folder with many
 * children costs no more than one with few.
 */
#include "dialect/plan/path_tree.h"

#include <assert.h>
#include <string.h>

/* What is known about a path and about everything below it. */
struct plan_pathtree_node {
    struct bt_plan_placed_step read;
    struct bt_plan_placed_step write;
    struct bt_plan_placed_step read_below; /* itself included */
    struct bt_plan_placed_step write_below;
};

struct plan_pathtree_edge {
    size_t parent;
    bt_str segment;
    size_t child; /* 0: the slot is free; the root is nobody's child */
};

struct bt_plan_path_tree {
    struct bt_arena *arena;
    uint64_t seed;
    struct plan_pathtree_node *nodes;
    size_t nodes_count;
    size_t nodes_capacity;
    struct plan_pathtree_edge *edges;
    size_t mask;
    uint64_t work;
};

enum { NODES_FIRST = 64, SLOTS_FIRST = 128 };

struct bt_plan_placed_step bt_plan_placed_step_first(struct bt_plan_placed_step a,
                                                     struct bt_plan_placed_step b)
{
    if (a.wave != b.wave) {
        return a.wave > b.wave ? a : b;
    }
    return a.step <= b.step ? a : b;
}

struct bt_plan_path_tree *bt_plan_path_tree_new(struct bt_arena *arena, uint64_t seed)
{
    struct bt_plan_path_tree *tree = BT_NEW(arena, struct bt_plan_path_tree);
    if (!tree) {
        return NULL;
    }
    *tree = (struct bt_plan_path_tree){
        .arena = arena,
        .seed = seed,
        .nodes = BT_NEW_ARRAY(arena, struct plan_pathtree_node, NODES_FIRST),
        .nodes_count = 1,
        .nodes_capacity = NODES_FIRST,
        .edges = BT_NEW_ARRAY(arena, struct plan_pathtree_edge, SLOTS_FIRST),
        .mask = SLOTS_FIRST - 1};
    return tree->nodes && tree->edges ? tree : NULL;
}

static size_t hash_edge(uint64_t seed, size_t parent, bt_str segment)
{
    uint64_t state = seed ^ (parent * UINT64_C(0x9e3779b97f4a7c15));
    for (size_t i = 0; i < segment.len; i++) {
        state = (state ^ (unsigned char)segment.ptr[i]) * UINT64_C(0xd6e8feb86659fd93);
        state ^= state >> 32;
    }
    return (size_t)(state ^ state >> 29);
}

static struct plan_pathtree_edge *edge_of(const struct bt_plan_path_tree *tree, size_t parent,
                                          bt_str segment)
{
    size_t slot = hash_edge(tree->seed, parent, segment) & tree->mask;
    while (tree->edges[slot].child != 0 &&
           (tree->edges[slot].parent != parent || !bt_str_eq(tree->edges[slot].segment, segment))) {
        slot = (slot + 1) & tree->mask;
    }
    return &tree->edges[slot];
}

/* Twice the nodes, and twice the slots: the table is at most half full. */
static enum bt_status grow_tree(struct bt_plan_path_tree *tree)
{
    const size_t capacity = tree->nodes_capacity * 2;
    struct plan_pathtree_node *nodes =
        BT_NEW_ARRAY(tree->arena, struct plan_pathtree_node, capacity);
    struct plan_pathtree_edge *edges =
        BT_NEW_ARRAY(tree->arena, struct plan_pathtree_edge, 2 * capacity);
    if (!nodes || !edges) {
        return BT_ENOMEM;
    }
    memcpy(nodes, tree->nodes, tree->nodes_count * sizeof(*nodes));
    const struct plan_pathtree_edge *old = tree->edges;
    const size_t count = tree->mask + 1;
    tree->nodes = nodes;
    tree->nodes_capacity = capacity;
    tree->edges = edges;
    tree->mask = 2 * capacity - 1;
    for (size_t i = 0; i < count; i++) {
        if (old[i].child != 0) {
            *edge_of(tree, old[i].parent, old[i].segment) = old[i];
        }
    }
    return BT_OK;
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
    if (tree->nodes_count == tree->nodes_capacity) {
        BT_TRY(grow_tree(tree));
    }
    struct plan_pathtree_edge *edge = edge_of(tree, *node, segment);
    if (edge->child == 0) {
        *edge = (struct plan_pathtree_edge){*node, segment, tree->nodes_count++};
    }
    *node = edge->child;
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
        struct plan_pathtree_node *here = &tree->nodes[node];
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
        const struct plan_pathtree_node *here = &tree->nodes[node];
        tree->work++;
        first = bt_plan_placed_step_first(first, here->write);
        first = is_write ? bt_plan_placed_step_first(first, here->read) : first;
        if (!next_segment(path, &at, &segment)) {
            first = bt_plan_placed_step_first(first, here->write_below);
            return is_write ? bt_plan_placed_step_first(first, here->read_below) : first;
        }
        node = edge_of(tree, node, segment)->child;
        if (node == 0) {
            return first;
        }
    }
}

uint64_t bt_plan_path_tree_work(const struct bt_plan_path_tree *tree)
{
    return tree->work;
}
