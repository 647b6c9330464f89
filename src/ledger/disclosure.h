/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disclosure.h - one proof for many entries of a tree.
 *
 * P(lo, hi) is the next hash of the proof when no disclosed entry is in [lo, hi), the leaf of an
 * entry when hi - lo is 1, and else the node over P(lo, lo + k) and P(lo + k, hi), with k the
 * largest power of two below hi - lo. P(0, size) is the root.
 */
#ifndef BATON_SRC_LEDGER_DISCLOSURE_H
#define BATON_SRC_LEDGER_DISCLOSURE_H

#include "ledger/proof.h"

/* The disclosed entries, ascending and below the size. */
struct bt_disclosure {
    const uint64_t *seqs;
    const struct bt_merkle_hash *leaves;
    size_t count;
    uint64_t size;
};

/*
 * Find the root of the subtree over [lo, hi), in which nothing is disclosed. It comes
 * from the log when a proof is made, and from the proof when it is verified.
 */
typedef enum bt_status bt_disclosure_gap_fn(void *context, uint64_t lo, uint64_t hi,
                                            struct bt_merkle_hash *out);

/* Compute P(0, size); an empty tree has the empty root. Fails as `gap` fails. */
BT_MUST_USE enum bt_status bt_disclosure_root(const struct bt_disclosure *in,
                                              bt_disclosure_gap_fn *gap, void *context,
                                              struct bt_merkle_hash *out);

#endif
