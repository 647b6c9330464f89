/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keyed_hash.h - the keyed hash of short byte strings, for hash tables.
 *
 * Two 64-bit words of the bytes are mixed by one 64x64->128 bit multiplication, each masked with
 * one half of the seed. Without the seed an attacker cannot choose keys that collide. The JSON
 * reader, whose callers may give a known seed, limits the number of collisions as well.
 */
#ifndef BATON_SRC_BASE_KEYED_HASH_H
#define BATON_SRC_BASE_KEYED_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t bt_hash_mix(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    const wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Up to 16 bytes, given as two little-endian words padded with zeroes. */
static inline uint32_t bt_hash_words(const uint64_t seed[2], uint64_t low, uint64_t high,
                                     size_t size)
{
    const uint64_t mixed = bt_hash_mix(low ^ seed[0], high ^ seed[1]);
    /* The size tells "a" from "a\0". */
    return (uint32_t)(mixed ^ mixed >> 32) + (uint32_t)size;
}

/* The seed to hash with. A caller's seed of zeroes must not make every product zero; the constants
 * are the first digits of pi. */
static inline void bt_hash_begin(const uint64_t seed[2], uint64_t out[2])
{
    out[0] = seed[0] ^ UINT64_C(0x243f6a8885a308d3);
    out[1] = seed[1] ^ UINT64_C(0x13198a2e03707344);
}

static inline uint64_t bt_hash_load(const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof(word));
    return word;
}

/* Up to eight bytes, padded with zeroes, without reading beyond them. */
static inline uint64_t bt_hash_load_few(const char *bytes, size_t size)
{
    if (size >= sizeof(uint64_t)) {
        return bt_hash_load(bytes);
    }
    uint64_t word = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    /* From either end, so that nothing is copied byte by byte. */
    uint32_t ends[2] = {0};
    if (size >= sizeof(ends[0])) {
        memcpy(&ends[0], bytes, sizeof(ends[0]));
        memcpy(&ends[1], bytes + size - sizeof(ends[1]), sizeof(ends[1]));
        return ends[0] | (uint64_t)ends[1] << (8 * size - 32);
    }
#endif
    memcpy(&word, bytes, size);
    return word;
}

/* Any number of bytes. */
static inline uint32_t bt_hash_bytes(const uint64_t seed[2], const char *bytes, size_t size)
{
    if (size <= 16) {
        return bt_hash_words(seed, bt_hash_load_few(bytes, size),
                             size > 8 ? bt_hash_load_few(bytes + 8, size - 8) : 0, size);
    }
    uint64_t keys[2] = {seed[0], seed[1]};
    for (size_t left = size; left > 16; left -= 16, bytes += 16) {
        const uint64_t mixed =
            bt_hash_mix(bt_hash_load(bytes) ^ keys[0], bt_hash_load(bytes + 8) ^ keys[1]);
        keys[0] ^= mixed;
        keys[1] += mixed;
    }
    /* The last 16 bytes, some of them again: cheaper than asking how many are left. */
    const char *end = bytes + (size - 1) % 16 + 1;
    return bt_hash_words(keys, bt_hash_load(end - 16), bt_hash_load(end - 8), size);
}

#endif
