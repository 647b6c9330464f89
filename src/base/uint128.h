/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uint128.h - products of 128 bits.
 */
#ifndef BATON_SRC_BASE_UINT128_H
#define BATON_SRC_BASE_UINT128_H

#include <stdint.h>

/* A number of 128 bits, where the compiler's own arithmetic will do. */
__extension__ typedef unsigned __int128 bt_wide;

struct bt_uint128 {
    uint64_t high;
    uint64_t low;
};

static inline struct bt_uint128 bt_wide_product(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    const wide product = (wide)a * b;
    return (struct bt_uint128){(uint64_t)(product >> 64), (uint64_t)product};
}

#endif
