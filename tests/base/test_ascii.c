/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_ascii.c - the classes and cases of bytes against the C library in the "C" locale.
 */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/ascii.h"

static bool is_ascii(int code)
{
    return code < 128;
}

static void every_byte_has_the_classes_of_the_c_locale(void **state)
{
    (void)state;
    for (int code = 0; code < 256; code++) {
        const char byte = (char)code;
        assert_int_equal(bt_ascii_is_digit(byte), is_ascii(code) && isdigit(code));
        assert_int_equal(bt_ascii_is_lower(byte), is_ascii(code) && islower(code));
        assert_int_equal(bt_ascii_is_upper(byte), is_ascii(code) && isupper(code));
        assert_int_equal(bt_ascii_is_alpha(byte), is_ascii(code) && isalpha(code));
        assert_int_equal(bt_ascii_is_alnum(byte), is_ascii(code) && isalnum(code));
        assert_int_equal(bt_ascii_is_blank(byte), is_ascii(code) && isblank(code));
        assert_int_equal(bt_ascii_is_space(byte), is_ascii(code) && isspace(code));
        assert_int_equal(bt_ascii_is_control(byte), is_ascii(code) && iscntrl(code));
        assert_int_equal(bt_ascii_hex_value(byte) >= 0, is_ascii(code) && isxdigit(code));
        assert_int_equal(bt_ascii_is_hex(byte), is_ascii(code) && isxdigit(code));
        assert_int_equal(bt_ascii_lower(byte), is_ascii(code) ? (char)tolower(code) : byte);
        assert_int_equal(bt_ascii_upper(byte), is_ascii(code) ? (char)toupper(code) : byte);
    }
    assert_int_equal(bt_ascii_hex_value('0'), 0);
    assert_int_equal(bt_ascii_hex_value('a'), 10);
    assert_int_equal(bt_ascii_hex_value('F'), 15);
}

static void copies_change_ascii_letters_only(void **state)
{
    (void)state;
    struct bt_arena arena;
    bt_arena_init(&arena, 4096);
    bt_str out = BT_STR("");
    assert_int_equal(bt_ascii_lower_copy(&arena, BT_STR("AbZ[\xc3\x84"), &out), BT_OK);
    assert_true(bt_str_eq(out, BT_STR("abz[\xc3\x84")));
    assert_int_equal(out.ptr[out.len], '\0');
    assert_int_equal(bt_ascii_upper_copy(&arena, BT_STR("aBz{\xc3\xa4"), &out), BT_OK);
    assert_true(bt_str_eq(out, BT_STR("ABZ{\xc3\xa4")));
    assert_int_equal(out.ptr[out.len], '\0');
    bt_arena_free(&arena);
}

static void a_copy_without_memory_leaves_the_output_alone(void **state)
{
    (void)state;
    struct bt_arena arena;
    bt_arena_init(&arena, 16);
    bt_str out = BT_STR("before");
    char text[64] = {0};
    assert_int_equal(bt_ascii_lower_copy(&arena, (bt_str){text, sizeof(text)}, &out), BT_ENOMEM);
    assert_true(bt_str_eq(out, BT_STR("before")));
    bt_arena_free(&arena);
}

static void texts_are_compared_without_their_case(void **state)
{
    (void)state;
    assert_true(bt_ascii_equal_nocase(BT_STR("Content-Type"), BT_STR("cONTENT-tYPE")));
    assert_false(bt_ascii_equal_nocase(BT_STR("["), BT_STR("{")));
    assert_false(bt_ascii_equal_nocase(BT_STR("a"), BT_STR("ab")));
    assert_true(bt_ascii_equal_nocase(BT_STR(""), BT_STR("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_has_the_classes_of_the_c_locale),
        cmocka_unit_test(copies_change_ascii_letters_only),
        cmocka_unit_test(a_copy_without_memory_leaves_the_output_alone),
        cmocka_unit_test(texts_are_compared_without_their_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
