/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proof.h - proofs that an entry is in a tree, and that one tree extends another: made from the
 * hashes of a log, verified from the proof alone.
 */
#ifndef BATON_SRC_LEDGER_PROOF_H
#define BATON_SRC_LEDGER_PROOF_H

#include "ledger/tree.h"

struct bt_merkle_proof {
    size_t count;
    struct bt_merkle_hash hashes[BT_TREE_DEPTH_MAX]; /* leaf side first */
};

/* ---- Judging --------------------------------------------------------------------------------- */

/* What an inclusion proof is about. */
struct bt_inclusion_proof {
    uint64_t index;
    uint64_t size;
    struct bt_merkle_hash leaf;
    struct bt_merkle_hash root;
};

/* RFC 9162 section 2.1.3.2: compute the root that the proof leads to from the leaf; the root of the
 * claim is not used. False: the proof does not have the length that index and size need. */
BT_MUST_USE bool bt_inclusion_proof_root(const struct bt_inclusion_proof *claim,
                                         const struct bt_merkle_proof *proof,
                                         struct bt_merkle_hash *out);
/* RFC 9162 section 2.1.3.2: true when the leaf is at `index` in the tree with this root. */
bool bt_inclusion_proof_verify(const struct bt_inclusion_proof *claim,
                               const struct bt_merkle_proof *proof);

struct bt_consistency_proof {
    uint64_t old_size;
    uint64_t new_size;
    struct bt_merkle_hash old_root;
    struct bt_merkle_hash new_root;
};

/* RFC 9162 section 2.1.4.2: true when the new tree begins with all of the old one. An old size
 * of 0 and equal sizes have an empty proof. */
bool bt_consistency_proof_verify(const struct bt_consistency_proof *claim,
                                 const struct bt_merkle_proof *proof);

/* ---- Making ---------------------------------------------------------------------------------- */

/* The root of the n-th complete subtree of 2^level leaves. */
typedef enum bt_status bt_merkle_subtree_fn(void *context, uint32_t level, uint64_t n,
                                            struct bt_merkle_hash *out);

/* The log as proofs use it. */
struct bt_merkle_subtrees {
    bt_merkle_subtree_fn *get;
    void *context;
};

/* RFC 6962 section 2.1.1, for an index below the size. Fails as the log fails. */
BT_MUST_USE enum bt_status bt_inclusion_proof_make(const struct bt_merkle_subtrees *log,
                                                   uint64_t index, uint64_t size,
                                                   struct bt_merkle_proof *out);
/* RFC 6962 section 2.1.2, for an old size of at most the new one. */
BT_MUST_USE enum bt_status bt_consistency_proof_make(const struct bt_merkle_subtrees *log,
                                                     uint64_t old_size, uint64_t new_size,
                                                     struct bt_merkle_proof *out);
/* The root of the log when it had `size` leaves. */
BT_MUST_USE enum bt_status bt_merkle_subtrees_root(const struct bt_merkle_subtrees *log,
                                                   uint64_t size, struct bt_merkle_hash *out);
/* Where a tree of `size` > 1 leaves is split: the largest power of two below the size. */
uint64_t bt_merkle_split(uint64_t size);
/* The root over the leaves from `begin` up to, without, `end`: a subtree of the tree. */
BT_MUST_USE enum bt_status bt_merkle_subtrees_range(const struct bt_merkle_subtrees *log,
                                                    uint64_t begin, uint64_t end,
                                                    struct bt_merkle_hash *out);

#endif
