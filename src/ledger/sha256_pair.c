/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sha256_pair.c - SHA-256 (FIPS 180-4) of many short texts, two at a time.
 *
 * A lane takes the next text as soon as it has finished one, so texts of different lengths leave no
 * gaps.
 */
#include "ledger/sha256_pair.h"

#include <assert.h>
#include <string.h>

#include "base/uninitialized.h"

void bt_sha256_pad(uint8_t *bytes, size_t size)
{
    assert(bytes);
    const size_t end = bt_sha256_padded_size(size);
    uint64_t bits = (uint64_t)size * 8;
    memset(bytes + size, 0, end - size);
    bytes[size] = 0x80;
    for (uint8_t *last = bytes + end; bits > 0; bits >>= 8) {
        *--last = (uint8_t)bits;
    }
}

#if defined(__x86_64__)
#include <immintrin.h>

#include "base/cpu.h"

/* Compilers allow these instructions only in functions with this attribute. */
#define WITH_SHA __attribute__((target("sha,sse4.1,ssse3")))

enum { LANES = 2, GROUPS = 16, WORDS = 4 };

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
    const uint8_t *next; /* block */
    size_t left;         /* blocks */
    struct bt_merkle_hash *out;
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

WITH_SHA static inline __m128i swap_bytes(__m128i words)
{
    return _mm_shuffle_epi8(words,
                            _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3));
}

/* One block of each lane. */
WITH_SHA static void compress_blocks(struct sha256_pair_lane lanes[LANES])
{
    struct sha256_pair_state states[LANES];
    __m128i schedule[WORDS][LANES];
    for (size_t i = 0; i < LANES; i++) {
        states[i] = lanes[i].state;
        for (size_t j = 0; j < WORDS; j++) {
            schedule[j][i] =
                swap_bytes(_mm_loadu_si128((const __m128i *)(const void *)lanes[i].next + j));
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

WITH_SHA static void begin_text(struct sha256_pair_lane *lane, const struct bt_sha256_text *text,
                                struct bt_merkle_hash *out)
{
    lane->state.abef = _mm_set_epi32(0x6a09e667, (int)0xbb67ae85, 0x510e527f, (int)0x9b05688c);
    lane->state.cdgh = _mm_set_epi32(0x3c6ef372, (int)0xa54ff53a, 0x1f83d9ab, 0x5be0cd19);
    lane->next = text->bytes;
    lane->left = bt_sha256_padded_size(text->size) / BT_SHA256_BLOCK_BYTES;
    lane->out = out;
}

WITH_SHA static void write_hash(const struct sha256_pair_lane *lane)
{
    const __m128i abcd = _mm_unpackhi_epi64(lane->state.cdgh, lane->state.abef);
    const __m128i efgh = _mm_unpacklo_epi64(lane->state.cdgh, lane->state.abef);
    /* Both have their first word in the highest place. */
    const __m128i top = swap_bytes(_mm_shuffle_epi32(abcd, 0x1b));
    const __m128i low = swap_bytes(_mm_shuffle_epi32(efgh, 0x1b));
    _mm_storeu_si128((__m128i *)(void *)lane->out->bytes, top);
    _mm_storeu_si128((__m128i *)(void *)(lane->out->bytes + sizeof(top)), low);
}

/* A lane without a text hashes too, and its result is ignored. */
static void hash_in_lanes(const struct bt_sha256_text *texts, size_t count,
                          struct bt_merkle_hash *out)
{
    static const uint8_t idle[BT_SHA256_BLOCK_BYTES];
    struct sha256_pair_lane lanes[LANES] = {{.left = 0}};
    size_t begun = 0;
    for (size_t done = 0; done < count;) {
        for (size_t i = 0; i < LANES; i++) {
            if (lanes[i].left == 0 && begun < count) {
                begin_text(&lanes[i], &texts[begun], &out[begun]);
                begun++;
            }
            lanes[i].next = lanes[i].left > 0 ? lanes[i].next : idle;
        }
        compress_blocks(lanes);
        for (size_t i = 0; i < LANES; i++) {
            lanes[i].next += BT_SHA256_BLOCK_BYTES;
            if (lanes[i].left > 0 && --lanes[i].left == 0) {
                write_hash(&lanes[i]);
                done++;
            }
        }
    }
}

bool bt_sha256_pair_is_supported(void)
{
    return BT_CPU_HAS_SHA() && BT_CPU_HAS(SSE4_1, "sse4.1");
}

#else

static void hash_in_lanes(const struct bt_sha256_text *texts, size_t count,
                          struct bt_merkle_hash *out)
{
    bt_sha256_pair_hash(texts, count, false, out);
}

bool bt_sha256_pair_is_supported(void)
{
    return false;
}

#endif

void bt_sha256_pair_hash(const struct bt_sha256_text *texts, size_t count, bool in_pairs,
                         struct bt_merkle_hash *out)
{
    assert(texts || count == 0);
    assert(out);
    if (in_pairs) {
        hash_in_lanes(texts, count, out);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        bt_merkle_hash_plain((bt_str){(const char *)texts[i].bytes, texts[i].size}, &out[i]);
    }
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

enum { NODE_BYTES = 1 + 2 * BT_HASH_BYTES };

void bt_sha256_nodes_init(struct bt_sha256_nodes *nodes, size_t count)
{
    assert(nodes);
    assert(count <= BT_NODES_MAX);
    for (size_t i = 0; i < count; i++) {
        nodes->texts[i][0] = BT_HASH_NODE_PREFIX;
        bt_sha256_pad(nodes->texts[i], NODE_BYTES);
    }
}

/* Hash pairs of the first `width` hashes into half as many. */
static void hash_nodes(struct bt_sha256_nodes *nodes, const struct bt_merkle_hash *children,
                       size_t width, bool in_pairs, struct bt_merkle_hash *out)
{
    BT_UNCLEARED struct bt_sha256_text texts[BT_NODES_MAX];
    for (size_t i = 0; i < width / 2; i++) {
        memcpy(nodes->texts[i] + 1, &children[2 * i], 2 * sizeof(*children));
        texts[i] = (struct bt_sha256_text){nodes->texts[i], NODE_BYTES};
    }
    bt_sha256_pair_hash(texts, width / 2, in_pairs, out);
}

void bt_sha256_nodes_root(struct bt_sha256_nodes *nodes, const struct bt_merkle_hash *hashes,
                          size_t width, bool in_pairs, struct bt_merkle_hash *out)
{
    BT_UNCLEARED struct bt_merkle_hash row[BT_NODES_MAX];
    assert(nodes);
    assert(width >= 1 && width <= 2 * BT_NODES_MAX);
    row[0] = hashes[0];
    for (const struct bt_merkle_hash *from = hashes; width > 1; width /= 2) {
        hash_nodes(nodes, from, width, in_pairs, row);
        from = row;
    }
    *out = row[0];
}
