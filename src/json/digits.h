/* SPDX-License-Identifier: Apache-2.0 */
/*
 * digits.h - digits read eight at a time.
 */
#ifndef BATON_SRC_JSON_DIGITS_H
#define BATON_SRC_JSON_DIGITS_H

#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

/* How many of the eight bytes at `at` are digits, up to the first that is not, and the number that
 * they spell. Eight bytes are read. *out_number is untouched when there are none. */
static inline __attribute__((always_inline)) unsigned bt_json_eight_digits(const char *at,
                                                                           uint64_t *out_number)
{
    uint64_t bytes;
    memcpy(&bytes, at, sizeof(bytes));
    bytes ^= UINT64_C(0x3030303030303030); /* digits become 0 to 9 */
    const uint64_t others =
        ((bytes + UINT64_C(0x7676767676767676)) | bytes) & UINT64_C(0x8080808080808080);
    if (__builtin_expect((others & 0x80) != 0, 0)) {
        return 0;
    }
    const unsigned count = others == 0 ? 8 : (unsigned)__builtin_ctzll(others) / 8;
    /* Moved to the upper end, with zeroes in front; then pairs, fours and eights are joined. */
    bytes <<= 64 - 8 * count;
    bytes = bytes * 10 + (bytes >> 8);
    const uint64_t pairs = UINT64_C(0x000000ff000000ff);
    *out_number = (((bytes & pairs) * (100 + (UINT64_C(1000000) << 32))) +
                   (((bytes >> 16) & pairs) * (1 + (UINT64_C(10000) << 32)))) >>
                  32;
    return count;
}

#endif

#endif
