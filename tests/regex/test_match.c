/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_match.c - answers, by every tier and by the plain automata alike.
 */
#include "test.h"

#include "regex/matcher.h"
#include "regex/regex.h"

struct row {
    const char *pattern;
    enum bt_re_tier tier;
    const char *yes[5];
    const char *no[5];
};

#define LONG_8 "aaaaaaaa"
#define LONG_64 LONG_8 LONG_8 LONG_8 LONG_8 LONG_8 LONG_8 LONG_8 LONG_8
#define SMILE "\xf0\x9f\x98\x80"
#define LEAD "\xed\xa0\xbd" /* U+D83D */

/* clang-format off */
static const struct row rows[] = {
    {"", BT_RE_TIER_TABLE, {"", "a"}, {NULL}},
    {"^", BT_RE_TIER_CHAIN, {"", "a"}, {NULL}},
    {"^$", BT_RE_TIER_CHAIN, {""}, {"a", "\n"}},
    {"^x-", BT_RE_TIER_CHAIN, {"x-", "x-a"}, {"", "x", "ax-"}},
    {"\\.json$", BT_RE_TIER_TABLE, {".json", "a.json"}, {"json", ".json\n"}},
    {"b\xc3\xa9", BT_RE_TIER_TABLE, {"b\xc3\xa9", "bb\xc3\xa9z"}, {"b", "\xc3\xa9", "bb"}},
    {"^(?:GET|PUT|)$", BT_RE_TIER_TABLE, {"GET", "PUT", ""}, {"GE", "GETT", "get"}},
    {"^[0-9a-f]{8}-[0-9a-f]{4}$", BT_RE_TIER_CHAIN, {"01234567-89ab", "cdefcdef-0000"},
     {"01234567-89a", "01234567-89abc", "0123456789abc",
      "01234567-89ag", "012345\xc3\xa9-89ab"}},
    {"^[0-9]{4}$", BT_RE_TIER_CHAIN, {"2026"}, {"202", "20266", "202a", ""}},
    {"^[a-z]{40}$", BT_RE_TIER_CHAIN, {LONG_8 LONG_8 LONG_8 LONG_8 LONG_8},
     {LONG_8 LONG_8 LONG_8 LONG_8 "aaaaaaaA", LONG_8 "A" LONG_8 LONG_8 LONG_8 "aaaaaaa", LONG_64}},
    {"^[A-Za-z_]\\w*$", BT_RE_TIER_CHAIN, {"a", "_9", "abc_DEF_1234567890_abcdefghijkl"},
     {"", "9a", "a-b", "abcdefghijklmnop-qrstuvwxyzabcdefghijklmnop", "a\xc3\xa9"}},
    {"^\\p{L}{2,3}$", BT_RE_TIER_CHAIN,
     {"ab", "\xc3\xa9\xc3\xa9", "a\xce\xb1z"}, {"a", "abcd", "a1", "\xc3\xa9"}},
    {"^[^:]+:[^:]+$", BT_RE_TIER_CHAIN, {"a:b", "\xc3\xa9:" SMILE}, {":b", "a:", "a:b:c", "ab"}},
    {"^.{1,3}$", BT_RE_TIER_CHAIN,
     {"a", "\xc3\xa9\xc3\xa9\xc3\xa9", SMILE SMILE, LEAD "a"}, {"", "aaaa", "\n"}},
    {"^a{2,10000}$", BT_RE_TIER_CHAIN, {"aa", LONG_64}, {"a", "", LONG_64 "b"}},
    {"^a+-?b*c", BT_RE_TIER_CHAIN, {"ac", "aa-bbc", "a-cx"}, {"", "a", "-c", "aab"}},
    {"^\\d{4}-\\d{2}-\\d{2}(?:T\\d+)?(?:Z|[+-]\\d\\d)$", BT_RE_TIER_TABLE,
     {"2026-01-31Z", "2026-01-31T12Z", "2026-01-31T1+02"}, {"2026-01-31",
      "2026-1-31Z", "2026-01-31T", "x"}},
    {"^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(?:Z|:\\d\\d(?:\\.\\d+)?Z)$", BT_RE_TIER_TABLE,
     {"2026-01-31T12:00Z", "2026-01-31T12:00:01Z", "2026-01-31T12:00:01.5Z"},
     {"2026-01-31T12:00", "2026-01-31T12:0", "2026-01-31 12:00Z", "2026-01-31T12:00:Z"}},
    {"^[^a]{16}[a-c]+$", BT_RE_TIER_CHAIN, {"0123456789012345abc", SMILE "012345678901234c"},
     {"0123456789012345", "012345678901234abc", "a123456789012345b", "01234567890123456b"}},
    {".+", BT_RE_TIER_TABLE, {"a", "\n a"}, {"", "\n", "\xe2\x80\xa8"}},
    {"a|b\\b", BT_RE_TIER_TABLE, {"a", "b", "xb-"}, {"", "bx", "b_"}},
    {"\\bis\\b", BT_RE_TIER_TABLE, {"is", "it is.", "this is"}, {"this", "isle", "\xc3\xa9s"}},
    {"^(a+)+$", BT_RE_TIER_CHAIN, {"a", "aaaa"}, {"", "aab"}},
    {"^a(?=.)b?(?!c)(?!$)(?=\\b|d)", BT_RE_TIER_AUTOMATA, {"ab-", "abd", "ad"},
     {"a", "ab", "abc", "abe"}},
    {"^P(?=.)(?:\\d+Y)?(?:T(?!$)(?:\\d+H)?)?$", BT_RE_TIER_TABLE, {"P1Y", "PT1H", "P1YT2H"},
     {"P", "PT", "P1YT", "P\n"}},
    {"(?<!^)x(?<=x)", BT_RE_TIER_AUTOMATA, {"ax", "xx"}, {"x", "xa"}},
    {"(?<=a)b(?!c)", BT_RE_TIER_AUTOMATA, {"ab", "abd", "abc ab"}, {"b", "abc", "cb"}},
    {"x(?=.*[A-Z])(?=.*\\d)", BT_RE_TIER_AUTOMATA, {"xA1", "x1A"}, {"xA", "x1", "A1x"}},
    {"(?:(?!ab).)*$", BT_RE_TIER_AUTOMATA, {"", "ab", "b"}, {NULL}},
    {"^(?:(?!ab).)*$", BT_RE_TIER_AUTOMATA, {"", "a", "ba", "bbbb"}, {"ab", "bbab"}},
    {"(?<![a-z])(?<=\\$)\\d+(?:\\.\\d\\d)?", BT_RE_TIER_AUTOMATA, {"$5", "a $12.50"}, {"5", "a5"}},
    {"^(?:x|a{1001,1003})y$", BT_RE_TIER_AUTOMATA, {"xy"}, {"y", "ay", LONG_64 "y"}},
    {"^(?=.*[A-Z])(?!.*\\s).{2,4}$", BT_RE_TIER_PARTS,
     {"aB", "Bxyz"}, {"ab", "B", "a B", "aBcde"}},
    {"^(?!)", BT_RE_TIER_CHAIN, {NULL}, {"", "a"}},
    {"^(?!a|b$)(?=.)", BT_RE_TIER_PARTS, {"c", "bc"}, {"", "a", "ac", "b"}},
    {"(a)\\1", BT_RE_TIER_BACKTRACK, {"aa", "baab"}, {"a", "aba"}},
    {"^(?<q>['\"]).*\\k<q>$", BT_RE_TIER_BACKTRACK, {"'a'", "\"\""}, {"'a\"", "'"}},
    {"(?:(a)|b)*\\1$", BT_RE_TIER_BACKTRACK, {"ab", "b", "aa"}, {NULL}},
    {"^(?:(a)|b)*\\1$", BT_RE_TIER_BACKTRACK, {"ab", "aa", "b", "baa"}, {"c"}},
    {"^(?=(a+))\\1b", BT_RE_TIER_BACKTRACK, {"aab", "ab"}, {"aa", "b"}},
    {"(?<=\\1(a))b", BT_RE_TIER_BACKTRACK, {"aab"}, {"ab"}},
    {"^" SMILE "?$", BT_RE_TIER_CHAIN, {"", SMILE}, {LEAD, "\xf0\x9f\x98\x81"}},
    {"^[\\ud83d\\ude00]$", BT_RE_TIER_CHAIN, {SMILE}, {LEAD}},
    {"^\\ud83d$", BT_RE_TIER_CHAIN, {LEAD}, {SMILE}},
    {"^\\cJ\\x41\\u0042\\u{43}\\0?$", BT_RE_TIER_CHAIN, {"\nABC"}, {"ABC"}},
    {"^\\s$", BT_RE_TIER_CHAIN,
     {" ", "\xc2\xa0", "\xef\xbb\xbf", "\xe2\x80\xa9"}, {"\xe1\xa0\x8e", "a"}},
    {"^\\d$", BT_RE_TIER_CHAIN, {"7"}, {"\xdb\xb0"}},
    {"^\\W$", BT_RE_TIER_CHAIN, {"\xc3\xa9", "-"}, {"w", "_"}},
    {"^[\\w-]+\\-\\&$", BT_RE_TIER_TABLE, {"a--&", "a-&"}, {"a&"}},
    {"^[]$", BT_RE_TIER_CHAIN, {NULL}, {"", "a"}},
    {"^[^]$", BT_RE_TIER_CHAIN, {"a", "\n", SMILE}, {"", "ab"}},
};
/* clang-format on */

static void check_answer(const struct row *row, const struct bt_regex *regex, const char *subject,
                         enum bt_regex_match_result expected)
{
    struct bt_regex_matcher matcher;
    /* In a block of its own size, so that a sanitizer sees one byte too many. */
    const bt_str given = bt_str_of(subject);
    char *copy = malloc(given.len > 0 ? given.len : 1);
    assert_non_null(copy);
    memcpy(copy, given.ptr, given.len);
    const bt_str text = {copy, given.len};
    bt_regex_matcher_init(&matcher, NULL);
    const enum bt_regex_match_result answer = bt_regex_match(regex, &matcher, text);
    const enum bt_regex_match_result plain = bt_regex_match_plain(regex, &matcher, text);
    if (answer != expected || plain != expected) {
        fail_msg("%s on '%s': %d, plainly %d, expected %d", row->pattern, subject, (int)answer,
                 (int)plain, (int)expected);
    }
    bt_regex_matcher_free(&matcher);
    free(copy);
}

static void check_row(const struct row *row, const struct bt_regex *regex)
{
    for (size_t j = 0; j < COUNT_OF(row->yes) && row->yes[j]; j++) {
        check_answer(row, regex, row->yes[j], BT_REGEX_MATCH);
    }
    for (size_t j = 0; j < COUNT_OF(row->no) && row->no[j]; j++) {
        check_answer(row, regex, row->no[j], BT_REGEX_NO_MATCH);
    }
}

/* Patterns that are asked 16 bytes at a time, and a subject that each matches. */
static const struct {
    const char *pattern;
    const char *subject;
} fixed_rows[] = {
    {"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
     "01234567-89ab-cdef-0123-456789abcdef"},
    {"^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?Z$", "2026-01-31T12:34:56Z"},
    {"^[^x]{16}$", "0123456789abcdef"},
    {"^[^-]{20}-[a-z]*$", "01234567890123456789-abc"},
};

static void any_byte_at_any_place_of_a_fixed_pattern_is_judged_as_by_the_automata(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(fixed_rows); i++) {
        struct bt_arena arena;
        struct bt_regex_matcher matcher;
        struct bt_regex_compile_result made = {0};
        char subject[64];
        size_t matches = 0;
        const bt_str text = {subject, strlen(fixed_rows[i].subject)};
        bt_arena_init(&arena, (size_t)16 << 20);
        bt_regex_matcher_init(&matcher, NULL);
        assert_int_equal(bt_regex_compile(&arena, bt_str_of(fixed_rows[i].pattern), NULL, &made),
                         BT_OK);
        for (size_t at = 0; at < text.len; at++) {
            for (unsigned byte = 0; byte < 256; byte++) {
                memcpy(subject, fixed_rows[i].subject, text.len);
                subject[at] = (char)byte;
                const enum bt_regex_match_result answer =
                    bt_regex_match(made.regex, &matcher, text);
                assert_int_equal(answer, bt_regex_match_plain(made.regex, &matcher, text));
                matches += answer == BT_REGEX_MATCH;
            }
        }
        assert_true(matches >= text.len && matches < text.len * 256);
        bt_regex_matcher_free(&matcher);
        bt_arena_free(&arena);
    }
}

static void every_row_gets_its_answers_and_its_tier(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_arena arena;
        struct bt_regex_compile_result made = {0};
        bt_arena_init(&arena, (size_t)16 << 20);
        assert_int_equal(bt_regex_compile(&arena, bt_str_of(rows[i].pattern), NULL, &made), BT_OK);
        assert_non_null(made.regex);
        if (made.regex->tier != rows[i].tier) {
            fail_msg("%s: tier %d", rows[i].pattern, (int)made.regex->tier);
        }
        check_row(&rows[i], made.regex);
        bt_arena_free(&arena);
    }
}

/* Counted repeats around their bounds, kept as numbers and answered by hand. */
static void long_counts_are_exact(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        size_t least;
        size_t most;
    } counts[] = {
        {"^(?:x|a{1500,2000})$", 1500, 2000},   {"^(?:x|a{1,2000})$", 1, 2000},
        {"^(?:x|a{1500})$", 1500, 1500},        {"^(?:x|a{1500,})$", 1500, SIZE_MAX},
        {"^b?(?:x|a{1500,2000})$", 1500, 2000},
    };
    enum { LONGEST = 2100 };
    char *text = malloc(LONGEST);
    assert_non_null(text);
    memset(text, 'a', LONGEST);
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        struct bt_arena arena;
        struct bt_regex_compile_result made = {0};
        struct bt_regex_matcher matcher;
        bt_arena_init(&arena, (size_t)16 << 20);
        bt_regex_matcher_init(&matcher, NULL);
        assert_int_equal(bt_regex_compile(&arena, bt_str_of(counts[i].pattern), NULL, &made),
                         BT_OK);
        assert_non_null(made.regex);
        assert_true(arena.taken < (size_t)64 << 10);
        for (size_t size = 0; size < LONGEST; size += size < 4 || size > 1490 ? 1 : 100) {
            const bool is_match = size >= counts[i].least && size <= counts[i].most;
            assert_int_equal(bt_regex_match(made.regex, &matcher, (bt_str){text, size}),
                             is_match ? BT_REGEX_MATCH : BT_REGEX_NO_MATCH);
        }
        bt_regex_matcher_free(&matcher);
        bt_arena_free(&arena);
    }
    free(text);
}

static void spent_fuel_is_neither_yes_nor_no(void **state)
{
    (void)state;
    struct bt_arena arena;
    struct bt_regex_compile_result made = {0};
    struct bt_regex_matcher matcher;
    const struct bt_regex_limits limits = {.steps_max = 5000, .memory_bytes = 1 << 20};
    bt_arena_init(&arena, (size_t)16 << 20);
    bt_regex_matcher_init(&matcher, &limits);
    assert_int_equal(bt_regex_compile(&arena, BT_STR("^(a+)+\\1$"), NULL, &made), BT_OK);
    assert_int_equal(bt_regex_match(made.regex, &matcher, BT_STR("aaaaaaaaaaaaaaaaaaaaaaaaaaab")),
                     BT_REGEX_UNDECIDED);
    assert_int_equal(bt_regex_match(made.regex, &matcher, BT_STR("aab")), BT_REGEX_NO_MATCH);
    assert_int_equal(bt_regex_match(made.regex, &matcher, BT_STR("aa")), BT_REGEX_MATCH);
    bt_regex_matcher_free(&matcher);
    bt_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_gets_its_answers_and_its_tier),
        cmocka_unit_test(any_byte_at_any_place_of_a_fixed_pattern_is_judged_as_by_the_automata),
        cmocka_unit_test(long_counts_are_exact),
        cmocka_unit_test(spent_fuel_is_neither_yes_nor_no),
    };
    return RUN_TESTS(tests);
}
