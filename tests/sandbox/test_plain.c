/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "base/buf.h"
#include "sandbox/plain.h"

static const struct row {
    const char *text;
    const char *shown;
} rows[] = {
    {"", ""},
    {"a\tb", "a\tb"},
    {"a\x1b[31mb", "a\\x1b[31mb"},
    {"one\ntwo\r", "one\\x0atwo\\x0d"},
    {"caf\xc3\xa9", "caf\xc3\xa9"},
    {"caf\xe9!", "caf\\xe9!"},
    {"\xc2\x85", "\\xc2\\x85"},
    {"\xed\xa0\x80", "\\xed\\xa0\\x80"},
    {"end\xe2\x82", "end\\xe2\\x82"},
    {"\x7f", "\\x7f"},
};

static void control_characters_and_other_bytes_are_escaped(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_buf out;
        bt_buf_init(&out, 4096);
        bt_plain_put(&out, bt_str_of(rows[i].text));
        assert_int_equal(out.status, BT_OK);
        assert_int_equal(out.len, strlen(rows[i].shown));
        assert_memory_equal(out.len ? out.ptr : "", rows[i].shown, out.len);
        bt_buf_free(&out);
    }
}

/* `lead` plain bytes, then `tail`: how much is shown. */
static size_t shown(size_t lead, const char *tail)
{
    static char text[2048];
    struct bt_buf out;
    memset(text, 'a', lead);
    (void)snprintf(text + lead, sizeof(text) - lead, "%s", tail);
    bt_buf_init(&out, BT_PLAIN_BYTES_MAX);
    bt_plain_put(&out, bt_str_of(text));
    assert_int_equal(out.status, BT_OK);
    const size_t len = out.len;
    bt_buf_free(&out);
    return len;
}

static void nothing_is_longer_than_a_thousand_bytes_and_nothing_is_cut_in_two(void **state)
{
    (void)state;
    assert_int_equal(shown(1500, ""), 1000);
    assert_int_equal(shown(999, "\xc3\xa9"), 999);
    assert_int_equal(shown(998, "\xc3\xa9"), 1000);
    assert_int_equal(shown(997, "\x1b"), 997);
    assert_int_equal(shown(996, "\x1b"), 1000);
    assert_int_equal(shown(998, "\xe2\x82"), 998);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_characters_and_other_bytes_are_escaped),
        cmocka_unit_test(nothing_is_longer_than_a_thousand_bytes_and_nothing_is_cut_in_two),
    };
    return RUN_TESTS(tests);
}
