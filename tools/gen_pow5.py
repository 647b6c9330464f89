#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gen_pow5.py - write pow5.c for src/json: the powers of five, cut to their first 128 bits.

Computed here with Python's integers; no data of others goes in.
Usage: tools/gen_pow5.py > pow5.c
"""
LOWEST, HIGHEST = -342, 324  # keep in step with src/json/pow5.h


def first_bits(exponent):
    """floor(5^exponent * 2^k) for the one k that gives exactly 128 bits."""
    power = 5 ** abs(exponent)
    if exponent < 0:
        scale = 127 + power.bit_length()
        bits = (1 << scale) // power
        if bits >> 128:
            bits >>= 1
    else:
        length = power.bit_length()
        bits = power << 128 - length if length <= 128 else power >> length - 128
    assert bits.bit_length() == 128
    return bits


def main():
    print("/* SPDX-License-Identifier: Apache-2.0 */")
    print("/* pow5.c - the first 128 bits of the powers of five; written by tools/gen_pow5.py. */")
    print('#include "json/pow5.h"')
    print()
    print("/* clang-format off */")
    print("const uint64_t bt_pow5[BT_POW5_MAX - BT_POW5_MIN + 1][2] = {")
    for exponent in range(LOWEST, HIGHEST + 1):
        bits = first_bits(exponent)
        print(f"    {{0x{bits >> 64:016x}, 0x{bits & (1 << 64) - 1:016x}}}, /* {exponent} */")
    print("};")
    print("/* clang-format on */")


if __name__ == "__main__":
    main()
