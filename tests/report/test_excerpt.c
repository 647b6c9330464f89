/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "report/display_width.h"
#include "report/excerpt.h"

#define TEN "0123456789"
#define FIFTY TEN TEN TEN TEN TEN
#define HUNDRED FIFTY FIFTY

static struct bt_finding finding_at(bt_str source, size_t offset)
{
    return (struct bt_finding){.offset = offset, .position = bt_position_at(source, offset)};
}

static void the_line_is_shown_with_the_caret_below_its_column(void **state)
{
    (void)state;
    static const struct {
        bt_str source;
        size_t offset;
        const char *shown;
        size_t caret;
    } rows[] = {
        {BT_STR_INIT("abc"), 1, "abc", 1},
        {BT_STR_INIT("abc"), 3, "abc", 3},
        {BT_STR_INIT("abc"), 99, "abc", 3},
        {BT_STR_INIT(""), 0, "", 0},
        {BT_STR_INIT("a\nbc\nd"), 3, "bc", 1},
        {BT_STR_INIT("a\nbc\nd"), 4, "bc", 2},
        {BT_STR_INIT("a\n\nd"), 2, "", 0},
        {BT_STR_INIT("ab\r\nc"), 1, "ab", 1},
        {BT_STR_INIT("ab\r\nc"), 2, "ab", 2},
        {BT_STR_INIT("ab\r\nc"), 3, "ab", 2},
        {BT_STR_INIT("a\rb\n"), 2, "a\\rb", 3},
        {BT_STR_INIT("\t\tx\ty"), 2, "        x\\ty", 8},
        {BT_STR_INIT(" \tx\ty"), 4, "     x\\ty", 8},
        {BT_STR_INIT("\x1b[31mx"), 5, "\\x1b[31mx", 8},
        {BT_STR_INIT("\xc3\xa9x"), 2, "\xc3\xa9x", 1},
        {BT_STR_INIT("e\xcc\x81x"), 3, "e\xcc\x81x", 1},
        {BT_STR_INIT("\xe5\xae\x9bx"), 3, "\xe5\xae\x9bx", 2},
        {BT_STR_INIT("\xf0\x9f\x98\x80x"), 4, "\xf0\x9f\x98\x80x", 2},
        {BT_STR_INIT("\xff\xc3x"), 2, "\\xff\\xc3x", 8},
        {BT_STR_INIT("\xe2\x80\xaex"), 3, "\\u{202e}x", 8},
        {BT_STR_INIT("\xc2\x9bx"), 2, "\\u{9b}x", 6},
        {BT_STR_INIT(HUNDRED), 99, HUNDRED, 99},
        {BT_STR_INIT(HUNDRED), 0, HUNDRED, 0},
        {BT_STR_INIT(HUNDRED "x"), 0, HUNDRED "...", 0},
        {BT_STR_INIT("x" HUNDRED), 101, "..." HUNDRED, 103},
        {BT_STR_INIT(HUNDRED HUNDRED), 100, "..." HUNDRED "...", 63},
        {BT_STR_INIT(HUNDRED HUNDRED), 190, "..." HUNDRED, 93},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_buf buf;
        bt_buf_init(&buf, SIZE_MAX);
        size_t caret = SIZE_MAX;
        const struct bt_finding finding = finding_at(rows[i].source, rows[i].offset);
        assert_true(bt_report_put_excerpt(&buf, rows[i].source, &finding, 100, &caret));
        if (!bt_str_eq(bt_buf_str(&buf), bt_str_of(rows[i].shown)) || caret != rows[i].caret) {
            fail_msg("row %zu: got '%.*s' with the caret at %zu", i, BT_STR_ARG(bt_buf_str(&buf)),
                     caret);
        }
        bt_buf_free(&buf);
    }
}

static void a_finding_without_a_place_has_no_excerpt(void **state)
{
    (void)state;
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    size_t caret = 7;
    const struct bt_finding rows[] = {
        {.offset = BT_OFFSET_NONE},
        {.offset = 1, .position = {0, 0}},
        {.offset = 1, .position = {1, 5}}, /* a column that this source does not have */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_false(bt_report_put_excerpt(&buf, BT_STR("abc"), &rows[i], 100, &caret));
    }
    assert_int_equal(buf.len, 0);
    assert_int_equal(caret, 7);
    bt_buf_free(&buf);
}

/* Every line of any bytes gives a line of a terminal: bounded, visible, with the caret inside. */
static void any_bytes_give_one_bounded_visible_line(void **state)
{
    (void)state;
    char bytes[1500];
    uint32_t rng = 1;
    for (size_t round = 0; round < 200; round++) {
        for (size_t i = 0; i < sizeof(bytes); i++) {
            rng = rng * 1664525 + 1013904223;
            static const char common[] = "\xcc\x81\xe2\x80\xf0\x9f\x98\t x";
            bytes[i] = round % 2 == 0 ? (char)(rng >> 24) : common[(rng >> 24) % 10];
        }
        const bt_str source = {bytes, sizeof(bytes)};
        const struct bt_finding finding = finding_at(source, rng % sizeof(bytes));
        struct bt_buf buf;
        bt_buf_init(&buf, 2000);
        size_t caret = SIZE_MAX;
        const size_t columns = 20 + round;
        assert_true(bt_report_put_excerpt(&buf, source, &finding, columns, &caret));
        assert_int_equal(buf.status, BT_OK);
        assert_true(caret <= columns + 3);
        assert_int_equal(bt_utf8_check(bt_buf_str(&buf)), buf.len);
        for (size_t i = 0; i < buf.len; i++) {
            assert_true((unsigned char)buf.ptr[i] >= 0x20 && buf.ptr[i] != 0x7f);
        }
        bt_buf_free(&buf);
    }
}

static void a_byte_of_no_character_is_a_glyph_of_its_own(void **state)
{
    (void)state;
    static const struct {
        bt_str text;
        uint32_t code_point;
        size_t bytes;
    } rows[] = {
        {BT_STR_INIT("a"), 'a', 1},
        {BT_STR_INIT("\xc3\xa9"), 0xe9, 2},
        {BT_STR_INIT("\xe5\xae\x9b\xff"), 0x5b9b, 3},
        {BT_STR_INIT("\xf0\x9f\x98\x80"), 0x1f600, 4},
        {BT_STR_INIT("\xc3"), 0xfffd, 1},
        {BT_STR_INIT("\xff\xff"), 0xfffd, 1},
        {BT_STR_INIT("\xed\xa0\x80"), 0xfffd, 1},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct bt_display_char glyph = bt_display_char_at(rows[i].text, 0);
        assert_int_equal(glyph.code_point, rows[i].code_point);
        assert_int_equal(glyph.bytes, rows[i].bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_line_is_shown_with_the_caret_below_its_column),
        cmocka_unit_test(a_finding_without_a_place_has_no_excerpt),
        cmocka_unit_test(any_bytes_give_one_bounded_visible_line),
        cmocka_unit_test(a_byte_of_no_character_is_a_glyph_of_its_own),
    };
    return RUN_TESTS(tests);
}
