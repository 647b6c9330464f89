/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.h - a tree that grows leaf by leaf, of which only the frontier is stored: the roots of its
 * complete subtrees, the largest first. That is sufficient to add leaves and to compute the root.
 */
#ifndef BATON_SRC_LEDGER_TREE_H
#define BATON_SRC_LEDGER_TREE_H

#include "ledger/hash.h"

enum {
    BT_TREE_DEPTH_MAX = 63, /* sizes are at most 2^63-1 */
    BT_TILE_HEIGHT = 8,     /* a tile holds 2^8 hashes */
    BT_TILE_WIDTH = 256,
    BT_TILE_LEVELS = 8, /* 256^8 leaves are more than any log can have */
};

#define BT_TREE_SIZE_MAX INT64_MAX

struct bt_merkle_tree {
    uint64_t size;
    struct bt_merkle_hash
        roots[BT_TREE_DEPTH_MAX]; /* one for each bit of the size, the highest first */
};

/* The root of the n-th complete subtree of 256^level leaves. */
struct bt_tile_hash {
    uint32_t level;
    uint64_t n;
    struct bt_merkle_hash hash;
};

void bt_merkle_tree_init(struct bt_merkle_tree *tree);
/* Add a leaf. Subtrees of 256, 256^2 ... leaves that it completes go to out_done, lowest first;
 * returns how many. */
size_t bt_merkle_tree_add(struct bt_merkle_tree *tree, const struct bt_merkle_hash *leaf,
                          struct bt_tile_hash out_done[BT_TILE_LEVELS]);
/* Add the 256 leaves of a tile by their root alone; the size is a multiple of 256. */
size_t bt_merkle_tree_add_tile(struct bt_merkle_tree *tree, const struct bt_merkle_hash *root,
                               struct bt_tile_hash out_done[BT_TILE_LEVELS]);
void bt_merkle_tree_root(const struct bt_merkle_tree *tree, struct bt_merkle_hash *out);
/* Number of roots in the frontier. */
size_t bt_merkle_tree_width(uint64_t size);
/* The frontier as bytes, one hash after the other. */
bt_str bt_merkle_tree_frontier(const struct bt_merkle_tree *tree);
/* A tree from its size and frontier; false when the number of bytes does not fit the size. */
bool bt_merkle_tree_restore(struct bt_merkle_tree *tree, uint64_t size, bt_str frontier);

#endif
