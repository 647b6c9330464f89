/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

static void puts_are_joined(void **state)
{
    (void)state;
    struct bt_buf buf;
    bt_buf_init(&buf, 1000);
    bt_buf_put(&buf, BT_STR("a"));
    bt_buf_put_char(&buf, 'b');
    bt_buf_put_text(&buf, "cd");
    bt_buf_put_repeat(&buf, '.', 3);
    bt_buf_put_u64(&buf, 0);
    bt_buf_put_u64(&buf, UINT64_MAX);
    bt_buf_printf(&buf, "<%d>", -1);
    assert_int_equal(buf.status, BT_OK);
    assert_str(bt_buf_str(&buf), "abcd...018446744073709551615<-1>");
    bt_buf_free(&buf);
}

static void the_maximum_holds_and_the_failure_sticks(void **state)
{
    (void)state;
    for (size_t max = 0; max < 600; max++) {
        struct bt_buf buf;
        bt_buf_init(&buf, max);
        for (size_t i = 0; i < max; i++) {
            bt_buf_put_char(&buf, 'x');
        }
        assert_int_equal(buf.status, BT_OK);
        assert_int_equal(buf.len, max);
        bt_buf_put_char(&buf, 'x');
        assert_int_equal(buf.status, BT_ELIMIT);
        assert_int_equal(buf.len, max);
        assert_null(bt_buf_reserve(&buf, 0));
        bt_buf_clear(&buf);
        assert_int_equal(buf.status, BT_OK);
        bt_buf_free(&buf);
    }
}

/* Whether there is room already, or just not enough, or none, or more than may be. */
static void formatted_text_of_any_length_is_whole_or_not_there(void **state)
{
    (void)state;
    static const char sevens[] = "77777777777777777777777777777777777777777777777777";
    enum { MAX = 2100, LENGTH = sizeof(sevens) - 1 };
    for (size_t before = 0; before < MAX; before++) {
        struct bt_buf buf;
        bt_buf_init(&buf, MAX);
        bt_buf_put_repeat(&buf, '.', before);
        bt_buf_printf(&buf, "%s", sevens);
        const bool fits = before + LENGTH < MAX; /* a NUL needs room, too */
        assert_int_equal(buf.status, fits ? BT_OK : BT_ELIMIT);
        assert_int_equal(buf.len, fits ? before + LENGTH : before);
        assert_true(!fits || bt_str_ends_with(bt_buf_str(&buf), bt_str_of(sevens)));
        bt_buf_free(&buf);
    }
}

static void a_failed_buffer_cannot_be_kept(void **state)
{
    (void)state;
    struct bt_arena arena;
    struct bt_buf buf;
    bt_arena_init(&arena, 4096);
    bt_buf_init(&buf, 4);
    bt_str out = {0};
    bt_buf_put_text(&buf, "1234");
    assert_int_equal(bt_buf_copy(&buf, &arena, &out), BT_OK);
    assert_str(out, "1234");
    bt_buf_put_text(&buf, "5");
    assert_int_equal(bt_buf_copy(&buf, &arena, &out), BT_ELIMIT);
    bt_buf_free(&buf);
    bt_arena_free(&arena);
}

static void hostile_text_is_made_visible(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *shown;
    } rows[] = {
        {"plain", "plain"},
        {"a\nb\tc\r", "a\\nb\\tc\\r"},
        {"\x1b[31m", "\\x1b[31m"},
        {"\x7f", "\\x7f"},
        {"caf\xc3\xa9", "caf\xc3\xa9"},
        {"\xe2\x80\xae", "\\u{202e}"},
        {"\xc2\x85", "\\u{85}"},
        {"\xff\xfe", "\\xff\\xfe"},
        {"\xe2\x80", "\\xe2\\x80"},
        {"\xed\xa0\x80", "\\u{d800}"},
        {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
        {"\xef\xbb\xbf{", "\\u{feff}{"},
        {"a\xef\xb8\x8f", "a\\u{fe0f}"},      /* variation selector */
        {"a\xf3\xa0\x84\x80", "a\\u{e0100}"}, /* another one, which can carry hidden bytes */
        {"\xe3\x85\xa4", "\\u{3164}"},        /* Hangul filler */
        {"\xcd\x8f\xe2\xa0\x80", "\\u{34f}\\u{2800}"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_buf buf;
        bt_buf_init(&buf, 1000);
        bt_buf_put_printable(&buf, bt_str_of(rows[i].text), 100);
        bt_buf_put_char(&buf, '\0');
        assert_int_equal(buf.status, BT_OK);
        assert_string_equal(buf.ptr, rows[i].shown);
        bt_buf_free(&buf);
    }
}

static void finishing_frees_in_every_case(void **state)
{
    (void)state;
    for (size_t limit = 16; limit <= 4096; limit *= 256) {
        for (size_t max = 4; max <= 8; max += 4) {
            struct bt_arena arena;
            struct bt_buf buf;
            bt_str out = BT_STR("before");
            bt_arena_init(&arena, limit);
            bt_buf_init(&buf, max);
            bt_buf_put_text(&buf, "text.");
            const enum bt_status status = bt_buf_finish(&buf, &arena, &out);
            const enum bt_status wanted = max < 5 ? BT_ELIMIT : limit < 4096 ? BT_ENOMEM : BT_OK;
            assert_int_equal(status, wanted);
            assert_true(bt_str_eq(out, status == BT_OK ? BT_STR("text.") : BT_STR("before")));
            assert_null(buf.ptr);
            assert_int_equal(buf.max, max);
            bt_arena_free(&arena);
        }
    }
}

/* Both ends of every range are hidden, and their neighbours are not. */
static void what_cannot_be_seen_is_hidden(void **state)
{
    (void)state;
    static const uint32_t ranges[][2] = {
        {0x80, 0x9f},       {0xad, 0xad},       {0x34f, 0x34f},     {0x600, 0x605},
        {0x61c, 0x61c},     {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x890, 0x891},
        {0x8e2, 0x8e2},     {0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180b, 0x180f},
        {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},   {0x2800, 0x2800},
        {0x3164, 0x3164},   {0xd800, 0xdfff},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},
        {0xffa0, 0xffa0},   {0xfff0, 0xfffc},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd},
        {0x13430, 0x1343f}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
    };
    uint32_t count = 0;
    uint32_t expected = 0;
    for (size_t i = 0; i < COUNT_OF(ranges); i++) {
        assert_true(bt_code_point_is_hidden(ranges[i][0]));
        assert_true(bt_code_point_is_hidden(ranges[i][1]));
        assert_false(bt_code_point_is_hidden(ranges[i][0] - 1) && ranges[i][0] > 0x80);
        assert_false(bt_code_point_is_hidden(ranges[i][1] + 1));
        expected += ranges[i][1] - ranges[i][0] + 1;
    }
    for (uint32_t code_point = 0x80; code_point <= 0x10ffff; code_point++) {
        count += bt_code_point_is_hidden(code_point);
    }
    assert_int_equal(count, expected);
}

static void long_text_is_cut_at_a_character(void **state)
{
    (void)state;
    struct bt_buf buf;
    bt_buf_init(&buf, 1000);
    bt_buf_put_printable(&buf, BT_STR("abc\xc3\xa9x"), 4);
    assert_str(bt_buf_str(&buf), "abc...");
    bt_buf_clear(&buf);
    bt_buf_put_printable(&buf, BT_STR("abcd"), 4);
    assert_str(bt_buf_str(&buf), "abcd");
    bt_buf_free(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(puts_are_joined),
        cmocka_unit_test(the_maximum_holds_and_the_failure_sticks),
        cmocka_unit_test(formatted_text_of_any_length_is_whole_or_not_there),
        cmocka_unit_test(a_failed_buffer_cannot_be_kept),
        cmocka_unit_test(finishing_frees_in_every_case),
        cmocka_unit_test(hostile_text_is_made_visible),
        cmocka_unit_test(what_cannot_be_seen_is_hidden),
        cmocka_unit_test(long_text_is_cut_at_a_character),
    };
    return RUN_TESTS(tests);
}
