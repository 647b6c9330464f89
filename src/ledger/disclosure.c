/* SPDX-License-Identifier: Apache-2.0 */
/* disclosure.c - the root of a tree of which some entries and the hashes between them are known. */
#include "ledger/disclosure.h"

#include <assert.h>

#include "base/error.h"

/* A subtree whose root is being computed. */
struct disclosure_subtree {
    uint64_t lo;
    uint64_t hi;
    bool has_left;
    struct bt_merkle_hash left;
};

static uint64_t middle_of(const struct disclosure_subtree *subtree)
{
    return subtree->lo + bt_merkle_split(subtree->hi - subtree->lo);
}

enum bt_status bt_disclosure_root(const struct bt_disclosure *in, bt_disclosure_gap_fn *gap,
                                  void *context, struct bt_merkle_hash *out)
{
    assert(in->size <= BT_TREE_SIZE_MAX);
    struct disclosure_subtree stack[BT_TREE_DEPTH_MAX + 2];
    size_t depth = 1;
    size_t next = 0; /* of the disclosed entries */
    stack[0] = (struct disclosure_subtree){.hi = in->size};
    bt_merkle_hash_empty(out);
    while (depth > 0 && in->size > 0) { /* each turn goes down a level or completes a subtree */
        const struct disclosure_subtree *top = &stack[depth - 1];
        const bool has_entry = next < in->count && in->seqs[next] < top->hi;
        struct bt_merkle_hash hash;
        assert(next == in->count || in->seqs[next] >= top->lo);
        if (has_entry && top->hi - top->lo > 1) {
            assert(depth < sizeof(stack) / sizeof(stack[0]));
            stack[depth] = (struct disclosure_subtree){.lo = top->lo, .hi = middle_of(top)};
            depth++;
            continue;
        }
        if (has_entry) {
            hash = in->leaves[next++];
        } else {
            BT_TRY(gap(context, top->lo, top->hi, &hash));
        }
        for (depth--; depth > 0 && stack[depth - 1].has_left; depth--) {
            bt_merkle_hash_node(&stack[depth - 1].left, &hash, &hash);
        }
        if (depth > 0) {
            struct disclosure_subtree *parent = &stack[depth - 1];
            parent->has_left = true;
            parent->left = hash;
            stack[depth++] = (struct disclosure_subtree){.lo = middle_of(parent), .hi = parent->hi};
        } else {
            *out = hash;
        }
    }
    return BT_OK;
}
