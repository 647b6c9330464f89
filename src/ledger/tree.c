/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.c - grow a tree by its frontier.
 *
 * The size in binary says which complete subtrees there are. A new leaf is added like a one to a
 * binary number: each carry joins two subtrees of equal size.
 */
#include "ledger/tree.h"

#include <assert.h>
#include <string.h>

void bt_merkle_tree_init(struct bt_merkle_tree *tree)
{
    assert(tree);
    *tree = (struct bt_merkle_tree){0};
}

size_t bt_merkle_tree_width(uint64_t size)
{
    return (size_t)__builtin_popcountll(size);
}

size_t bt_merkle_tree_add(struct bt_merkle_tree *tree, const struct bt_merkle_hash *leaf,
                          struct bt_tile_hash out_done[BT_TILE_LEVELS])
{
    assert(tree);
    assert(leaf);
    assert(tree->size < BT_TREE_SIZE_MAX);
    struct bt_merkle_hash node = *leaf;
    size_t width = bt_merkle_tree_width(tree->size);
    size_t done = 0;
    for (uint32_t level = 1; tree->size >> (level - 1) & 1; level++) {
        bt_merkle_hash_node(&tree->roots[--width], &node, &node);
        if (level % BT_TILE_HEIGHT == 0) {
            out_done[done++] =
                (struct bt_tile_hash){level / BT_TILE_HEIGHT, tree->size >> level, node};
        }
    }
    tree->roots[width] = node;
    tree->size++;
    return done;
}

void bt_merkle_tree_root(const struct bt_merkle_tree *tree, struct bt_merkle_hash *out)
{
    assert(tree);
    size_t width = bt_merkle_tree_width(tree->size);
    if (width == 0) {
        bt_merkle_hash_empty(out);
        return;
    }
    struct bt_merkle_hash root = tree->roots[--width];
    while (width > 0) {
        bt_merkle_hash_node(&tree->roots[--width], &root, &root);
    }
    *out = root;
}

bt_str bt_merkle_tree_frontier(const struct bt_merkle_tree *tree)
{
    assert(tree);
    return (bt_str){(const char *)tree->roots, bt_merkle_tree_width(tree->size) * BT_HASH_BYTES};
}

bool bt_merkle_tree_restore(struct bt_merkle_tree *tree, uint64_t size, bt_str frontier)
{
    assert(tree);
    if (size > BT_TREE_SIZE_MAX || frontier.len != bt_merkle_tree_width(size) * BT_HASH_BYTES) {
        return false;
    }
    bt_merkle_tree_init(tree);
    tree->size = size;
    if (frontier.len > 0) {
        memcpy(tree->roots, frontier.ptr, frontier.len);
    }
    return true;
}
