/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash.c - leaves and nodes.
 */
#include "ledger/hash.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/hex.h"

/* SHA-256 of some parts, one after the other. */
static void hash_parts(const bt_str *parts, size_t count, struct bt_merkle_hash *out)
{
    struct bt_sha256_state state;
    bool is_done = bt_sha256_begin(&state) == BT_OK;
    for (size_t i = 0; i < count; i++) {
        is_done &= bt_sha256_add(&state, parts[i]) == BT_OK;
    }
    is_done &= bt_sha256_end(&state, out->bytes) == BT_OK;
    assert(is_done); /* they return a status, but nothing can fail */
}

void bt_merkle_hash_plain(bt_str bytes, struct bt_merkle_hash *out)
{
    assert(out);
    hash_parts(&bytes, 1, out);
}

void bt_merkle_hash_leaf(bt_str entry, struct bt_merkle_hash *out)
{
    assert(out);
    const char prefix = BT_HASH_LEAF_PREFIX;
    const bt_str parts[] = {{&prefix, 1}, entry};
    hash_parts(parts, 2, out);
}

void bt_merkle_hash_node(const struct bt_merkle_hash *left, const struct bt_merkle_hash *right,
                         struct bt_merkle_hash *out)
{
    assert(left);
    assert(right);
    assert(out);
    char text[1 + 2 * BT_HASH_BYTES];
    text[0] = BT_HASH_NODE_PREFIX;
    memcpy(text + 1, left->bytes, BT_HASH_BYTES);
    memcpy(text + 1 + BT_HASH_BYTES, right->bytes, BT_HASH_BYTES);
    const bt_str part = {text, sizeof(text)};
    hash_parts(&part, 1, out);
}

void bt_merkle_hash_empty(struct bt_merkle_hash *out)
{
    bt_merkle_hash_plain(BT_STR(""), out);
}

static int compare_hashes(const void *a, const void *b)
{
    return memcmp(a, b, BT_HASH_BYTES);
}

size_t bt_merkle_hashes_sort(struct bt_merkle_hash *hashes, size_t count)
{
    size_t kept = 0;
    if (count == 0) {
        return 0;
    }
    assert(hashes);
    qsort(hashes, count, sizeof(hashes[0]), compare_hashes);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || compare_hashes(&hashes[i], &hashes[kept - 1]) != 0) {
            hashes[kept++] = hashes[i];
        }
    }
    return kept;
}

bool bt_merkle_hash_eq(const struct bt_merkle_hash *a, const struct bt_merkle_hash *b)
{
    assert(a);
    assert(b);
    return memcmp(a->bytes, b->bytes, BT_HASH_BYTES) == 0;
}

void bt_merkle_hash_hex(const struct bt_merkle_hash *hash, char out[BT_HASH_HEX_BYTES])
{
    assert(hash);
    bt_hex_put(hash->bytes, BT_HASH_BYTES, out);
    out[BT_HASH_HEX_BYTES - 1] = '\0';
}

bool bt_merkle_hash_from_hex(bt_str text, struct bt_merkle_hash *out)
{
    assert(out);
    struct bt_merkle_hash hash = {{0}};
    if (text.len != (size_t)2 * BT_HASH_BYTES) {
        return false;
    }
    if (!bt_hex_decode(text.ptr, BT_HASH_BYTES, hash.bytes)) {
        return false;
    }
    *out = hash;
    return true;
}
