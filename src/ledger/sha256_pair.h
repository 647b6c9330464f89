/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sha256_pair.h - SHA-256 of many short texts, for code that walks a log or joins many hashes.
 *
 * A round of SHA-256 depends on the round before it, so a processor with SHA instructions idles
 * half of the time. Two interleaved hashes fill the gaps.
 */
#ifndef BATON_SRC_LEDGER_SHA256_PAIR_H
#define BATON_SRC_LEDGER_SHA256_PAIR_H

#include "ledger/hash.h"

enum { BT_SHA256_BLOCK_BYTES = 64 };

/* A text of `size` bytes that is followed by its padding, up to the end of a block. */
struct bt_sha256_text {
    const uint8_t *bytes;
    size_t size;
};

/* The size of a text with its padding: a one bit, zeros, and 8 bytes for its length. */
static inline size_t bt_sha256_padded_size(size_t size)
{
    return (size + 1 + 8 + BT_SHA256_BLOCK_BYTES - 1) / BT_SHA256_BLOCK_BYTES *
           BT_SHA256_BLOCK_BYTES;
}

/* Put the padding behind `size` bytes of text. */
void bt_sha256_pad(uint8_t *bytes, size_t size);
/* True when this processor has the instructions. */
bool bt_sha256_pair_is_supported(void);
/* out[i] = the hash of texts[i]; two at a time with `in_pairs`. */
void bt_sha256_pair_hash(const struct bt_sha256_text *texts, size_t count, bool in_pairs,
                         struct bt_merkle_hash *out);

enum { BT_NODES_MAX = 128, BT_NODE_PADDED_BYTES = 128 };

/* Room for the texts of nodes, two hashes each; their prefixes and padding are always the same. */
struct bt_sha256_nodes {
    uint8_t texts[BT_NODES_MAX][BT_NODE_PADDED_BYTES];
};

/* Prepare room for `count` nodes. */
void bt_sha256_nodes_init(struct bt_sha256_nodes *nodes, size_t count);
/* The root over `width` hashes, a power of two and at most twice the nodes there is room for. */
void bt_sha256_nodes_root(struct bt_sha256_nodes *nodes, const struct bt_merkle_hash *hashes,
                          size_t width, bool in_pairs, struct bt_merkle_hash *out);

#endif
