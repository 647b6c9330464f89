/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "base/str.h"

static const struct {
    const char *bytes;
    size_t bad_at; /* SIZE_MAX: well-formed */
} rows[] = {
    {"", SIZE_MAX},
    {"ascii", SIZE_MAX},
    {"\xc2\x80", SIZE_MAX},
    {"\xdf\xbf", SIZE_MAX},
    {"\xe0\xa0\x80", SIZE_MAX},
    {"\xed\x9f\xbf\xee\x80\x80", SIZE_MAX},
    {"\xef\xbf\xbf", SIZE_MAX},
    {"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", SIZE_MAX},
    {"a\x80", 1}, /* a continuation alone */
    {"\xc2", 0},  /* cut short */
    {"ab\xe2\x82", 2},
    {"\xf0\x9f\x98", 0},
    {"\xc0\x80", 0}, /* overlong */
    {"\xc1\xbf", 0},
    {"\xe0\x9f\xbf", 0},
    {"\xf0\x8f\xbf\xbf", 0},
    {"\xed\xa0\x80", 0}, /* surrogates */
    {"\xed\xbf\xbf", 0},
    {"\xf4\x90\x80\x80", 0}, /* beyond U+10FFFF */
    {"\xf5\x80\x80\x80", 0},
    {"\xff", 0},
    {"\xc3\xa9\x80", 2},
    {"\xc3"
     "a",
     0},
    {"\xe2\x82"
     "a",
     0},
    {"\xe2"
     "a\x82",
     0},
};

static void each_form_is_judged_at_every_alignment(void **state)
{
    (void)state;
    char text[256];
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const size_t size = strlen(rows[i].bytes);
        for (size_t before = 0; before < 140; before++) {
            for (size_t after = 0; after < 80; after += 13) {
                memset(text, 'x', sizeof(text));
                memcpy(text + before, rows[i].bytes, size);
                const bt_str whole = {text, before + size + after};
                const size_t expected =
                    rows[i].bad_at == SIZE_MAX ? whole.len : before + rows[i].bad_at;
                assert_int_equal(bt_utf8_check(whole), expected);
            }
        }
    }
}

static void every_code_point_survives_encoding(void **state)
{
    (void)state;
    for (uint32_t code_point = 0; code_point <= 0x10ffff; code_point++) {
        char bytes[4];
        const bt_str text = {bytes, bt_utf8_encode(code_point, bytes)};
        uint32_t back = 0;
        assert_int_equal(bt_utf8_decode(text, 0, &back), text.len);
        assert_int_equal(back, code_point);
        assert_int_equal(bt_utf8_count(text), 1);
        const int is_surrogate = code_point >= 0xd800 && code_point <= 0xdfff;
        assert_int_equal(bt_utf8_check(text), is_surrogate ? 0 : text.len);
    }
}

/* Pairs and triples of bytes in a long text: the vector path must agree with the short one. */
static void vector_and_scalar_agree_on_all_pairs(void **state)
{
    (void)state;
    char text[128];
    for (unsigned pair = 0; pair < 0x10000; pair++) {
        const char bytes[] = {(char)(pair >> 8), (char)pair, (char)0x80, (char)0x80};
        for (size_t size = 2; size <= 4; size++) {
            memset(text, ' ', sizeof(text));
            memcpy(text + 62, bytes, size);
            const size_t alone = bt_utf8_check((bt_str){text + 62, size + 4});
            const size_t within = bt_utf8_check((bt_str){text, sizeof(text)});
            assert_int_equal(within, alone == size + 4 ? sizeof(text) : alone + 62);
        }
    }
}

static void trimming_takes_blanks_off_both_ends(void **state)
{
    (void)state;
    assert_str(bt_str_trim(BT_STR("")), "");
    assert_str(bt_str_trim(BT_STR("a b")), "a b");
    assert_str(bt_str_trim(BT_STR(" \t\r\n a b \v\f ")), "a b");
    assert_str(bt_str_trim(BT_STR("\xc2\xa0\xe2\x80\x8b\xc3\xa9\xe3\x80\x80\xef\xbb\xbf")),
               "\xc3\xa9");
    assert_str(bt_str_trim(BT_STR("\xe2\x80\x8b\xe2\x81\xa0")), "");
    assert_str(bt_str_trim(BT_STR(" \xed\xa0\xbd ")), "\xed\xa0\xbd");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_form_is_judged_at_every_alignment),
        cmocka_unit_test(every_code_point_survives_encoding),
        cmocka_unit_test(vector_and_scalar_agree_on_all_pairs),
        cmocka_unit_test(trimming_takes_blanks_off_both_ends),
    };
    return RUN_TESTS(tests);
}
