/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index_masks.h - what a block of 64 bytes is made of, one bit per byte.
 */
#ifndef BATON_SRC_JSON_INDEX_MASKS_H
#define BATON_SRC_JSON_INDEX_MASKS_H

#include <stdint.h>

struct json_index_masks {
    uint64_t quote;
    uint64_t backslash;
    /* { } [ ] : and , - and perhaps 0x0c and 0x1a, which the second stage refuses anyway. */
    uint64_t structural;
    uint64_t blank;
    uint64_t control; /* below 0x20 */
    uint64_t wide;    /* above 0x7f */
};

/* Bit i is the exclusive or of bits 0 to i: of quotes, ones from each opening quote up to, not
 * including, its closing quote. */
static inline uint64_t bt_json_prefix_xor(uint64_t bits)
{
    for (int shift = 1; shift < 64; shift *= 2) {
        bits ^= bits << shift;
    }
    return bits;
}

#endif
