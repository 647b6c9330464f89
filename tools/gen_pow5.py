#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gen_pow5.py all|sparse - write pow5.c for src/json: powers of five, cut to their first bits.

`all` has every one with 128 bits; `sparse` has each BT_POW5_STEP-th with 192 bits, from which src/json/pow5_sparse.c computes the others.
Computed here with Python's integers; no data of others goes in.
"""
import sys

LOWEST, HIGHEST = -342, 324  # keep in step with src/json/pow5.h
SPARSE_LOWEST, STEP = -364, 28
WORD_BITS = 64


def first_bits(exponent, count):
    """floor(5^exponent * 2^k) for the one k that gives exactly `count` bits."""
    power = 5 ** abs(exponent)
    if exponent < 0:
        scale = count - 1 + power.bit_length()
        bits = (1 << scale) // power
        if bits >> count:
            bits >>= 1
    else:
        length = power.bit_length()
        bits = power << count - length if length <= count else power >> length - count
    assert bits.bit_length() == count
    return bits


def make(name, size, exponents, words):
    rows = []
    for exponent in exponents:
        bits = first_bits(exponent, words * WORD_BITS)
        row = [bits >> WORD_BITS * place & (1 << WORD_BITS) - 1 for place in reversed(range(words))]
        rows.append(f"    {{{', '.join(f'0x{word:016x}' for word in row)}}}, /* {exponent} */\n")
    return f"""/* SPDX-License-Identifier: Apache-2.0 */
/* pow5.c - the first bits of powers of five; written by tools/gen_pow5.py. */
#include "json/pow5.h"

/* clang-format off */
const uint64_t {name}[{size}][{words}] = {{
{''.join(rows)}}};
/* clang-format on */
"""


def main(arguments):
    if arguments == ["all"]:
        print(make("bt_pow5_rows", "BT_POW5_MAX - BT_POW5_MIN + 1", range(LOWEST, HIGHEST + 1), 2), end="")
    elif arguments == ["sparse"]:
        print(make("bt_pow5_sparse", "BT_POW5_SPARSE_COUNT", range(SPARSE_LOWEST, HIGHEST + 1, STEP), 3), end="")
    else:
        print("usage: gen_pow5.py all|sparse", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
