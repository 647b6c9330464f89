/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sha256.c - SHA-256 by the letter of FIPS 180-4. The tests compare it with libcrypto.
 */
#include "base/sha256.h"

#include <assert.h>
#include <string.h>

enum { BLOCK_BYTES = 64, LENGTH_BYTES = 8, ROUNDS = 64 };

/* The constants of section 4.2.2. */
static const uint32_t constants[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate_right(uint32_t word, unsigned count)
{
    return word >> count | word << (32 - count);
}

static void expand_block(const uint8_t block[BLOCK_BYTES], uint32_t schedule[ROUNDS])
{
    for (size_t i = 0; i < 16; i++) {
        const uint8_t *at = block + 4 * i;
        schedule[i] =
            (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | (uint32_t)at[3];
    }
    for (size_t i = 16; i < ROUNDS; i++) {
        const uint32_t before = schedule[i - 15];
        const uint32_t last = schedule[i - 2];
        const uint32_t small_0 = rotate_right(before, 7) ^ rotate_right(before, 18) ^ before >> 3;
        const uint32_t small_1 = rotate_right(last, 17) ^ rotate_right(last, 19) ^ last >> 10;
        schedule[i] = schedule[i - 16] + small_0 + schedule[i - 7] + small_1;
    }
}

static void add_block(uint32_t words[8], const uint8_t block[BLOCK_BYTES])
{
    uint32_t schedule[ROUNDS];
    uint32_t v[8]; /* a to h of section 6.2.2 */
    expand_block(block, schedule);
    memcpy(v, words, sizeof(v));
    for (size_t i = 0; i < ROUNDS; i++) {
        const uint32_t big_1 =
            rotate_right(v[4], 6) ^ rotate_right(v[4], 11) ^ rotate_right(v[4], 25);
        const uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        const uint32_t first = v[7] + big_1 + choice + constants[i] + schedule[i];
        const uint32_t big_0 =
            rotate_right(v[0], 2) ^ rotate_right(v[0], 13) ^ rotate_right(v[0], 22);
        const uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        memmove(v + 1, v, 7 * sizeof(v[0]));
        v[4] += first;
        v[0] = first + big_0 + majority;
    }
    for (size_t i = 0; i < 8; i++) {
        words[i] += v[i];
    }
}

void bt_sha256_portable_begin(struct bt_sha256_portable *state)
{
    assert(state);
    *state = (struct bt_sha256_portable){.words = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void bt_sha256_portable_add(struct bt_sha256_portable *state, bt_str bytes)
{
    assert(state);
    const uint8_t *at = (const uint8_t *)bytes.ptr;
    size_t left = bytes.len;
    while (left > 0) {
        const size_t used = state->size % BLOCK_BYTES;
        const size_t part = left < BLOCK_BYTES - used ? left : BLOCK_BYTES - used;
        memcpy(state->block + used, at, part);
        state->size += part;
        at += part;
        left -= part;
        if (used + part == BLOCK_BYTES) {
            add_block(state->words, state->block);
        }
    }
}

void bt_sha256_portable_end(const struct bt_sha256_portable *state, uint8_t out[32])
{
    assert(state);
    assert(out);
    static const char padding[BLOCK_BYTES] = {(char)0x80};
    struct bt_sha256_portable last = *state;
    const size_t used = state->size % BLOCK_BYTES;
    const size_t room = BLOCK_BYTES - LENGTH_BYTES;
    char length[LENGTH_BYTES];
    for (size_t i = 0; i < LENGTH_BYTES; i++) {
        length[i] = (char)(uint8_t)(state->size * 8 >> (56 - 8 * i));
    }
    bt_sha256_portable_add(
        &last, (bt_str){padding, used < room ? room - used : BLOCK_BYTES + room - used});
    bt_sha256_portable_add(&last, (bt_str){length, sizeof(length)});
    for (size_t i = 0; i < 32; i++) {
        out[i] = (uint8_t)(last.words[i / 4] >> (24 - 8 * (i % 4)));
    }
}
