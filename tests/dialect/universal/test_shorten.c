/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "base/str.h"
#include "dialect/universal/shorten.h"
#include "token/tokens.h"

enum { TEXT_BYTES = 8192 };

/* A text made of runs: "a300 1b300" is 300 times a, one blank ('_' stands for it), ... */
struct run {
    const char *unit; /* NULL ends */
    size_t count;
};

static bt_str make(char out[TEXT_BYTES], const struct run *runs)
{
    size_t size = 0;
    for (; runs->unit; runs++) {
        for (size_t i = 0; i < runs->count; i++) {
            const size_t length = strlen(runs->unit);
            assert_true(size + length < TEXT_BYTES);
            memcpy(out + size, runs->unit, length);
            size += length;
        }
    }
    return (bt_str){out, size};
}

struct row {
    size_t limit;
    struct run text[5];
    struct run expected[4];
};

/* clang-format off */
static const struct row rows[] = {
    /* no blank: the first limit - 3 */
    {500, {{"a", 501}}, {{"a", 497}, {"...", 1}}},
    {500, {{"\xe2\x82\xac", 501}}, {{"\xe2\x82\xac", 497}, {"...", 1}}},
    {200, {{"a", 201}}, {{"a", 197}, {"...", 1}}},
    /* a blank at the last place that counts, and one after it */
    {500, {{"a", 497}, {" ", 1}, {"b", 99}}, {{"a", 497}, {"...", 1}}},
    {500, {{"a", 498}, {" ", 1}, {"b", 99}}, {{"a", 497}, {"...", 1}}},
    /* a blank exactly at the half, and one before it */
    {500, {{"a", 250}, {" ", 1}, {"b", 300}}, {{"a", 250}, {"...", 1}}},
    {500, {{"a", 249}, {"\n", 1}, {"b", 300}}, {{"a", 249}, {"\n", 1}, {"b", 247}}},
    /* blanks before the cut go too */
    {500, {{"a", 260}, {"\t \n", 9}, {"b", 300}}, {{"a", 260}, {"...", 1}}},
    {500, {{" ", 600}}, {{"...", 1}}},
    /* a no-break space is not a blank; half a surrogate pair is one code point */
    {500, {{"a", 300}, {"\xc2\xa0", 1}, {"b", 300}}, {{"a", 300}, {"\xc2\xa0", 1}, {"b", 196}}},
    {500, {{"\xed\xa0\x80", 501}}, {{"\xed\xa0\x80", 497}, {"...", 1}}},
};
/* clang-format on */

static void long_texts_are_cut_at_a_blank_if_one_is_near(void **state)
{
    (void)state;
    struct bt_arena arena;
    bt_arena_init(&arena, 1 << 20);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[TEXT_BYTES];
        char expected[TEXT_BYTES];
        bt_str out = {0};
        bt_str wanted = make(expected, rows[i].expected);
        if (!bt_str_ends_with(wanted, BT_STR("..."))) {
            memcpy(expected + wanted.len, "...", 3);
            wanted.len += 3;
        }
        assert_int_equal(
            bt_universal_shorten(&arena, make(text, rows[i].text), rows[i].limit, &out), BT_OK);
        if (!bt_str_eq(out, wanted)) {
            fail_msg("row %zu: got %zu bytes, expected %zu", i, out.len, wanted.len);
        }
        assert_true(bt_utf8_count(out) <= rows[i].limit);
    }
    bt_arena_free(&arena);
}

static void a_cut_keeps_all_but_three(void **state)
{
    (void)state;
    struct bt_arena arena;
    char text[TEXT_BYTES];
    bt_str out = {0};
    bt_arena_init(&arena, 1 << 20);
    const bt_str fits = make(text, (const struct run[]){{"\xc3\xa9", 500}, {NULL, 0}});
    assert_int_equal(bt_universal_truncate(&arena, fits, 500, &out), BT_OK);
    assert_ptr_equal(out.ptr, fits.ptr);
    const bt_str longer = make(text, (const struct run[]){{"\xc3\xa9", 501}, {NULL, 0}});
    assert_int_equal(bt_universal_truncate(&arena, longer, 500, &out), BT_OK);
    assert_int_equal(out.len, 2 * 497 + 3);
    assert_int_equal(bt_utf8_count(out), 500);
    bt_arena_free(&arena);
}

/* With four bytes for a token, fewer than 100 tokens are at most 399 bytes. */
static void a_summary_is_cut_before_a_blank_or_else_anywhere(void **state)
{
    (void)state;
    struct bt_arena arena;
    struct bt_tokens counter;
    char text[TEXT_BYTES];
    bt_str out = {0};
    bt_arena_init(&arena, 1 << 20);
    bt_tokens_init(&counter, BT_ENCODING_CHARS4);
    static const struct {
        struct run text[4];
        size_t bytes; /* of the result; 0: it is left alone */
    } summaries[] = {
        {{{"a", 399}}, 0},
        {{{"a", 400}}, 399},
        {{{"a", 396}, {" ", 1}, {"b", 9}}, 399},
        {{{"a", 397}, {" ", 1}, {"b", 9}}, 399}, /* no word fits: anywhere */
        {{{"a ", 100}, {"b", 300}}, 202},        /* 99 times "a " and "a" */
        {{{" ", 1}, {"a", 420}}, 399},           /* nothing stands before that blank */
        {{{"\xe2\x82\xac", 200}}, 399},
    };
    for (size_t i = 0; i < COUNT_OF(summaries); i++) {
        const bt_str summary = make(text, summaries[i].text);
        assert_int_equal(bt_universal_shorten_to_tokens(&arena, summary, &counter, 100, &out),
                         BT_OK);
        if (summaries[i].bytes == 0) {
            assert_ptr_equal(out.ptr, summary.ptr);
            continue;
        }
        uint64_t count = 0;
        assert_int_equal(bt_tokens_count(&counter, out, &count), BT_OK);
        assert_true(count < 100);
        if (out.len != summaries[i].bytes) {
            fail_msg("row %zu: got %zu bytes, expected %zu", i, out.len, summaries[i].bytes);
        }
        assert_true(bt_str_ends_with(out, BT_STR("...")));
        assert_int_equal(memcmp(out.ptr, summary.ptr, out.len - 3), 0);
    }
    bt_tokens_free(&counter);
    bt_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_texts_are_cut_at_a_blank_if_one_is_near),
        cmocka_unit_test(a_cut_keeps_all_but_three),
        cmocka_unit_test(a_summary_is_cut_before_a_blank_or_else_anywhere),
    };
    return RUN_TESTS(tests);
}
