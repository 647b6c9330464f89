/* SPDX-License-Identifier: Apache-2.0 */
/* test_text.c - positions in a text, and changes against a naive model. */
#include "lsp/text.h"

#include "base/buf.h"
#include "base/str.h"
#include "test.h"

static size_t offset_of(const char *text, enum lsp_encoding encoding, uint64_t line,
                        uint64_t character)
{
    size_t offset = SIZE_MAX;
    assert_true(
        lsp_offset_of(bt_str_of(text), encoding, (struct lsp_position){line, character}, &offset));
    return offset;
}

static void positions_count_code_units_or_bytes(void **state)
{
    (void)state;
    /* a is one of either, é one unit and two bytes, the smiley two units and four bytes */
    const char *text = "a\xc3\xa9\xf0\x9f\x98\x80z\nb";
    assert_int_equal(offset_of(text, LSP_ENCODING_UTF16, 0, 2), 3);
    assert_int_equal(offset_of(text, LSP_ENCODING_UTF16, 0, 4), 7);
    assert_int_equal(offset_of(text, LSP_ENCODING_UTF8, 0, 3), 3);
    assert_int_equal(offset_of(text, LSP_ENCODING_UTF8, 0, 7), 7);
    assert_int_equal(offset_of(text, LSP_ENCODING_UTF16, 1, 1), 10);
}

static void positions_beyond_the_end_are_clamped(void **state)
{
    (void)state;
    assert_int_equal(offset_of("ab\ncd", LSP_ENCODING_UTF16, 0, 99), 2);
    assert_int_equal(offset_of("ab\ncd", LSP_ENCODING_UTF16, 7, 0), 5);
    assert_int_equal(offset_of("ab\r\ncd", LSP_ENCODING_UTF8, 0, 3), 2);
    assert_int_equal(offset_of("", LSP_ENCODING_UTF8, 3, 3), 0);
}

static void a_position_inside_a_character_is_refused(void **state)
{
    (void)state;
    const bt_str text = BT_STR("\xf0\x9f\x98\x80");
    size_t offset = 7;
    assert_false(lsp_offset_of(text, LSP_ENCODING_UTF16, (struct lsp_position){0, 1}, &offset));
    assert_int_equal(offset, 0);
    assert_false(lsp_offset_of(text, LSP_ENCODING_UTF8, (struct lsp_position){0, 3}, &offset));
    assert_true(lsp_offset_of(text, LSP_ENCODING_UTF16, (struct lsp_position){0, 2}, &offset));
    assert_int_equal(offset, 4);
}

static void every_line_end_begins_a_line(void **state)
{
    (void)state;
    const bt_str text = BT_STR("a\nb\r\nc\rd");
    struct lsp_cursor cursor = lsp_cursor_begin(text, LSP_ENCODING_UTF16);
    assert_int_equal(lsp_cursor_move(&cursor, 2).line, 1);
    assert_int_equal(lsp_cursor_move(&cursor, 5).line, 2);
    const struct lsp_position last = lsp_cursor_move(&cursor, 7);
    assert_int_equal(last.line, 3);
    assert_int_equal(last.character, 0);
    assert_int_equal(lsp_cursor_move(&cursor, 0).line, 0);
    /* Between CR and LF is the end of the line. */
    assert_int_equal(lsp_cursor_move(&cursor, 4).character, 1);
}

static void lone_surrogates_become_replacement_characters(void **state)
{
    (void)state;
    struct bt_buf text;
    bt_buf_init(&text, 100);
    lsp_text_replace(&text, (struct lsp_span){0, 0}, BT_STR("a\xed\xa0\xbdz"));
    assert_str(bt_buf_str(&text), "a\xef\xbf\xbdz");
    bt_buf_free(&text);
}

static void a_text_that_would_be_too_long_fails(void **state)
{
    (void)state;
    struct bt_buf text;
    bt_buf_init(&text, 4);
    lsp_text_replace(&text, (struct lsp_span){0, 0}, BT_STR("abcd"));
    assert_int_equal(text.status, BT_OK);
    lsp_text_replace(&text, (struct lsp_span){1, 2}, BT_STR("xy"));
    assert_int_not_equal(text.status, BT_OK);
    bt_buf_free(&text);
}

/* ---- Random changes -------------------------------------------------------------------------- */

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* The position of an offset, found one character at a time. */
static struct lsp_position naive_position(bt_str text, enum lsp_encoding encoding, size_t offset)
{
    struct lsp_position position = {0, 0};
    for (size_t at = 0; at < offset;) {
        uint32_t code = 0;
        const size_t size = bt_utf8_decode(text, at, &code);
        const bool is_crlf = code == '\r' && at + 1 < text.len && text.ptr[at + 1] == '\n';
        if (code == '\n' || (code == '\r' && !is_crlf)) {
            position = (struct lsp_position){position.line + 1, 0};
        } else if (!is_crlf) {
            const size_t units = code > 0xffff ? 2 : 1;
            position.character += encoding == LSP_ENCODING_UTF8 ? size : units;
        }
        at += size;
    }
    return position;
}

/* An offset at which a character begins, and not between CR and LF. */
static size_t random_offset(bt_str text, uint32_t *seed)
{
    size_t offset = text.len > 0 ? next_random(seed) % (text.len + 1) : 0;
    while (offset < text.len && ((unsigned char)text.ptr[offset] & 0xc0) == 0x80) {
        offset++;
    }
    const bool is_inside =
        offset > 0 && offset < text.len && text.ptr[offset - 1] == '\r' && text.ptr[offset] == '\n';
    return offset + is_inside;
}

static void random_changes_equal_a_naive_model(void **state)
{
    (void)state;
    static const char *const parts[] = {
        "", "a", "\n", "\r\n", "\r", "\xc3\xa9", "\xf0\x9f\x98\x80", "{\"x\": [1, 2]}", "\t \n\n"};
    uint32_t seed = 17;
    for (unsigned round = 0; round < 400; round++) {
        const enum lsp_encoding encoding = round % 2 ? LSP_ENCODING_UTF8 : LSP_ENCODING_UTF16;
        struct bt_buf text;
        char model[1024] = "";
        bt_buf_init(&text, sizeof(model));
        for (unsigned change = 0; change < 20; change++) {
            const bt_str now = bt_buf_str(&text);
            const size_t first = random_offset(now, &seed);
            const size_t second = random_offset(now, &seed);
            const size_t begin = first < second ? first : second;
            const size_t end = first < second ? second : first;
            const char *by = parts[next_random(&seed) % COUNT_OF(parts)];
            struct lsp_span span = {0, 0};
            assert_true(
                lsp_offset_of(now, encoding, naive_position(now, encoding, begin), &span.begin));
            assert_true(
                lsp_offset_of(now, encoding, naive_position(now, encoding, end), &span.end));
            assert_int_equal(span.begin, begin);
            assert_int_equal(span.end, end);
            struct lsp_cursor cursor = lsp_cursor_begin(now, encoding);
            const struct lsp_range range = lsp_cursor_range(&cursor, span);
            assert_int_equal(
                lsp_position_compare(range.start, naive_position(now, encoding, begin)), 0);
            assert_int_equal(lsp_position_compare(range.end, naive_position(now, encoding, end)),
                             0);
            char next[1024];
            (void)snprintf(next, sizeof(next), "%.*s%s%s", (int)begin, model, by, model + end);
            memcpy(model, next, sizeof(model));
            lsp_text_replace(&text, span, bt_str_of(by));
            assert_true(bt_str_eq(bt_buf_str(&text), bt_str_of(model)));
        }
        bt_buf_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_count_code_units_or_bytes),
        cmocka_unit_test(positions_beyond_the_end_are_clamped),
        cmocka_unit_test(a_position_inside_a_character_is_refused),
        cmocka_unit_test(every_line_end_begins_a_line),
        cmocka_unit_test(lone_surrogates_become_replacement_characters),
        cmocka_unit_test(a_text_that_would_be_too_long_fails),
        cmocka_unit_test(random_changes_equal_a_naive_model),
    };
    return RUN_TESTS(tests);
}
