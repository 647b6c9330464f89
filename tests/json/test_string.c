/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_string.c - any bytes come out as a JSON string.
 */
#include "json_test.h"

#include "base/buf.h"
#include "json/string_put.h"

static void only_what_must_be_escaped_is(void **state)
{
    (void)state;
    static const struct {
        bt_str text;
        const char *json;
    } rows[] = {
        {BT_STR_INIT(""), "\"\""},
        {BT_STR_INIT("plain"), "\"plain\""},
        {BT_STR_INIT("\"\\"), "\"\\\"\\\\\""},
        {BT_STR_INIT("\b\f\n\r\t"), "\"\\b\\f\\n\\r\\t\""},
        {BT_STR_INIT("\0\x01\x0b\x1f"), "\"\\u0000\\u0001\\u000b\\u001f\""},
        {BT_STR_INIT("/ \x7f"), "\"/ \x7f\""},
        {BT_STR_INIT("caf\xc3\xa9 \xe2\x80\xa8 \xf0\x9f\x98\x80"),
         "\"caf\xc3\xa9 \xe2\x80\xa8 \xf0\x9f\x98\x80\""},
        /* Surrogates in three bytes become escapes. */
        {BT_STR_INIT("\xed\xa0\x80"), "\"\\ud800\""},
        {BT_STR_INIT("a\xed\xbf\xbfz"), "\"a\\udfffz\""},
        {BT_STR_INIT("\xed\x9f\xbf"), "\"\xed\x9f\xbf\""},
        /* Bytes that are not UTF-8 become U+FFFD, each for itself. */
        {BT_STR_INIT("\xff"), "\"\xef\xbf\xbd\""},
        {BT_STR_INIT("a\xc3"), "\"a\xef\xbf\xbd\""},
        {BT_STR_INIT("\xc0\x80z"), "\"\xef\xbf\xbd\xef\xbf\xbdz\""},
        {BT_STR_INIT("\xed\xa0"), "\"\xef\xbf\xbd\xef\xbf\xbd\""},
        {BT_STR_INIT("\xf0\x9f\x98"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
        {BT_STR_INIT("\xf5\"\xed\xa0\x80\n"), "\"\xef\xbf\xbd\\\"\\ud800\\n\""},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_buf buf;
        bt_buf_init(&buf, 1000);
        bt_json_put_string(&buf, rows[i].text);
        bt_buf_put_char(&buf, '\0');
        assert_int_equal(buf.status, BT_OK);
        assert_string_equal(buf.ptr, rows[i].json);
        bt_buf_free(&buf);
    }
}

/* One byte at every place of strings that are longer than any word looked at. */
static void an_escape_is_found_at_every_place(void **state)
{
    (void)state;
    for (unsigned byte = 0; byte < 0x80; byte++) {
        for (size_t place = 0; place < 40; place++) {
            char text[40];
            memset(text, 'x', sizeof(text));
            text[place] = (char)byte;
            struct bt_buf buf;
            bt_buf_init(&buf, 1000);
            bt_json_put_string(&buf, (bt_str){text, sizeof(text)});
            const bool escaped = byte < 0x20 || byte == '"' || byte == '\\';
            assert_int_equal(buf.status, BT_OK);
            assert_int_equal(buf.len > sizeof(text) + 2, escaped);
            assert_int_equal(buf.ptr[place + 1], escaped ? '\\' : (char)byte);
            bt_buf_free(&buf);
        }
    }
}

/* Texts of every length, so that each block, word and rest is looked at. */
static void escapes_are_counted_as_they_are_written(void **state)
{
    static const char bytes[] = "\n\x01\x1f \"\\z\x7f\xc3\xa9";
    (void)state;
    struct rng rng = {7};
    for (size_t round = 0; round < 20000; round++) {
        char text[70];
        const bt_str whole = {text, round % sizeof(text)};
        memset(text, 'x', sizeof(text));
        size_t wanted = 0;
        bool is_ascii = true;
        for (size_t i = 0; i < whole.len; i++) {
            text[i] = rng_below(&rng, 12) == 0 ? bytes[rng_below(&rng, sizeof(bytes) - 1)] : 'x';
            const unsigned char byte = (unsigned char)text[i];
            wanted += byte == '\n' || byte == '"' || byte == '\\' ? 1 : byte < ' ' ? 5 : 0;
            is_ascii &= byte < 0x80;
        }
        assert_int_equal(bt_json_string_count_escapes(whole), wanted);
        assert_int_equal(bt_json_string_is_ascii(whole), is_ascii);
        assert_int_equal(bt_json_string_needs_no_escape(whole), wanted == 0 && is_ascii);
    }
}

static void any_bytes_give_a_string_that_reads_back(void **state)
{
    (void)state;
    struct rng rng = {6};
    static const unsigned char often[] = {0x00, 0x1f, 0x22, 0x5c, 0x61, 0x80, 0xbf, 0xc3,
                                          0xe2, 0xed, 0xa0, 0xb0, 0xf0, 0x9f, 0xff};
    for (size_t round = 0; round < 5000; round++) {
        char text[100];
        const size_t size = rng_below(&rng, sizeof(text));
        for (size_t i = 0; i < size; i++) {
            text[i] =
                (char)(round % 2 ? often[rng_below(&rng, sizeof(often))] : rng_below(&rng, 256));
        }
        struct bt_arena arena;
        struct bt_buf buf;
        bt_arena_init(&arena, TEST_ARENA_BYTES);
        bt_buf_init(&buf, TEST_BUF_BYTES);
        bt_json_put_string(&buf, (bt_str){text, size});
        const bt_str json = bt_buf_str(&buf);
        assert_int_equal(bt_utf8_check(json), json.len);
        const struct bt_json_doc *document = read_text(&arena, json);
        const bt_str back = bt_json_text(bt_json_root(document));
        if (bt_utf8_check((bt_str){text, size}) == size) {
            assert_true(bt_str_eq(back, (bt_str){text, size}));
        }
        bt_buf_free(&buf);
        bt_arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_must_be_escaped_is),
        cmocka_unit_test(an_escape_is_found_at_every_place),
        cmocka_unit_test(escapes_are_counted_as_they_are_written),
        cmocka_unit_test(any_bytes_give_a_string_that_reads_back),
    };
    return RUN_TESTS(tests);
}
