/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proof.c - verify proofs by the iterative procedures of RFC 9162, and make them.
 *
 * Verifying follows the bits of two node numbers up the tree: `at`, the position of the proven
 * node, and `last`, the last node of that level. A proof that is a hash too long or too short ends
 * above or below the root and does not hold.
 */
#include "ledger/proof.h"

#include <assert.h>

#include "base/error.h"

/* Two node numbers of one level that move up together. */
struct proof_climb {
    uint64_t at;
    uint64_t last;
};

static void climb_one(struct proof_climb *climb)
{
    climb->at >>= 1;
    climb->last >>= 1;
}

/* True when the sibling is on the left. Then levels in which the node has no sibling are skipped
 * too. */
static bool sibling_is_left(struct proof_climb *climb)
{
    if (!(climb->at & 1) && climb->at != climb->last) {
        return false;
    }
    while (!(climb->at & 1) && climb->at != 0) {
        climb_one(climb);
    }
    return true;
}

bool bt_inclusion_proof_root(const struct bt_inclusion_proof *claim,
                             const struct bt_merkle_proof *proof, struct bt_merkle_hash *out)
{
    assert(claim);
    assert(proof);
    if (claim->index >= claim->size || proof->count > BT_TREE_DEPTH_MAX) {
        return false;
    }
    struct proof_climb climb = {claim->index, claim->size - 1};
    struct bt_merkle_hash root = claim->leaf;
    for (size_t i = 0; i < proof->count; i++) {
        if (climb.last == 0) {
            return false;
        }
        if (sibling_is_left(&climb)) {
            bt_merkle_hash_node(&proof->hashes[i], &root, &root);
        } else {
            bt_merkle_hash_node(&root, &proof->hashes[i], &root);
        }
        climb_one(&climb);
    }
    *out = root;
    return climb.last == 0;
}

bool bt_inclusion_proof_verify(const struct bt_inclusion_proof *claim,
                               const struct bt_merkle_proof *proof)
{
    struct bt_merkle_hash root;
    return bt_inclusion_proof_root(claim, proof, &root) && bt_merkle_hash_eq(&root, &claim->root);
}

static bool is_power_of_two(uint64_t number)
{
    return number != 0 && (number & (number - 1)) == 0;
}

/* The sizes differ and neither is 0. */
static bool growth_holds(const struct bt_consistency_proof *claim,
                         const struct bt_merkle_proof *proof)
{
    struct proof_climb climb = {claim->old_size - 1, claim->new_size - 1};
    while (climb.at & 1) {
        climb_one(&climb);
    }
    /* A complete old tree is itself the node to start from; the proof leaves it out. */
    const bool is_complete = is_power_of_two(claim->old_size);
    if (proof->count == 0) {
        return false;
    }
    struct bt_merkle_hash old_root = is_complete ? claim->old_root : proof->hashes[0];
    struct bt_merkle_hash new_root = old_root;
    for (size_t i = is_complete ? 0 : 1; i < proof->count; i++) {
        if (climb.last == 0) {
            return false;
        }
        if (sibling_is_left(&climb)) {
            bt_merkle_hash_node(&proof->hashes[i], &old_root, &old_root);
            bt_merkle_hash_node(&proof->hashes[i], &new_root, &new_root);
        } else {
            bt_merkle_hash_node(&new_root, &proof->hashes[i], &new_root);
        }
        climb_one(&climb);
    }
    return climb.last == 0 && bt_merkle_hash_eq(&old_root, &claim->old_root) &&
           bt_merkle_hash_eq(&new_root, &claim->new_root);
}

bool bt_consistency_proof_verify(const struct bt_consistency_proof *claim,
                                 const struct bt_merkle_proof *proof)
{
    assert(claim);
    assert(proof);
    if (claim->old_size > claim->new_size || proof->count > BT_TREE_DEPTH_MAX) {
        return false;
    }
    if (claim->old_size == claim->new_size) {
        return proof->count == 0 && bt_merkle_hash_eq(&claim->old_root, &claim->new_root);
    }
    if (claim->old_size == 0) {
        struct bt_merkle_hash empty;
        bt_merkle_hash_empty(&empty);
        return proof->count == 0 && bt_merkle_hash_eq(&claim->old_root, &empty);
    }
    return growth_holds(claim, proof);
}

/* A run of leaves, from `begin` up to but without `end`. */
struct ledger_proof_range {
    uint64_t begin;
    uint64_t end;
};

/*
 * The root over a range that is one subtree of the tree: it begins at a multiple of a power of two
 * that is not below its length. Its complete subtrees are joined from the right.
 */
static enum bt_status range_root(const struct bt_merkle_subtrees *log,
                                 struct ledger_proof_range range, struct bt_merkle_hash *out)
{
    assert(range.begin < range.end);
    struct bt_merkle_hash root = {{0}};
    uint64_t at = range.end;
    while (at > range.begin) {
        const uint32_t level = (uint32_t)__builtin_ctzll(at - range.begin);
        const bool is_first = at == range.end;
        struct bt_merkle_hash subtree;
        at -= UINT64_C(1) << level;
        BT_TRY(log->get(log->context, level, at >> level, &subtree));
        if (is_first) {
            root = subtree;
        } else {
            bt_merkle_hash_node(&subtree, &root, &root);
        }
    }
    *out = root;
    return BT_OK;
}

uint64_t bt_merkle_split(uint64_t size)
{
    assert(size > 1);
    return UINT64_C(1) << (63 - __builtin_clzll(size - 1));
}

/* The siblings of a path down from the root, the topmost first. */
struct proof_path {
    size_t count;
    struct ledger_proof_range siblings[BT_TREE_DEPTH_MAX + 1];
};

static enum bt_status prove_path(const struct bt_merkle_subtrees *log,
                                 const struct proof_path *path, struct bt_merkle_proof *out)
{
    struct bt_merkle_proof proof = {.count = path->count};
    assert(path->count <= BT_TREE_DEPTH_MAX);
    for (size_t i = 0; i < path->count; i++) {
        BT_TRY(range_root(log, path->siblings[path->count - 1 - i], &proof.hashes[i]));
    }
    *out = proof;
    return BT_OK;
}

enum bt_status bt_inclusion_proof_make(const struct bt_merkle_subtrees *log, uint64_t index,
                                       uint64_t size, struct bt_merkle_proof *out)
{
    assert(log);
    assert(index < size);
    assert(size <= BT_TREE_SIZE_MAX);
    struct proof_path path = {0};
    struct ledger_proof_range here = {0, size};
    while (here.end - here.begin > 1) {
        const uint64_t middle = here.begin + bt_merkle_split(here.end - here.begin);
        if (index < middle) {
            path.siblings[path.count++] = (struct ledger_proof_range){middle, here.end};
            here.end = middle;
        } else {
            path.siblings[path.count++] = (struct ledger_proof_range){here.begin, middle};
            here.begin = middle;
        }
    }
    return prove_path(log, &path, out);
}

enum bt_status bt_consistency_proof_make(const struct bt_merkle_subtrees *log, uint64_t old_size,
                                         uint64_t new_size, struct bt_merkle_proof *out)
{
    assert(log);
    assert(old_size <= new_size);
    assert(new_size <= BT_TREE_SIZE_MAX);
    struct proof_path path = {0};
    struct ledger_proof_range here = {0, new_size};
    if (old_size == 0 || old_size == new_size) {
        return prove_path(log, &path, out);
    }
    while (here.end != old_size) {
        const uint64_t middle = here.begin + bt_merkle_split(here.end - here.begin);
        if (old_size <= middle) {
            path.siblings[path.count++] = (struct ledger_proof_range){middle, here.end};
            here.end = middle;
        } else {
            path.siblings[path.count++] = (struct ledger_proof_range){here.begin, middle};
            here.begin = middle;
        }
    }
    if (here.begin > 0) { /* else it is the whole old tree, whose root is known */
        path.siblings[path.count++] = here;
    }
    return prove_path(log, &path, out);
}

enum bt_status bt_merkle_subtrees_root(const struct bt_merkle_subtrees *log, uint64_t size,
                                       struct bt_merkle_hash *out)
{
    assert(log);
    assert(size <= BT_TREE_SIZE_MAX);
    if (size == 0) {
        bt_merkle_hash_empty(out);
        return BT_OK;
    }
    return range_root(log, (struct ledger_proof_range){0, size}, out);
}

enum bt_status bt_merkle_subtrees_range(const struct bt_merkle_subtrees *log, uint64_t begin,
                                        uint64_t end, struct bt_merkle_hash *out)
{
    return range_root(log, (struct ledger_proof_range){begin, end}, out);
}
