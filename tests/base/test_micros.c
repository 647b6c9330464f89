/* SPDX-License-Identifier: Apache-2.0 */
/* test_micros.c - decimals of six places. */
#include "test.h"

#include "base/micros.h"

static void decimals_become_millionths_and_texts_again(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t micros;
        const char *written;
    } rows[] = {
        {"0", 0, "0.000000"},
        {"0.000001", 1, "0.000001"},
        {"12.5", 12500000, "12.500000"},
        {"40.00", 40000000, "40.000000"},
        {"999999999999.999999", UINT64_C(999999999999999999), "999999999999.999999"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char out[BT_MICROS_TEXT_BYTES];
        uint64_t micros = 7;
        assert_int_equal(bt_micros_parse(bt_str_of(rows[i].text), &micros), BT_OK);
        assert_int_equal(micros, rows[i].micros);
        assert_true(bt_str_eq(bt_micros_write(micros, out), bt_str_of(rows[i].written)));
    }
}

static void other_texts_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"",   ".",  "1.",   ".5",   "00",        "01",
                                        "-1", "+1", "1e3",  "1,5",  "1.0000000", "1000000000000",
                                        " 1", "1 ", "1.-1", "1.+1", "0x1",       "1.5.5",
                                        "NaN"};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        uint64_t micros = 7;
        assert_int_equal(bt_micros_parse(bt_str_of(texts[i]), &micros), BT_EINVAL);
        assert_int_equal(micros, 7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimals_become_millionths_and_texts_again),
        cmocka_unit_test(other_texts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
