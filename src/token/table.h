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

#include <baton/tokens.h>

#include <string.h>

enum {
    BT_RANK_BITS = 18,
    BT_RANK_NONE = (1 << BT_RANK_BITS) - 1, /* above every rank */
    BT_TOKEN_BYTES_MAX = 128,               /* in either encoding */
    BT_WORD_BYTES = 16,                     /* the longest token that is found by its bytes */
    BT_ONES_COUNT = 64,                     /* of bt_token_ones_and_zeros */
};

/* A perfect hash. */
struct bt_token_set {
    const uint16_t *seeds; /* [2^seed_bits] */
    const uint64_t *slots;
    uint32_t seed_bits;
    uint32_t slot_count;
};

struct bt_token_table {
    uint32_t count;               /* of tokens */
    const uint32_t *bytes;        /* [256]: the rank of each byte */
    const uint32_t *byte_pairs;   /* [65536]: the rank of each two bytes, or BT_RANK_NONE */
    const uint64_t *filter;       /* 2^21 bits: not set where there is no such pair */
    const uint64_t *crossings;    /* 2^17 bits: not set where no token crosses; below */
    struct bt_token_set pairs;    /* left + 1, right, joined; 18 bits each */
    struct bt_token_set words[2]; /* tokens of up to 8 bytes; of 9 to 16, in two slots */
};

extern const struct bt_token_table bt_token_o200k_base;
extern const struct bt_token_table bt_token_cl100k_base;

/* The table of this build; NULL: it has none, or the encoding needs none. */
const struct bt_token_table *bt_token_table_builtin(enum bt_encoding encoding);

/* ---- Hashing --------------------------------------------------------------------------------- */

enum { BT_FILTER_BITS = 21 };

__extension__ typedef unsigned __int128 bt_token_wide;

/* The bits of a hash below those of the filter choose the seed. */
static inline uint32_t bt_token_seed_index(uint64_t hash, uint32_t seed_bits)
{
    return (uint32_t)(hash << BT_FILTER_BITS >> (64 - seed_bits));
}

static inline uint32_t bt_token_slot_index(uint64_t hash, uint16_t seed, uint32_t slot_count)
{
    const uint64_t mixed = (hash ^ seed * 0xc2b2ae3d27d4eb4fu) * 0xff51afd7ed558ccdu;
    return (uint32_t)((bt_token_wide)mixed * slot_count >> 64);
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

/* Never zero, which is what an empty slot holds. */
static inline uint64_t bt_token_pair_key(uint32_t left, uint32_t right)
{
    return (uint64_t)(left + 1) << BT_RANK_BITS | right;
}

static inline uint64_t bt_token_pair_hash(uint32_t left, uint32_t right)
{
    return left * 0x9e3779b97f4a7c15u + right * 0xd6e8feb86659fd93u;
}

/* What the two tokens join to, or BT_RANK_NONE. Where the filter says that there is nothing, slot 0
 * is looked at for nothing: it is near, and a branch would be guessed wrong too often. */
static inline uint32_t bt_token_join(const struct bt_token_table *table, uint32_t left,
                                     uint32_t right)
{
    const struct bt_token_set *pairs = &table->pairs;
    const uint64_t hash = bt_token_pair_hash(left, right);
    const uint64_t bit = hash >> (64 - BT_FILTER_BITS);
    const uint32_t mask = -(uint32_t)(table->filter[bit >> 6] >> (bit & 63) & 1);
    const uint16_t seed = pairs->seeds[bt_token_seed_index(hash, pairs->seed_bits) & mask];
    const uint64_t slot = pairs->slots[bt_token_slot_index(hash, seed, pairs->slot_count) & mask];
    const bool is_found = slot >> BT_RANK_BITS == bt_token_pair_key(left, right);
    return ((uint32_t)slot | (is_found ? 0 : BT_RANK_NONE)) & BT_RANK_NONE;
}

/* ---- Characters ------------------------------------------------------------------------------ */

/*
 * The set of crossings holds, of each token with bytes on both sides of a place where a character
 * of three bytes or more begins, the two bytes before the place and the three behind it; or, of a
 * token that has fewer, the one before and the two behind, whatever bytes may stand there.
 */
enum {
    BT_CROSSING_BITS = 17,
    BT_LONG_CHAR = 0xe0, /* and above: the first byte of a character of three bytes or more */
};

/* The bit of the bytes around a place: two before it and three behind it, the first lowest. */
static inline uint32_t bt_token_crossing_bit(uint64_t bytes)
{
    return (uint32_t)((bytes * 0x9e3779b97f4a7c15u) >> (64 - BT_CROSSING_BITS));
}

/* That of the one before it and the two behind it alone. */
static inline uint32_t bt_token_short_crossing_bit(uint64_t bytes)
{
    return bt_token_crossing_bit(bytes & UINT32_C(0xffffff00));
}

/* Whether a token may have bytes on both sides of `at`, where a character of three bytes or more
 * begins. Two bytes before it and two behind its first one can be read. */
static inline bool bt_token_may_cross(const struct bt_token_table *table, const uint8_t *at)
{
    uint32_t four;
    memcpy(&four, at - 2, sizeof(four));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    four = __builtin_bswap32(four);
#endif
    const uint64_t bytes = four | (uint64_t)at[2] << 32;
    const uint32_t bit = bt_token_crossing_bit(bytes);
    const uint32_t short_bit = bt_token_short_crossing_bit(bytes);
    return at[-1] < 0x80 || ((table->crossings[bit >> 6] >> (bit & 63) |
                              table->crossings[short_bit >> 6] >> (short_bit & 63)) &
                             1) != 0;
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

/* Lengths follow no rule that a processor could guess, so bytes are kept by masks. */
static const uint8_t bt_token_ones_and_zeros[BT_ONES_COUNT + BT_WORD_BYTES] = {
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};

/* The first `length` bytes, 1 to 16, of 16 that can be read. */
static inline struct bt_token_word bt_token_word(const uint8_t bytes[BT_WORD_BYTES], size_t length)
{
    const uint8_t *mask = bt_token_ones_and_zeros + BT_ONES_COUNT - length;
    return (struct bt_token_word){bt_token_load(bytes) & bt_token_load(mask),
                                  bt_token_load(bytes + 8) & bt_token_load(mask + 8)};
}

static inline uint64_t bt_token_word_hash(struct bt_token_word word)
{
    const bt_token_wide product =
        (bt_token_wide)(word.low ^ 0x9e3779b97f4a7c15u) * (word.high ^ 0xd6e8feb86659fd93u);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Where a word of `length` bytes, the last of which is not zero, would be among the tokens. */
static inline const uint64_t *bt_token_find(const struct bt_token_table *table, uint64_t hash,
                                            size_t length)
{
    const size_t is_long = length > 8;
    const struct bt_token_set *words = &table->words[is_long];
    const uint16_t seed = words->seeds[bt_token_seed_index(hash, words->seed_bits)];
    return words->slots + ((size_t)bt_token_slot_index(hash, seed, words->slot_count) << is_long);
}

/* Whether it is there; a short word is compared with its slot twice. */
static inline bool bt_token_is_at(const uint64_t *slot, struct bt_token_word word)
{
    const bool is_long = word.high != 0;
    return ((slot[0] ^ word.low) | (slot[is_long] ^ (is_long ? word.high : word.low))) == 0;
}

#endif
