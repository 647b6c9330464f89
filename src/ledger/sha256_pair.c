/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sha256_pair.c - SHA-256 (FIPS 180-4) of many short texts, two at a time.
 *
 * A lane takes the next text as soon as it has finished one, so texts of different lengths leave no
 * gaps. Every text is a prefix of one byte and a body, as the tree needs it: the first block and
 * the last ones are assembled in the lane, those between are read in place.
 */
#include "ledger/sha256_pair.h"

#include <assert.h>
#include <string.h>

enum { LEAF_PREFIX = 0, NODE_PREFIX = 1, NODE_BYTES = 2 * BT_HASH_BYTES };

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

/* Compilers allow these instructions only in functions with this attribute. */
#define WITH_SHA __attribute__((target("sha,sse4.1,ssse3")))

enum { LANES = 2, BLOCK_BYTES = 64, LENGTH_BYTES = 8, GROUPS = 16, WORDS = 4 };

static const uint32_t constants[GROUPS * WORDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/* The eight words of a state in the order of the instructions: a b e f and c d g h. */
struct sha256_pair_state {
    __m128i abef;
    __m128i cdgh;
};

/* A text while it is hashed. */
struct sha256_pair_lane {
    struct sha256_pair_state state;
    bt_str body;
    size_t block;  /* the next block ... */
    size_t blocks; /* ... of so many */
    struct bt_merkle_hash *out;
    unsigned char made[BLOCK_BYTES]; /* a block that is not contiguous in the body */
};

/* Four rounds of each lane. `words` are the four words of the schedule for them. */
WITH_SHA static inline void four_rounds(struct sha256_pair_state states[LANES],
                                        const __m128i words[LANES], __m128i constant)
{
    __m128i sum[LANES];
    for (size_t i = 0; i < LANES; i++) {
        sum[i] = _mm_add_epi32(words[i], constant);
    }
    for (size_t i = 0; i < LANES; i++) {
        states[i].cdgh = _mm_sha256rnds2_epu32(states[i].cdgh, states[i].abef, sum[i]);
    }
    for (size_t i = 0; i < LANES; i++) {
        const __m128i upper = _mm_shuffle_epi32(sum[i], 0x0e);
        states[i].abef = _mm_sha256rnds2_epu32(states[i].abef, states[i].cdgh, upper);
    }
}

/* The next four words of the schedule replace those sixteen words back. */
WITH_SHA static inline void expand_schedule(__m128i schedule[WORDS][LANES], size_t group)
{
    for (size_t i = 0; i < LANES; i++) {
        __m128i *oldest = &schedule[group % WORDS][i];
        const __m128i second = schedule[(group + 1) % WORDS][i];
        const __m128i third = schedule[(group + 2) % WORDS][i];
        const __m128i newest = schedule[(group + 3) % WORDS][i];
        const __m128i seven_back = _mm_alignr_epi8(newest, third, 4);
        const __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(*oldest, second), seven_back);
        *oldest = _mm_sha256msg2_epu32(sum, newest);
    }
}

/* One block of each lane. */
WITH_SHA static void compress_blocks(struct sha256_pair_lane lanes[LANES],
                                     const unsigned char *const blocks[LANES])
{
    const __m128i big_endian = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
    struct sha256_pair_state states[LANES];
    __m128i schedule[WORDS][LANES];
    for (size_t i = 0; i < LANES; i++) {
        states[i] = lanes[i].state;
        for (size_t j = 0; j < WORDS; j++) {
            const __m128i words = _mm_loadu_si128((const __m128i *)(const void *)(blocks[i]) + j);
            schedule[j][i] = _mm_shuffle_epi8(words, big_endian);
        }
    }
#pragma GCC unroll 16
    for (size_t group = 0; group < GROUPS; group++) {
        const void *constant = &constants[group * WORDS];
        if (group >= WORDS) {
            expand_schedule(schedule, group);
        }
        four_rounds(states, schedule[group % WORDS], _mm_loadu_si128(constant));
    }
    for (size_t i = 0; i < LANES; i++) {
        lanes[i].state.abef = _mm_add_epi32(lanes[i].state.abef, states[i].abef);
        lanes[i].state.cdgh = _mm_add_epi32(lanes[i].state.cdgh, states[i].cdgh);
    }
}

WITH_SHA static void init_lane(struct sha256_pair_lane *lane, bt_str body,
                               struct bt_merkle_hash *out)
{
    lane->state.abef = _mm_set_epi32(0x6a09e667, (int)0xbb67ae85, 0x510e527f, (int)0x9b05688c);
    lane->state.cdgh = _mm_set_epi32(0x3c6ef372, (int)0xa54ff53a, 0x1f83d9ab, 0x5be0cd19);
    lane->body = body;
    lane->block = 0;
    /* The prefix, the body, one byte that ends the text, and its length in bits. */
    lane->blocks = (1 + body.len + 1 + LENGTH_BYTES + BLOCK_BYTES - 1) / BLOCK_BYTES;
    lane->out = out;
}

/* The end of the text, in a block that is assembled: the rest of the body, a one bit, zeros, and
 * in the last block the length. `from` is where the block begins in the body. */
static void put_end(struct sha256_pair_lane *lane, size_t from, size_t room, unsigned char *place)
{
    const bt_str left = bt_str_slice(lane->body, from, lane->body.len);
    memset(lane->made, 0, BLOCK_BYTES);
    if (left.len > 0) {
        memcpy(place, left.ptr, left.len < room ? left.len : room);
    }
    if (from <= lane->body.len && left.len < room) {
        place[left.len] = 0x80;
    }
    if (lane->block + 1 == lane->blocks) {
        const uint64_t bits = ((uint64_t)lane->body.len + 1) * 8;
        for (size_t i = 0; i < LENGTH_BYTES; i++) {
            lane->made[BLOCK_BYTES - 1 - i] = (unsigned char)(bits >> (8 * i));
        }
    }
}

static const unsigned char *next_block(struct sha256_pair_lane *lane, unsigned char prefix)
{
    const size_t first = BLOCK_BYTES - 1; /* of the body, after the prefix */
    if (lane->block == 0) {
        if (lane->body.len > first) {
            memcpy(lane->made + 1, lane->body.ptr, first);
        } else {
            put_end(lane, 0, first, lane->made + 1);
        }
        lane->made[0] = prefix;
        return lane->made;
    }
    const size_t from = first + (lane->block - 1) * BLOCK_BYTES;
    if (from + BLOCK_BYTES <= lane->body.len) {
        return (const unsigned char *)lane->body.ptr + from;
    }
    put_end(lane, from, BLOCK_BYTES, lane->made);
    return lane->made;
}

WITH_SHA static void write_digest(const struct sha256_pair_lane *lane)
{
    const __m128i big_endian = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
    const __m128i abcd = _mm_unpackhi_epi64(lane->state.cdgh, lane->state.abef);
    const __m128i efgh = _mm_unpacklo_epi64(lane->state.cdgh, lane->state.abef);
    /* Both have their first word in the highest lane. */
    const __m128i top = _mm_shuffle_epi8(_mm_shuffle_epi32(abcd, 0x1b), big_endian);
    const __m128i low = _mm_shuffle_epi8(_mm_shuffle_epi32(efgh, 0x1b), big_endian);
    _mm_storeu_si128((__m128i *)(void *)lane->out->bytes, top);
    _mm_storeu_si128((__m128i *)(void *)(lane->out->bytes + sizeof(top)), low);
}

/* Texts to hash in sequence: entries, or pairs of hashes. */
struct sha256_pair_queue {
    const bt_str *entries; /* NULL: pairs */
    const struct bt_merkle_hash *pairs;
    struct bt_merkle_hash *out;
    size_t count;
    size_t next;
};

static void start_next(struct sha256_pair_lane *lane, struct sha256_pair_queue *queue)
{
    const size_t i = queue->next++;
    const bt_str body = queue->entries
                            ? queue->entries[i]
                            : (bt_str){(const char *)queue->pairs[2 * i].bytes, NODE_BYTES};
    init_lane(lane, body, &queue->out[i]);
}

/* A lane without a text computes too, and its result is ignored. */
static void hash_queue(struct sha256_pair_queue *queue, unsigned char prefix)
{
    static const unsigned char idle[BLOCK_BYTES];
    struct sha256_pair_lane lanes[LANES] = {0};
    for (size_t busy = 1; busy > 0;) {
        const unsigned char *blocks[LANES] = {idle, idle};
        busy = 0;
        for (size_t i = 0; i < LANES; i++) {
            if (lanes[i].block == lanes[i].blocks && queue->next < queue->count) {
                start_next(&lanes[i], queue);
            }
            if (lanes[i].block < lanes[i].blocks) {
                blocks[i] = next_block(&lanes[i], prefix);
                busy++;
            }
        }
        if (busy > 0) {
            compress_blocks(lanes, blocks);
        }
        for (size_t i = 0; i < LANES; i++) {
            if (lanes[i].block < lanes[i].blocks && ++lanes[i].block == lanes[i].blocks) {
                write_digest(&lanes[i]);
            }
        }
    }
}

bool bt_sha256_pair_is_supported(void)
{
    unsigned int a = 0;
    unsigned int b = 0;
    unsigned int c = 0;
    unsigned int d = 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) == 1 && (b & bit_SHA) != 0 &&
           __builtin_cpu_supports("sse4.1");
}

static void leaves_in_lanes(const bt_str *entries, size_t count, struct bt_merkle_hash *out)
{
    struct sha256_pair_queue queue = {.entries = entries, .out = out, .count = count};
    hash_queue(&queue, LEAF_PREFIX);
}

static void nodes_in_lanes(const struct bt_merkle_hash *children, size_t count,
                           struct bt_merkle_hash *out)
{
    struct sha256_pair_queue queue = {.pairs = children, .out = out, .count = count};
    hash_queue(&queue, NODE_PREFIX);
}

#else

bool bt_sha256_pair_is_supported(void)
{
    return false;
}

static void leaves_in_lanes(const bt_str *entries, size_t count, struct bt_merkle_hash *out)
{
    bt_sha256_pair_leaves(entries, count, false, out);
}

static void nodes_in_lanes(const struct bt_merkle_hash *children, size_t count,
                           struct bt_merkle_hash *out)
{
    bt_sha256_pair_nodes(children, count, false, out);
}

#endif

void bt_sha256_pair_leaves(const bt_str *entries, size_t count, bool has_lanes,
                           struct bt_merkle_hash *out)
{
    assert(entries || count == 0);
    assert(out);
    if (has_lanes) {
        leaves_in_lanes(entries, count, out);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        bt_merkle_hash_leaf(entries[i], &out[i]);
    }
}

void bt_sha256_pair_nodes(const struct bt_merkle_hash *children, size_t count, bool has_lanes,
                          struct bt_merkle_hash *out)
{
    assert(children || count == 0);
    assert(out);
    if (has_lanes) {
        nodes_in_lanes(children, count, out);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        bt_merkle_hash_node(&children[2 * i], &children[2 * i + 1], &out[i]);
    }
}
