/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hex.h - bytes as lower-case hexadecimal digits.
 */
#ifndef BATON_SRC_BASE_HEX_H
#define BATON_SRC_BASE_HEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Write 2 * size digits to out, without a NUL. */
static inline void bt_hex_put(const uint8_t *bytes, size_t size, char *out)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
}

/* 1 for a lower-case digit, else 0; and what a digit stands for. Digits of digests and UUIDs fall
 * anyhow, so that a branch on one is guessed wrong about every third time: these have none. */
static inline unsigned bt_hex_is_valid(char digit)
{
    const unsigned byte = (unsigned char)digit;
    return (unsigned)(byte - '0' <= 9U) | (unsigned)(byte - 'a' <= 5U);
}

static inline unsigned bt_hex_value(char digit)
{
    const unsigned byte = (unsigned char)digit;
    return (byte & 15U) + 9U * (byte >> 6);
}

/* Read 2 * size digits; false when one of them is none, and then `out` is of no use. */
static inline bool bt_hex_decode(const char *digits, size_t size, uint8_t *out)
{
    unsigned all = 1;
    for (size_t i = 0; i < size; i++) {
        const char high = digits[2 * i];
        const char low = digits[2 * i + 1];
        all &= bt_hex_is_valid(high) & bt_hex_is_valid(low);
        out[i] = (uint8_t)(bt_hex_value(high) << 4 | bt_hex_value(low));
    }
    return all == 1;
}

#endif
