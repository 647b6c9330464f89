/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.h - the constant tables of an encoding, and how they are asked.
 *
 * A token is known by its rank, a number below 2^18. The only joins that ever happen are those of
 * the two halves that each token was made from, so a table of pairs replaces all text. Sets are
 * perfect hashes: a bucket's seed sends each of its keys to a slot of its own, so that one probe
 * and one comparison decide. tools/make_token_tables.c makes the tables when Baton is built.
 */
#ifndef BATON_SRC_TOKEN_TABLE_H
#define BATON_SRC_TOKEN_TABLE_H

#include <baton/base.h>

#include <string.h>

enum {
    BT_RANK_BITS = 18,
    BT_RANK_NONE = (1 << BT_RANK_BITS) - 1, /* above every rank */
    BT_WORD_BYTES = 16,                     /* the longest token that is found by its bytes */
};

/* Where the keys of a perfect hash are. */
struct bt_token_set {
    const uint16_t *seeds;
    const uint64_t *slots;
    uint32_t seed_count;
    uint32_t slot_count;
};

struct bt_token_table {
    uint32_t count;             /* of tokens */
    const uint32_t *bytes;      /* [256]: the rank of each byte */
    const uint32_t *byte_pairs; /* [65536]: the rank of each two bytes, or BT_RANK_NONE */
    const uint64_t *filter;     /* 2^21 bits: not set where there is no such pair */
    struct bt_token_set pairs;  /* left + 1, right, joined; 18 bits each */
    struct bt_token_set shorts; /* tokens of up to 8 bytes */
    struct bt_token_set longs;  /* of 9 to 16 bytes, in two slots */
};

extern const struct bt_token_table bt_token_o200k_base;
extern const struct bt_token_table bt_token_cl100k_base;

/* ---- Hashing --------------------------------------------------------------------------------- */

static inline uint64_t bt_token_mix(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    const wide product = (wide)(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xd6e8feb86659fd93u);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* A number below `count` from the upper half of a hash. */
static inline uint32_t bt_token_reduce(uint64_t hash, uint32_t count)
{
    return (uint32_t)(((hash >> 32) * count) >> 32);
}

static inline uint32_t bt_token_seed_index(uint64_t hash, uint32_t seed_count)
{
    return bt_token_reduce(hash << 32, seed_count);
}

static inline uint32_t bt_token_slot_index(uint64_t hash, uint16_t seed, uint32_t slot_count)
{
    return bt_token_reduce((hash ^ seed) * 0xff51afd7ed558ccdu, slot_count);
}

static inline uint32_t bt_token_slot(const struct bt_token_set *set, uint64_t hash)
{
    const uint16_t seed = set->seeds[bt_token_seed_index(hash, set->seed_count)];
    return bt_token_slot_index(hash, seed, set->slot_count);
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

enum { BT_FILTER_BITS = 21 };

/* Never zero, which is what an empty slot holds. */
static inline uint64_t bt_token_pair_key(uint32_t left, uint32_t right)
{
    return (uint64_t)(left + 1) << BT_RANK_BITS | right;
}

static inline uint64_t bt_token_pair_hash(uint64_t key)
{
    return bt_token_mix(key, 0);
}

/* What the two tokens join to, or BT_RANK_NONE. */
static inline uint32_t bt_token_join(const struct bt_token_table *table, uint32_t left,
                                     uint32_t right)
{
    const uint64_t key = bt_token_pair_key(left, right);
    const uint64_t hash = bt_token_pair_hash(key);
    const uint64_t bit = hash >> (64 - BT_FILTER_BITS);
    if ((table->filter[bit >> 6] >> (bit & 63) & 1) == 0) {
        return BT_RANK_NONE;
    }
    const uint64_t slot = table->pairs.slots[bt_token_slot(&table->pairs, hash)];
    return slot >> BT_RANK_BITS == key ? (uint32_t)slot & BT_RANK_NONE : BT_RANK_NONE;
}

/* ---- Words ----------------------------------------------------------------------------------- */

/* Up to 16 bytes, with zeros behind them. Two that end in another byte than zero are equal when
 * their words are. */
struct bt_token_word {
    uint64_t low;
    uint64_t high;
};

static inline uint64_t bt_token_load(const uint8_t *bytes)
{
    uint64_t word = 0;
    memcpy(&word, bytes, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* The first `length` bytes, 1 to 16, of 16 that can be read. */
static inline struct bt_token_word bt_token_word(const uint8_t bytes[BT_WORD_BYTES], size_t length)
{
    struct bt_token_word word = {bt_token_load(bytes), bt_token_load(bytes + 8)};
    if (length <= 8) {
        word.low &= ~(uint64_t)0 >> (64 - 8 * length);
        word.high = 0;
    } else {
        word.high &= ~(uint64_t)0 >> (128 - 8 * length);
    }
    return word;
}

static inline uint64_t bt_token_word_hash(struct bt_token_word word)
{
    return bt_token_mix(word.low, word.high);
}

/* Whether a word of `length` bytes, the last of which is not zero, is a token. */
static inline bool bt_token_has(const struct bt_token_table *table, struct bt_token_word word,
                                uint64_t hash, size_t length)
{
    if (length <= 8) {
        return table->shorts.slots[bt_token_slot(&table->shorts, hash)] == word.low;
    }
    const uint64_t *slot = table->longs.slots + (size_t)2 * bt_token_slot(&table->longs, hash);
    return slot[0] == word.low && slot[1] == word.high;
}

#endif
