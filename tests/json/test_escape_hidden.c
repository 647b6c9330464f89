/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <baton/json.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

static struct bt_buf escape(bt_str text)
{
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    bt_buf_put_text(&buf, "\x7f"); /* stands before the part that is asked for */
    bt_buf_put(&buf, text);
    bt_json_escape_hidden(&buf, 1);
    assert_int_equal(buf.status, BT_OK);
    assert_int_equal(buf.ptr[0], 0x7f);
    return buf;
}

static void hidden_characters_are_escaped_and_others_stay(void **state)
{
    (void)state;
    static const struct {
        const char *before;
        const char *after;
    } rows[] = {
        {"", ""},
        {"abc", "abc"},
        {"\x7f", "\\u007f"},
        {"\xc2\x80\x7f\xc2\x9f", "\\u0080\\u007f\\u009f"},
        {"a\xc2\x9b-\xc2\xa0-\x7f", "a\\u009b-\xc2\xa0-\\u007f"},
        {"\xc2\xad", "\\u00ad"},
        {"\xd8\x9c\xd8\x9b", "\\u061c\xd8\x9b"},
        {"\xe2\x80\x8b\xe2\x80\x8f\xe2\x80\x90", "\\u200b\\u200f\xe2\x80\x90"},
        {"\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa\xe2\x80\xae", "\\u2028\\u2029\\u202a\\u202e"},
        {"\xe2\x81\xa0\xe2\x81\xa4\xe2\x81\xa6\xe2\x81\xa9", "\\u2060\\u2064\\u2066\\u2069"},
        {"\xef\xbb\xbf\xef\xbb\xbe", "\\ufeff\xef\xbb\xbe"},
        {"\xf3\xa0\x80\x80\xf3\xa0\x81\xbf\xf3\xa1\x80\x80",
         "\\udb40\\udc00\\udb40\\udc7f\xf3\xa1\x80\x80"},
        {"\xf3\xa0\x84\x80\xef\xb8\x8f\xe3\x85\xa4\xcd\x8f", "\\udb40\\udd00\\ufe0f\\u3164\\u034f"},
        {"\xe2\x82\x80\xc3\x82\xe5\xae\x9b\xf0\x9f\x98\x80",
         "\xe2\x82\x80\xc3\x82\xe5\xae\x9b\xf0\x9f\x98\x80"},
        {"\xe2\x80", "\xe2\x80"}, /* not UTF-8, and cut off */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_buf buf = escape(bt_str_of(rows[i].before));
        assert_true(
            bt_str_eq(bt_str_slice(bt_buf_str(&buf), 1, buf.len), bt_str_of(rows[i].after)));
        bt_buf_free(&buf);
    }
}

static size_t put_utf8(char out[4], uint32_t code_point)
{
    if (code_point < 0x80) {
        out[0] = (char)code_point;
        return 1;
    }
    const size_t bytes = code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
    static const unsigned char leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = bytes - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code_point & 0x3f));
        code_point >>= 6;
    }
    out[0] = (char)(leads[bytes] | code_point);
    return bytes;
}

/* Every character of Unicode, in a string between others: the JSON means the same, and nothing
 * hidden is left in it. */
static void every_string_still_means_the_same(void **state)
{
    (void)state;
    for (uint32_t code_point = 0x20; code_point < 0x110000; code_point++) {
        if ((code_point >= 0xd800 && code_point < 0xe000) || code_point == '"' ||
            code_point == '\\') {
            continue;
        }
        char text[32] = "\"plain text";
        size_t length = strlen(text);
        length += put_utf8(text + length, code_point);
        memcpy(text + length, " and on.\"", 9);
        length += 9;
        struct bt_buf buf = escape((bt_str){text, length});
        const bt_str escaped = bt_str_slice(bt_buf_str(&buf), 1, buf.len);
        const bool is_hidden =
            code_point == 0x7f || (code_point > 0x7f && bt_code_point_is_hidden(code_point));
        assert_int_equal(!bt_str_eq(escaped, (bt_str){text, length}), is_hidden);
        if (is_hidden) {
            struct bt_arena arena;
            struct bt_json_read_result read = {0};
            bt_arena_init(&arena, SIZE_MAX);
            assert_int_equal(bt_json_read(&arena, escaped, NULL, &read), BT_OK);
            assert_non_null(read.document);
            assert_true(bt_str_eq(bt_json_text(bt_json_root(read.document)),
                                  (bt_str){text + 1, length - 2}));
            bt_arena_free(&arena);
        }
        bt_buf_free(&buf);
    }
}

static void a_full_buffer_fails(void **state)
{
    (void)state;
    struct bt_buf buf;
    bt_buf_init(&buf, 8);
    bt_buf_put_text(&buf, "\xe2\x80\xae\xe2\x80\xae");
    bt_json_escape_hidden(&buf, 0);
    assert_int_equal(buf.status, BT_ELIMIT);
    bt_buf_free(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hidden_characters_are_escaped_and_others_stay),
        cmocka_unit_test(every_string_still_means_the_same),
        cmocka_unit_test(a_full_buffer_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
