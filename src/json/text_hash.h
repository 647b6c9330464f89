/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_hash.h - a 64-bit hash of texts and of hashes, for tables that live as long as one call.
 */
#ifndef BATON_SRC_JSON_TEXT_HASH_H
#define BATON_SRC_JSON_TEXT_HASH_H

#include <string.h>

#include <baton/base.h>

#include "base/uint128.h"

/* One hash of two; which is which matters. */
static inline uint64_t bt_json_hash_combine(uint64_t a, uint64_t b)
{
    const struct bt_uint128 product =
        bt_wide_product(a ^ UINT64_C(0x2545f4914f6cdd1d), b ^ UINT64_C(0x9e3779b97f4a7c15));
    return (product.high ^ product.low) + a;
}

static inline uint64_t bt_json_hash_text(uint64_t seed, bt_str text)
{
    uint64_t hash = bt_json_hash_combine(seed, text.len);
    uint64_t word = 0;
    size_t i = 0;
    for (; text.len - i >= sizeof(word); i += sizeof(word)) {
        memcpy(&word, text.ptr + i, sizeof(word));
        hash = bt_json_hash_combine(hash, word);
    }
    word = 0;
    if (i < text.len) {
        memcpy(&word, text.ptr + i, text.len - i);
    }
    return bt_json_hash_combine(hash, word);
}

#endif
