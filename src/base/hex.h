/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hex.h - bytes as lower-case hexadecimal digits.
 */
#ifndef BATON_SRC_BASE_HEX_H
#define BATON_SRC_BASE_HEX_H

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

#endif
