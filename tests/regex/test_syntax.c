/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_syntax.c - which texts are patterns, and what is said of those that are not.
 */
#include "test.h"

#include <baton/regex.h>

#include "regex/matcher.h"

static struct bt_regex_compile_result compile(struct bt_arena *arena, const char *pattern,
                                              bool is_strict)
{
    struct bt_regex_options options = bt_regex_options_default();
    struct bt_regex_compile_result made = {0};
    options.is_strict = is_strict;
    bt_arena_init(arena, (size_t)16 << 20);
    assert_int_equal(bt_regex_compile(arena, bt_str_of(pattern), &options, &made), BT_OK);
    return made;
}

/* Patterns of the `u` syntax. */
static const char *const strict_ones[] = {
    "",
    "a|",
    "(?:)",
    "[]",
    "[^]",
    "\\/\\^\\$\\\\\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|",
    "[\\-\\b\\0]",
    "\\cA\\x41\\u0041\\u{41}\\u{10FFFF}\\ud83d\\ude00",
    "(?<name>a)\\k<name>",
    "\\k<late>(?<late>a)",
    "\\1(a)",
    "(?<$\\u{61}\\u0062_9>.)",
    "(?<\xc3\xa9t\xc3\xa9>.)",
    "a{0}b{1,}c{1,2}d*?e+?f??g{2}?",
    "a{99999999999999999999}",
    "(?=a)(?!b)(?<=c)(?<!d)",
    "\\p{L}\\P{Lu}\\p{Script=Greek}\\p{scx=Han}\\p{General_Category=Nd}\\p{Emoji}\\p{Any}",
    "[\\p{L}-]",
    "[a-\\u{1F600}]",
    "(((((((((())))))))))",
    "\xf0\x9f\x98\x80",
    "\xed\xa0\x80",
};

/* Refused by the `u` syntax, taken by Annex B. */
static const char *const lenient_ones[] = {
    "\\-",    "\\a",      "]",    "}",     "{",    "a{",       "a{1",
    "a{,1}",  "x{1}{",    "\\c",  "[\\c]", "\\1",  "\\8",      "[\\d-a]",
    "(?=a)*", "(?!a){2}", "\\u",  "\\u{}", "\\x1", "\\p{Foo}", "\\k",
    "\\k<a>", "[\\1]",    "\\07", "\\&",   "\\Z",  "[\\B]",    "\\p{L",
};

struct refused {
    const char *pattern;
    size_t offset;
};

/* No pattern at all, and where that shows in the `u` syntax. */
static const struct refused refused_ones[] = {
    {"(", 0},
    {"a(b", 1},
    {"a)", 1},
    {"*", 0},
    {"a**", 2},
    {"^*", 1},
    {"\\b+", 2},
    {"(?<=a)*", 6},
    {"[", 0},
    {"ab[c", 2},
    {"[b-a]", 2},
    {"a{2,1}", 1},
    {"{1}", 0},
    {"\\", 0},
    {"(?", 0},
    {"(?a)", 0},
    {"(?i:a)", 0},
    {"(?<a", 4},
    {"(?<1>a)", 3},
    {"(?<a>b)(?<a>c)", 7},
    {"(?<a>b)\\k<c>", 7},
    {"(?<a>b)\\k", 7},
    {"[\\u{110000}-a]", 4},
    {"\xff", 0},
    {"a\xc3", 1},
    {"\xc0\x80", 0},
};

static void a_pattern_of_the_standard_is_taken_strictly(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(strict_ones); i++) {
        struct bt_arena arena;
        const struct bt_regex_compile_result made = compile(&arena, strict_ones[i], true);
        if (!made.regex) {
            fail_msg("%s: %s at %zu", strict_ones[i], made.detail, made.offset);
        }
        assert_int_equal(made.code, BT_REGEX_ERROR_NONE);
        bt_arena_free(&arena);
    }
}

static void annex_b_is_taken_only_when_not_strict(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(lenient_ones); i++) {
        for (int is_strict = 0; is_strict < 2; is_strict++) {
            struct bt_arena arena;
            const struct bt_regex_compile_result made =
                compile(&arena, lenient_ones[i], is_strict != 0);
            if ((made.regex != NULL) != (is_strict == 0)) {
                fail_msg("%s, strict %d: %s", lenient_ones[i], is_strict, made.detail);
            }
            bt_arena_free(&arena);
        }
    }
}

static void what_is_no_pattern_is_refused_with_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(refused_ones); i++) {
        struct bt_arena arena;
        const struct bt_regex_compile_result made = compile(&arena, refused_ones[i].pattern, false);
        if (made.regex || made.code != BT_REGEX_ERROR_INVALID ||
            made.offset != refused_ones[i].offset || made.detail[0] == '\0') {
            fail_msg("%s: code %d, offset %zu, %s", refused_ones[i].pattern, (int)made.code,
                     made.offset, made.detail);
        }
        bt_arena_free(&arena);
    }
}

static void too_complex(const char *pattern, const struct bt_regex_options *options)
{
    struct bt_arena arena;
    struct bt_regex_compile_result made = {0};
    bt_arena_init(&arena, (size_t)64 << 20);
    assert_int_equal(bt_regex_compile(&arena, bt_str_of(pattern), options, &made), BT_OK);
    assert_null(made.regex);
    if (made.code != BT_REGEX_ERROR_TOO_COMPLEX) {
        fail_msg("%.40s: %s", pattern, made.detail);
    }
    bt_arena_free(&arena);
}

static void each_bound_of_the_options_is_kept(void **state)
{
    (void)state;
    struct bt_regex_options options = bt_regex_options_default();
    options.depth_max = 3;
    too_complex("((((a))))", &options);
    options = bt_regex_options_default();
    options.instructions_max = 100;
    too_complex("(ab){60}", &options);
    too_complex("(a)\\1{200}", &options);
    options = bt_regex_options_default();
    options.pattern_bytes_max = 5;
    too_complex("aaaaaa", &options);
    options = bt_regex_options_default();
    options.compile_bytes_max = 4096;
    too_complex("(abc|def|ghi|jkl|mno|pqr)+\\p{L}", &options);
    too_complex("((ab){1000}c){1000}", NULL);
}

static void groups_may_be_as_deep_as_the_bound_and_no_deeper(void **state)
{
    (void)state;
    enum { DEEPEST = 250 };
    for (size_t depth = DEEPEST; depth <= DEEPEST + 1; depth++) {
        char pattern[2 * DEEPEST + 4] = {0};
        memset(pattern, '(', depth);
        pattern[depth] = 'a';
        memset(pattern + depth + 1, ')', depth);
        struct bt_arena arena;
        const struct bt_regex_compile_result made = compile(&arena, pattern, true);
        assert_int_equal(made.regex != NULL, depth == DEEPEST);
        bt_arena_free(&arena);
    }
}

static void an_option_out_of_range_is_the_callers_mistake(void **state)
{
    (void)state;
    struct bt_arena arena;
    struct bt_regex_compile_result made = {.offset = 7};
    struct bt_regex_options options = bt_regex_options_default();
    options.depth_max = 1001;
    bt_arena_init(&arena, 1 << 20);
    assert_int_equal(bt_regex_compile(&arena, BT_STR("a"), &options, &made), BT_EINVAL);
    assert_int_equal(made.offset, 7);
    bt_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pattern_of_the_standard_is_taken_strictly),
        cmocka_unit_test(annex_b_is_taken_only_when_not_strict),
        cmocka_unit_test(what_is_no_pattern_is_refused_with_its_place),
        cmocka_unit_test(each_bound_of_the_options_is_kept),
        cmocka_unit_test(groups_may_be_as_deep_as_the_bound_and_no_deeper),
        cmocka_unit_test(an_option_out_of_range_is_the_callers_mistake),
    };
    return RUN_TESTS(tests);
}
