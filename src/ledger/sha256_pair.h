/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sha256_pair.h - many hashes at once, for code that walks a whole log.
 *
 * A round of SHA-256 depends on the round before it, so a processor with SHA instructions idles
 * half of the time. Two interleaved hashes fill the gaps.
 */
#ifndef BATON_SRC_LEDGER_SHA256_PAIR_H
#define BATON_SRC_LEDGER_SHA256_PAIR_H

#include "ledger/hash.h"

/* True when this processor has the instructions. Call it once: the test is slow. */
bool bt_sha256_pair_is_supported(void);
/* out[i] = bt_merkle_hash_leaf(entries[i]) */
void bt_sha256_pair_leaves(const bt_str *entries, size_t count, bool has_lanes,
                           struct bt_merkle_hash *out);
/* out[i] = bt_merkle_hash_node(children[2i], children[2i+1]) for `count` nodes; `out` may be
 * `children`. */
void bt_sha256_pair_nodes(const struct bt_merkle_hash *children, size_t count, bool has_lanes,
                          struct bt_merkle_hash *out);

#endif
