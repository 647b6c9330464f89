/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash.h - the hashes of the tree: RFC 6962 section 2.1 over SHA-256.
 *
 * None of this allocates or fails, so the result of a proof depends on its hashes only.
 */
#ifndef BATON_SRC_LEDGER_HASH_H
#define BATON_SRC_LEDGER_HASH_H

#include <baton/base.h>

enum {
    BT_HASH_BYTES = 32,
    BT_HASH_HEX_BYTES = 65,
    BT_HASH_LEAF_PREFIX = 0, /* the byte before an entry ... */
    BT_HASH_NODE_PREFIX = 1, /* ... and before two hashes */
};

struct bt_merkle_hash {
    uint8_t bytes[BT_HASH_BYTES];
};

/* SHA-256 of the bytes alone. */
void bt_merkle_hash_plain(bt_str bytes, struct bt_merkle_hash *out);
/* SHA-256(0x00 || entry) */
void bt_merkle_hash_leaf(bt_str entry, struct bt_merkle_hash *out);
/* SHA-256(0x01 || left || right); `out` may be one of the two. */
void bt_merkle_hash_node(const struct bt_merkle_hash *left, const struct bt_merkle_hash *right,
                         struct bt_merkle_hash *out);
/* The root of the empty tree: SHA-256 of nothing. */
void bt_merkle_hash_empty(struct bt_merkle_hash *out);

/* Sort and remove duplicates; returns how many are left. NULL is allowed for none. */
size_t bt_merkle_hashes_sort(struct bt_merkle_hash *hashes, size_t count);
bool bt_merkle_hash_eq(const struct bt_merkle_hash *a, const struct bt_merkle_hash *b);
/* 64 lower-case hexadecimal digits and a NUL byte. */
void bt_merkle_hash_hex(const struct bt_merkle_hash *hash, char out[BT_HASH_HEX_BYTES]);
/* False unless the text is exactly that. */
bool bt_merkle_hash_from_hex(bt_str text, struct bt_merkle_hash *out);

#endif
