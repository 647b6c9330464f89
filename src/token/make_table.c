/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_table.c - a merge list -> tokens -> perfect hashes.
 */
#include "token/make_table.h"

#include <assert.h>
#include <stdlib.h>

enum {
    TOKENS_MAX = 1 << BT_RANK_BITS,
    HEAD_BYTES = 8 + 256,
    BYTE_PAIRS = 65536,
    SEEDS_MAX = 65536,
    KEYS_BY_SEED = 3, /* at least, and less than twice that */
};

struct make_table_key {
    uint64_t hash;
    uint64_t words[2]; /* what its slot holds */
    uint32_t bucket;
};

struct make_table_bucket {
    uint32_t first; /* key */
    uint32_t count;
    uint32_t index;
};

struct make_table_state {
    struct bt_arena *arena;   /* of the tables */
    struct bt_arena *scratch; /* of what is needed to make them */
    struct bt_token_entry *tokens;
    uint32_t count;
    struct make_table_key *keys; /* of the set that is being made */
    uint32_t key_count;
};

/* ---- Reading --------------------------------------------------------------------------------- */

static bool next_number(const uint8_t **at, const uint8_t *end, uint32_t *out)
{
    *out = 0;
    for (unsigned shift = 0; shift < 28 && *at < end; shift += 7) {
        const uint8_t digit = *(*at)++;
        *out |= (uint32_t)(digit & 127) << shift;
        if (digit < 128) {
            return true;
        }
    }
    return false;
}

/* Join the halves of a token, which came before it. */
static enum bt_status join_token(struct make_table_state *in, uint32_t rank, const uint8_t **at,
                                 const uint8_t *end)
{
    struct bt_token_entry *token = &in->tokens[rank];
    if (!next_number(at, end, &token->left) || !next_number(at, end, &token->right) ||
        token->left >= rank || token->right >= rank) {
        return BT_ECORRUPT;
    }
    const struct bt_token_entry *left = &in->tokens[token->left];
    const struct bt_token_entry *right = &in->tokens[token->right];
    token->length = left->length + right->length;
    if (token->length > BT_TOKEN_BYTES_MAX) {
        return BT_ECORRUPT;
    }
    /* Words are read 16 bytes at a time. */
    uint8_t *bytes = bt_arena_alloc(in->scratch, token->length + BT_WORD_BYTES);
    if (!bytes) {
        return BT_ENOMEM;
    }
    memcpy(bytes, left->bytes, left->length);
    memcpy(bytes + left->length, right->bytes, right->length);
    token->bytes = bytes;
    return BT_OK;
}

static enum bt_status read_tokens(struct make_table_state *in, bt_str merges)
{
    const uint8_t *bytes = (const uint8_t *)merges.ptr;
    if (merges.len < HEAD_BYTES || memcmp(bytes, "BTM1", 4) != 0 || bytes[7] != 0) {
        return BT_ECORRUPT;
    }
    in->count = (uint32_t)bytes[4] | (uint32_t)bytes[5] << 8 | (uint32_t)bytes[6] << 16;
    if (in->count < 256 || in->count >= TOKENS_MAX) {
        return BT_ECORRUPT;
    }
    in->tokens = BT_NEW_ARRAY(in->scratch, struct bt_token_entry, in->count);
    in->keys = BT_NEW_ARRAY(in->scratch, struct make_table_key, in->count);
    uint8_t *head = bt_arena_alloc(in->scratch, 256 + BT_WORD_BYTES);
    if (!in->tokens || !in->keys || !head) {
        return BT_ENOMEM;
    }
    memcpy(head, bytes + 8, 256);
    const uint8_t *at = bytes + HEAD_BYTES;
    const uint8_t *end = bytes + merges.len;
    for (uint32_t rank = 0; rank < in->count; rank++) {
        if (rank < 256) {
            in->tokens[rank] = (struct bt_token_entry){rank, rank, 1, head + rank};
        } else {
            BT_TRY(join_token(in, rank, &at, end));
        }
    }
    return at == end ? BT_OK : BT_ECORRUPT;
}

/* ---- Perfect hashes -------------------------------------------------------------------------- */

static int compare_buckets(const void *a, const void *b)
{
    const struct make_table_key *left = a;
    const struct make_table_key *right = b;
    if (left->bucket != right->bucket) {
        return left->bucket > right->bucket ? 1 : -1;
    }
    return (left->hash > right->hash) - (left->hash < right->hash);
}

/* The largest first, while there is room. */
static int compare_sizes(const void *a, const void *b)
{
    const struct make_table_bucket *left = a;
    const struct make_table_bucket *right = b;
    if (left->count != right->count) {
        return left->count < right->count ? 1 : -1;
    }
    return (left->index > right->index) - (left->index < right->index);
}

/* Try a seed: take the slots of all keys of the bucket, or none. */
static bool place_keys(const struct make_table_key *keys, uint32_t count, uint16_t seed,
                       uint8_t *taken, uint32_t slot_count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *slot = &taken[bt_token_slot_index(keys[i].hash, seed, slot_count)];
        if (*slot) {
            while (i > 0) {
                taken[bt_token_slot_index(keys[--i].hash, seed, slot_count)] = 0;
            }
            return false;
        }
        *slot = 1;
    }
    return true;
}

static enum bt_status find_seed(const struct make_table_key *keys, uint32_t count, uint8_t *taken,
                                uint32_t slot_count, uint16_t *out)
{
    for (uint32_t seed = 0; seed < SEEDS_MAX; seed++) {
        if (place_keys(keys, count, (uint16_t)seed, taken, slot_count)) {
            *out = (uint16_t)seed;
            return BT_OK;
        }
    }
    return BT_ECORRUPT; /* two keys are equal */
}

static uint32_t seed_bits_for(uint32_t key_count)
{
    uint32_t bits = 1;
    while ((uint32_t)KEYS_BY_SEED << (bits + 1) <= key_count) {
        bits++;
    }
    return bits;
}

/* Sort the keys by bucket, and give the buckets, the largest first. */
static struct make_table_bucket *make_buckets(struct make_table_state *in, uint32_t seed_bits)
{
    const size_t bucket_count = (size_t)1 << seed_bits;
    struct make_table_bucket *buckets =
        BT_NEW_ARRAY(in->scratch, struct make_table_bucket, bucket_count);
    if (!buckets) {
        return NULL;
    }
    for (uint32_t i = 0; i < in->key_count; i++) {
        in->keys[i].bucket = bt_token_seed_index(in->keys[i].hash, seed_bits);
    }
    qsort(in->keys, in->key_count, sizeof(*in->keys), compare_buckets);
    for (uint32_t i = in->key_count; i > 0; i--) {
        struct make_table_bucket *bucket = &buckets[in->keys[i - 1].bucket];
        *bucket = (struct make_table_bucket){i - 1, bucket->count + 1, in->keys[i - 1].bucket};
    }
    qsort(buckets, bucket_count, sizeof(*buckets), compare_sizes);
    return buckets;
}

/* Make the seeds and slots of the keys, `width` words to a slot. */
static enum bt_status make_set(struct make_table_state *in, size_t width, struct bt_token_set *out)
{
    const uint32_t slot_count = in->key_count + in->key_count / 32 + 1;
    const uint32_t seed_bits = seed_bits_for(in->key_count);
    const size_t seed_count = (size_t)1 << seed_bits;
    uint16_t *seeds = BT_NEW_ARRAY(in->arena, uint16_t, seed_count);
    uint64_t *slots = BT_NEW_ARRAY(in->arena, uint64_t, slot_count * width);
    uint8_t *taken = BT_NEW_ARRAY(in->scratch, uint8_t, slot_count);
    const struct make_table_bucket *buckets = make_buckets(in, seed_bits);
    if (!buckets || !taken || !seeds || !slots) {
        return BT_ENOMEM;
    }
    for (size_t b = 0; b < seed_count && buckets[b].count > 0; b++) {
        const struct make_table_key *first = &in->keys[buckets[b].first];
        uint16_t seed = 0;
        BT_TRY(find_seed(first, buckets[b].count, taken, slot_count, &seed));
        seeds[buckets[b].index] = seed;
        for (uint32_t i = 0; i < buckets[b].count; i++) {
            const uint32_t slot = bt_token_slot_index(first[i].hash, seed, slot_count);
            memcpy(slots + slot * width, first[i].words, width * sizeof(*slots));
        }
    }
    *out = (struct bt_token_set){seeds, slots, seed_bits, slot_count};
    return BT_OK;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static enum bt_status make_bytes(struct make_table_state *in, struct bt_token_table *table)
{
    uint32_t *bytes = BT_NEW_ARRAY(in->arena, uint32_t, 256);
    uint32_t *pairs = BT_NEW_ARRAY(in->arena, uint32_t, BYTE_PAIRS);
    if (!bytes || !pairs) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < BYTE_PAIRS; i++) {
        pairs[i] = BT_RANK_NONE;
    }
    for (uint32_t rank = 0; rank < in->count; rank++) {
        const struct bt_token_entry *token = &in->tokens[rank];
        if (token->length == 1) {
            bytes[token->bytes[0]] = rank;
        } else if (token->length == 2) {
            pairs[(size_t)token->bytes[0] << 8 | token->bytes[1]] = rank;
        }
    }
    table->bytes = bytes;
    table->byte_pairs = pairs;
    return BT_OK;
}

static enum bt_status make_pairs(struct make_table_state *in, struct bt_token_table *table)
{
    uint64_t *filter = BT_NEW_ARRAY(in->arena, uint64_t, ((size_t)1 << BT_FILTER_BITS) / 64);
    if (!filter) {
        return BT_ENOMEM;
    }
    in->key_count = 0;
    for (uint32_t rank = 256; rank < in->count; rank++) {
        const struct bt_token_entry *token = &in->tokens[rank];
        const uint64_t hash = bt_token_pair_hash(token->left, token->right);
        const uint64_t bit = hash >> (64 - BT_FILTER_BITS);
        filter[bit >> 6] |= (uint64_t)1 << (bit & 63);
        in->keys[in->key_count++] = (struct make_table_key){
            hash, {bt_token_pair_key(token->left, token->right) << BT_RANK_BITS | rank}, 0};
    }
    table->filter = filter;
    return make_set(in, 1, &table->pairs);
}

static void add_bit(uint64_t *bits, uint32_t bit)
{
    bits[bit >> 6] |= UINT64_C(1) << (bit & 63);
}

/* Note that the token has bytes on both sides of its byte `at`. */
static void add_crossings(uint64_t *crossings, const struct bt_token_entry *token, uint32_t at)
{
    const uint8_t *place = token->bytes + at;
    const uint64_t near = (uint64_t)place[-1] << 8 | (uint64_t)place[0] << 16;
    if (at > 1 && token->length - at > 2) {
        add_bit(crossings, bt_token_crossing_bit(near | place[-2] | (uint64_t)place[1] << 24 |
                                                 (uint64_t)place[2] << 32));
        return;
    }
    const bool is_last = token->length - at == 1;
    for (unsigned byte = 0x80; byte < 0xc0; byte++) {
        const uint64_t second = is_last ? byte : place[1];
        add_bit(crossings, bt_token_short_crossing_bit(near | second << 24));
    }
}

static enum bt_status make_crossings(struct make_table_state *in, struct bt_token_table *table)
{
    uint64_t *crossings = BT_NEW_ARRAY(in->arena, uint64_t, ((size_t)1 << BT_CROSSING_BITS) / 64);
    if (!crossings) {
        return BT_ENOMEM;
    }
    for (uint32_t rank = 0; rank < in->count; rank++) {
        const struct bt_token_entry *token = &in->tokens[rank];
        for (uint32_t at = 1; at < token->length; at++) {
            if (token->bytes[at] >= BT_LONG_CHAR && token->bytes[at - 1] >= 0x80) {
                add_crossings(crossings, token, at);
            }
        }
    }
    table->crossings = crossings;
    return BT_OK;
}

/* The tokens of these lengths, save those whose last byte would pass for padding. */
static enum bt_status make_words(struct make_table_state *in, uint32_t length_max,
                                 struct bt_token_set *out)
{
    in->key_count = 0;
    for (uint32_t rank = 0; rank < in->count; rank++) {
        const struct bt_token_entry *token = &in->tokens[rank];
        if (token->length > length_max || token->length <= length_max - 8 ||
            token->bytes[token->length - 1] == 0) {
            continue;
        }
        const struct bt_token_word word = bt_token_word(token->bytes, token->length);
        in->keys[in->key_count++] =
            (struct make_table_key){bt_token_word_hash(word), {word.low, word.high}, 0};
    }
    return make_set(in, length_max / 8, out);
}

enum bt_status bt_token_tables_make(struct bt_arena *arena, struct bt_arena *scratch, bt_str merges,
                                    struct bt_token_tables *out)
{
    assert(arena);
    assert(scratch);
    assert(out);
    struct make_table_state in = {.arena = arena, .scratch = scratch};
    struct bt_token_tables made = {0};
    BT_TRY(read_tokens(&in, merges));
    BT_TRY(make_bytes(&in, &made.table));
    BT_TRY(make_pairs(&in, &made.table));
    BT_TRY(make_crossings(&in, &made.table));
    BT_TRY(make_words(&in, 8, &made.table.words[0]));
    BT_TRY(make_words(&in, 16, &made.table.words[1]));
    made.table.count = in.count;
    made.tokens = in.tokens;
    *out = made;
    return BT_OK;
}
