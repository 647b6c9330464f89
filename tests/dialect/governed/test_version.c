/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_version.c - which of two semantic versions is higher.
 */
#include "test.h"

#include "dialect/governed/verify.h"

/* Each is higher than the one before it. */
static const char *const rising[] = {
    "0.0.0-0",
    "0.0.0",
    "0.9.10",
    "1.0.0-1",
    "1.0.0-2",
    "1.0.0-10",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.b",
    "1.0.0-beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "1.0.1",
    "1.2.0",
    "1.10.0",
    "2.0.0",
    "18446744073709551616.0.0",
};

static void precedence_is_that_of_the_standard(void **state)
{
    (void)state;
    const size_t count = sizeof(rising) / sizeof(rising[0]);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            const int order =
                bt_governed_version_compare(bt_str_of(rising[i]), bt_str_of(rising[k]));
            assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
        }
    }
}

static void build_metadata_does_not_count(void **state)
{
    (void)state;
    assert_int_equal(bt_governed_version_compare(BT_STR("1.0.0+a"), BT_STR("1.0.0+b-1.2")), 0);
    assert_int_equal(bt_governed_version_compare(BT_STR("1.0.0"), BT_STR("1.0.0+5")), 0);
    assert_true(bt_governed_version_compare(BT_STR("1.0.0-a+1"), BT_STR("1.0.0+0")) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(precedence_is_that_of_the_standard),
        cmocka_unit_test(build_metadata_does_not_count),
    };
    return RUN_TESTS(tests);
}
