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

/* Add a complete subtree of 2^height leaves, where the size is a multiple of that. */
static size_t add_subtree(struct bt_merkle_tree *tree, uint32_t height, struct bt_merkle_hash node,
                          struct bt_tile_hash *out_done)
{
    assert(tree->size <= BT_TREE_SIZE_MAX - (UINT64_C(1) << height));
    size_t width = bt_merkle_tree_width(tree->size);
    size_t done = 0;
    for (uint32_t level = height + 1; tree->size >> (level - 1) & 1; level++) {
        bt_merkle_hash_node(&tree->roots[--width], &node, &node);
        if (level % BT_TILE_HEIGHT == 0) {
            out_done[done++] =
                (struct bt_tile_hash){level / BT_TILE_HEIGHT, tree->size >> level, node};
        }
    }
    tree->roots[width] = node;
    tree->size += UINT64_C(1) << height;
    return done;
}

size_t bt_merkle_tree_add(struct bt_merkle_tree *tree, const struct bt_merkle_hash *leaf,
                          struct bt_tile_hash out_done[BT_TILE_LEVELS])
{
    assert(tree);
    assert(leaf);
    return add_subtree(tree, 0, *leaf, out_done);
}

size_t bt_merkle_tree_add_tile(struct bt_merkle_tree *tree, const struct bt_merkle_hash *root,
                               struct bt_tile_hash out_done[BT_TILE_LEVELS])
{
    assert(tree);
    assert(root);
    assert(tree->size % BT_TILE_WIDTH == 0);
    out_done[0] = (struct bt_tile_hash){1, tree->size / BT_TILE_WIDTH, *root};
    return 1 + add_subtree(tree, BT_TILE_HEIGHT, *root, out_done + 1);
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
