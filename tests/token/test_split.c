/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_split.c - where texts are cut, at the places where it is easy to be wrong.
 */
#include "token/split.h"

#include "test.h"

enum { PIECES_MAX = 64 };

/* Pieces with a bar between them; "" for cl100k means the same as for o200k. */
static const struct row {
    const char *o200k;
    const char *cl100k;
} rows[] = {
    {"hello| world", ""},
    {"Hello|World", "HelloWorld"},
    {"XMLHttp|Request", "XMLHttpRequest"},
    {"ABC| DEF", ""},
    {"IT's| x", "IT|'s| x"},
    {"don't", "don|'t"},
    {"we'RE| here", "we|'RE| here"},
    {"a'll|b", "a|'ll|b"},
    {"x\'\xc5\xbf|y", "x|\'\xc5\xbf|y"},
    {"x|''|s", "x|''|s"},
    {"12|'s", ""},
    {"'sabc", "'s|abc"},
    {"it|\xe2\x80\x99s", ""},
    {"123|456|7", ""},
    {" |12", ""},
    {"\xc2\xb2\xc2\xbd\xe2\x85\xa7|\xe3\x80\x87", ""},
    {"a| !!\n\n|b", ""},
    {"//\n//", "//\n|//"},
    {"a|\t|!", ""},
    {"a| !", ""},
    {"a|  | b", ""},
    {"a|   ", ""},
    {"a| \n|  | b", ""},
    {"a|\n\n|  | b", ""},
    {"a|\r\n|b", ""},
    {"a|\xc2\xa0|\xe3\x80\x80z", ""},
    {"a|\xc2\x85|\xe3\x80\x80z", ""},
    {"\xef\xbb\xbfz", ""},
    {"\xe4\xb8\xad|XY", "\xe4\xb8\xadXY"},
    {"\xcc\x81|X", "\xcc\x81X"},
    {"e\xcc\x81z", "e|\xcc\x81z"},
    {"!\xcc\x81", ""},
    {"!!\xcc\x81", ""},
    {"!\xcc\x81|A", "!\xcc\x81|A"},
    {"<,|endoftext|,>", ""},
    {"\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9", ""},
    {"abcdefghijklmnopqrstuvwxyz| z", ""},
    {"caf\xc3\xa9| x", ""},
};

/* The text without its bars. */
static size_t unbarred(const char *barred, uint8_t *out)
{
    size_t length = 0;
    for (; *barred; barred++) {
        if (*barred != '|') {
            out[length++] = (uint8_t)*barred;
        }
    }
    return length;
}

static void check(const char *barred, bt_token_split_fn *split)
{
    uint8_t text[128];
    const uint8_t *ends[PIECES_MAX];
    char made[256];
    size_t length = 0;
    const uint8_t *at = text;
    const size_t count = split(text, text + unbarred(barred, text), ends, PIECES_MAX);
    for (size_t i = 0; i < count; i++) {
        if (i > 0) {
            made[length++] = '|';
        }
        memcpy(made + length, at, (size_t)(ends[i] - at));
        length += (size_t)(ends[i] - at);
        at = ends[i];
    }
    made[length] = '\0';
    assert_string_equal(made, barred);
}

static void texts_are_cut_where_the_patterns_say(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        check(rows[i].o200k, bt_token_split_o200k);
        check(rows[i].cl100k[0] ? rows[i].cl100k : rows[i].o200k, bt_token_split_cl100k);
    }
}

/* Cuts do not depend on how many are asked for at once, nor on what came before a cut. */
static void cuts_are_the_same_one_by_one(void **state)
{
    (void)state;
    bt_token_split_fn *const splits[] = {bt_token_split_o200k, bt_token_split_cl100k};
    for (size_t i = 0; i < 2 * COUNT_OF(rows); i++) {
        bt_token_split_fn *split = splits[i % 2];
        uint8_t text[128];
        const uint8_t *ends[PIECES_MAX];
        const uint8_t *end = text + unbarred(rows[i / 2].o200k, text);
        const uint8_t *at = text;
        const size_t count = split(text, end, ends, PIECES_MAX);
        for (size_t j = 0; j < count; j++) {
            const uint8_t *one = NULL;
            assert_int_equal(split(at, end, &one, 1), 1);
            assert_ptr_equal(one, ends[j]);
            at = one;
        }
        assert_ptr_equal(at, end);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_cut_where_the_patterns_say),
        cmocka_unit_test(cuts_are_the_same_one_by_one),
    };
    return RUN_TESTS(tests);
}
