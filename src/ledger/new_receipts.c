/* SPDX-License-Identifier: Apache-2.0 */
/*
 * new_receipts.c - receipts of entries just recorded, made from memory.
 *
 * A proof for a new entry needs two kinds of hashes: roots of the previous frontier, and subtrees
 * that the new leaves complete. The latter form a pyramid, one row for each level, which is built
 * once for all entries of a transaction.
 */
#include "ledger/new_receipts.h"

#include <assert.h>

/* The first subtree of a level that has new leaves. */
static uint64_t first_of(const struct bt_ledger_new_leaves *fresh, uint32_t level)
{
    return fresh->before->size >> level;
}

static uint64_t width_of(const struct bt_ledger_new_leaves *fresh, uint32_t level)
{
    return (fresh->size >> level) - first_of(fresh, level);
}

/* The root that the old frontier has for subtrees of this level. */
static const struct bt_merkle_hash *old_root(const struct bt_ledger_new_leaves *fresh,
                                             uint32_t level)
{
    const uint64_t size = fresh->before->size;
    assert(size >> level & 1);
    return &fresh->before->roots[bt_merkle_tree_width(size >> level) - 1];
}

static const struct bt_merkle_hash *get_subtree_hash(const struct bt_ledger_new_leaves *fresh,
                                                     uint32_t level, uint64_t n)
{
    const uint64_t first = first_of(fresh, level);
    assert(n + 1 >= first);
    assert(n < first || n - first < width_of(fresh, level));
    return n < first ? old_root(fresh, level) : &fresh->rows[level][n - first];
}

enum bt_status bt_ledger_new_leaves_init(struct bt_ledger_new_leaves *fresh, struct bt_arena *arena,
                                         const struct bt_merkle_tree *before,
                                         const struct bt_merkle_hash *leaves, size_t count)
{
    assert(fresh);
    assert(before);
    *fresh = (struct bt_ledger_new_leaves){.before = before, .size = before->size + count};
    fresh->rows[0] = leaves;
    for (uint32_t level = 1; level < BT_TREE_DEPTH_MAX && width_of(fresh, level) > 0; level++) {
        const uint64_t first = first_of(fresh, level);
        const uint64_t width = width_of(fresh, level);
        struct bt_merkle_hash *row = BT_NEW_ARRAY(arena, struct bt_merkle_hash, width);
        if (!row) {
            return BT_ENOMEM;
        }
        for (uint64_t i = 0; i < width; i++) {
            bt_merkle_hash_node(get_subtree_hash(fresh, level - 1, 2 * (first + i)),
                                get_subtree_hash(fresh, level - 1, 2 * (first + i) + 1), &row[i]);
        }
        fresh->rows[level] = row;
    }
    return BT_OK;
}

static enum bt_status get_subtree(void *context, uint32_t level, uint64_t n,
                                  struct bt_merkle_hash *out)
{
    const struct bt_ledger_new_leaves *fresh = context;
    *out = *get_subtree_hash(fresh, level, n);
    return BT_OK;
}

enum bt_status bt_ledger_new_leaves_prove(struct bt_ledger_new_leaves *fresh,
                                          const struct bt_ledger_record *recorded, bt_str note,
                                          struct bt_receipt *out)
{
    assert(recorded);
    assert(out);
    const struct bt_merkle_subtrees log = {get_subtree, fresh};
    out->form = BT_RECEIPT_JSON;
    out->index = recorded->entry.seq;
    out->has_entry = true;
    out->entry = recorded->text;
    out->checkpoint = note;
    return bt_inclusion_proof_make(&log, out->index, fresh->size, &out->proof);
}
