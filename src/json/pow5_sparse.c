/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pow5_sparse.c - powers of five from every 28th of them, for the core profile.
 *
 * A row has 64 bits more than the result, so the error of a row that was cut could change the
 * result only if these bits of the product were nearly all ones. tests/json compares every power
 * with the table of the other profiles.
 */
#include "json/pow5.h"

#include <assert.h>

struct bt_uint128 bt_pow5_compute(int32_t q)
{
    assert(q >= BT_POW5_MIN && q <= BT_POW5_MAX);
    const uint32_t above = (uint32_t)(q - BT_POW5_SPARSE_MIN);
    const uint64_t *row = bt_pow5_sparse[above / BT_POW5_STEP];
    uint64_t power = 1;
    for (uint32_t i = above % BT_POW5_STEP; i > 0; i--) {
        power *= 5;
    }
    power <<= __builtin_clzll(power);
    /* The 256 bits of row * power without the lowest 64. */
    bt_wide product = ((bt_wide)row[2] * power >> 64) + (bt_wide)row[1] * power;
    const uint64_t below = (uint64_t)product;
    product = (product >> 64) + (bt_wide)row[0] * power;
    if (product >> 127 == 0) {
        product = product << 1 | below >> 63;
    }
    return (struct bt_uint128){(uint64_t)(product >> 64), (uint64_t)product};
}
