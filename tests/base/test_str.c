/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "base/error.h"
#include "base/str.h"

static void strings_compare_by_bytes(void **state)
{
    (void)state;
    assert_true(bt_str_eq(BT_STR(""), (bt_str){NULL, 0}));
    assert_true(bt_str_eq(BT_STR("a"), BT_STR("a")));
    assert_false(bt_str_eq(BT_STR("a"), BT_STR("b")));
    assert_false(bt_str_eq(BT_STR("a"), BT_STR("ab")));
    assert_true(bt_str_compare(BT_STR("a"), BT_STR("ab")) < 0);
    assert_true(bt_str_compare(BT_STR("b"), BT_STR("ab")) > 0);
    assert_int_equal(bt_str_compare(BT_STR("ab"), BT_STR("ab")), 0);
    assert_true(bt_str_compare(BT_STR("\x7f"), BT_STR("\x80")) < 0);
    assert_true(bt_str_starts_with(BT_STR("abc"), BT_STR("ab")));
    assert_false(bt_str_starts_with(BT_STR("abc"), BT_STR("bc")));
    assert_true(bt_str_ends_with(BT_STR("abc"), BT_STR("bc")));
    assert_false(bt_str_ends_with(BT_STR("c"), BT_STR("bc")));
}

static void slices_are_clamped(void **state)
{
    (void)state;
    assert_str(bt_str_slice(BT_STR("abc"), 1, 2), "b");
    assert_str(bt_str_slice(BT_STR("abc"), 1, 99), "bc");
    assert_str(bt_str_slice(BT_STR("abc"), 99, 100), "");
    assert_str(bt_str_slice(BT_STR("abc"), 2, 1), "");
    assert_int_equal(bt_str_find_byte(BT_STR("abcb"), 'b', 2), 3);
    assert_int_equal(bt_str_find_byte(BT_STR("abc"), 'x', 0), 3);
    assert_int_equal(bt_str_find_byte(BT_STR("abc"), 'a', 9), 3);
}

static void numbers_say_overflow_apart_from_nonsense(void **state)
{
    (void)state;
    uint64_t number = 5;
    assert_int_equal(bt_str_to_u64(BT_STR("18446744073709551615"), &number), BT_OK);
    assert_true(number == UINT64_MAX);
    assert_int_equal(bt_str_to_u64(BT_STR("18446744073709551616"), &number), BT_ELIMIT);
    assert_int_equal(bt_str_to_u64(BT_STR("99999999999999999999999x"), &number), BT_EINVAL);
    static const char *const bad[] = {"", "-1", "+1", " 1", "1 ", "0x1", "1.0"};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_int_equal(bt_str_to_u64(bt_str_of(bad[i]), &number), BT_EINVAL);
    }
    assert_true(number == UINT64_MAX);
}

static void places_count_lines_and_bytes(void **state)
{
    (void)state;
    const bt_str text = BT_STR("ab\nc\xc3\xa9"
                               "d\n\nx");
    static const struct {
        size_t offset;
        uint32_t line;
        uint32_t column;
    } rows[] = {{0, 1, 1}, {1, 1, 2}, {2, 1, 3}, {3, 2, 1},  {6, 2, 4},
                {7, 2, 5}, {8, 3, 1}, {9, 4, 1}, {10, 4, 2}, {99, 4, 2}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct bt_position place = bt_position_at(text, rows[i].offset);
        assert_int_equal(place.line, rows[i].line);
        assert_int_equal(place.column, rows[i].column);
    }
    assert_int_equal(bt_position_at((bt_str){NULL, 0}, 0).line, 1);
}

static void an_error_never_carries_control_characters(void **state)
{
    (void)state;
    struct bt_error error;
    assert_int_equal(bt_error_set(&error, BT_EIO, "x\x1b%s", "\n"), BT_EIO);
    assert_string_equal(error.text, "x??");
    char longer[400];
    memset(longer, 'y', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';
    assert_int_equal(bt_error_set(&error, BT_ELIMIT, "%s", longer), BT_ELIMIT);
    assert_int_equal(strlen(error.text), BT_ERROR_TEXT_BYTES - 1);
    assert_string_equal(error.text + BT_ERROR_TEXT_BYTES - 4, "...");
    assert_int_equal(bt_error_set(NULL, BT_EIO, "nobody listens"), BT_EIO);
    for (int status = 0; status <= BT_EDENIED + 1; status++) {
        assert_non_null(bt_status_text((enum bt_status)status));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_compare_by_bytes),
        cmocka_unit_test(slices_are_clamped),
        cmocka_unit_test(numbers_say_overflow_apart_from_nonsense),
        cmocka_unit_test(places_count_lines_and_bytes),
        cmocka_unit_test(an_error_never_carries_control_characters),
    };
    return RUN_TESTS(tests);
}
