/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_pow5.c - the powers of five that the core profile computes are those of the table.
 */
#include "json_test.h"

#include "json/pow5.h"

static void every_computed_power_is_that_of_the_table(void **state)
{
    (void)state;
    for (int32_t q = BT_POW5_MIN; q <= BT_POW5_MAX; q++) {
        const struct bt_uint128 computed = bt_pow5_compute(q);
        const struct bt_uint128 listed = bt_pow5(q);
        if (computed.high != listed.high || computed.low != listed.low) {
            fail_msg("5^%d: %016llx %016llx instead of %016llx %016llx", q,
                     (unsigned long long)computed.high, (unsigned long long)computed.low,
                     (unsigned long long)listed.high, (unsigned long long)listed.low);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_computed_power_is_that_of_the_table),
    };
    return RUN_TESTS(tests);
}
