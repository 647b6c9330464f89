/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_bounds.c - time that is linear, counted in steps, and memory that may run out anywhere.
 */
#include "test.h"

#include "regex/matcher.h"
#include "regex/regex.h"

#define SUBJECT_BYTES_MAX ((size_t)1 << 17)

/* Patterns that make backtracking engines slow, and the letters that do it. */
static const struct {
    const char *pattern;
    const char *repeated;
    const char *last;
} hostile[] = {
    {"^(a+)+$", "a", "b"},
    {"^(a|a)*b$", "a", ""},
    {"(a|a)*b", "a", ""},
    {"^(.*)*x$", "a", ""},
    {"^(a|aa)+$", "a", "!"},
    {"^(a*)*b$", "a", ""},
    {"^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+$", "a", "!"},
    {".*.*.*=", "a", ""},
    {"x.*x.*x.*=", "x", ""},
    {"^(?=(?:(?=a+$)a)+b)", "a", ""},
    {"^(?!(?:(?!b).)*c)", "a", ""},
    {"(?=a*b)(?<=a*)c", "a", ""},
    {"(?<=(?:a|aa)+)b", "a", ""},
    {"\\b(?:\\w+\\s?)+\\b!", "ab ", ""},
    {"(?:a?){50}a{50}b", "a", ""},
    {"(?:[ab]*[bc]*[cd]*)*e", "abcd", ""},
    {"[ab]*a[ab]{12}c", "abbaab", ""},
    {"[ab]*a[ab]{300}c", "aabbabab", ""},
    {"^(?:x|(?:a{1,2000}b?)*)$", "aaab", "!"},
    {"(?:a{1,3}){1,30}b", "a", ""},
    {"[^\\n]*\\p{Lu}\\P{Lu}\\d",
     "\xc3\x89"
     "e",
     ""},
};

static char *make_subject(size_t size, const char *repeated, const char *last, size_t *out_size)
{
    char *text = malloc(size + 8);
    assert_non_null(text);
    const bt_str period = bt_str_of(repeated);
    const bt_str end = bt_str_of(last);
    size_t at = 0;
    for (; at + period.len <= size; at += period.len) {
        memcpy(text + at, period.ptr, period.len);
    }
    memcpy(text + at, end.ptr, end.len);
    *out_size = at + end.len;
    return text;
}

static uint64_t steps_of(const struct bt_regex *regex, size_t row, size_t size, bool is_plain)
{
    struct bt_regex_matcher matcher;
    size_t length = 0;
    char *text = make_subject(size, hostile[row].repeated, hostile[row].last, &length);
    const bt_str subject = {text, length};
    bt_regex_matcher_init(&matcher, NULL);
    /* Warm, so that states that are built once do not hide what each character costs. */
    const enum bt_regex_match_result first = is_plain
                                                 ? bt_regex_match_plain(regex, &matcher, subject)
                                                 : bt_regex_match(regex, &matcher, subject);
    const uint64_t before = matcher.steps;
    const enum bt_regex_match_result answer = is_plain
                                                  ? bt_regex_match_plain(regex, &matcher, subject)
                                                  : bt_regex_match(regex, &matcher, subject);
    assert_int_equal(first, answer);
    assert_int_not_equal(answer, BT_REGEX_UNDECIDED);
    const uint64_t steps = matcher.steps - before;
    bt_regex_matcher_free(&matcher);
    free(text);
    return steps;
}

static void steps_grow_with_the_subject_and_no_faster(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(hostile); i++) {
        struct bt_arena arena;
        struct bt_regex_compile_result made = {0};
        bt_arena_init(&arena, (size_t)16 << 20);
        assert_int_equal(bt_regex_compile(&arena, bt_str_of(hostile[i].pattern), NULL, &made),
                         BT_OK);
        assert_non_null(made.regex);
        for (int is_plain = 0; is_plain < 2; is_plain++) {
            const size_t most = is_plain ? 1 << 13 : SUBJECT_BYTES_MAX;
            uint64_t before = steps_of(made.regex, i, 1 << 11, is_plain != 0);
            for (size_t size = 1 << 12; size <= most; size *= 2) {
                const uint64_t steps = steps_of(made.regex, i, size, is_plain != 0);
                if (steps * 10 > before * 23) {
                    fail_msg("%s: %zu bytes take %llu steps, half of them %llu", hostile[i].pattern,
                             size, (unsigned long long)steps, (unsigned long long)before);
                }
                before = steps;
            }
        }
        bt_arena_free(&arena);
    }
}

static const char *const samples[] = {
    "^x-",
    "^[0-9a-f]{8}$",
    "^[A-Za-z_]\\w*$",
    "^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-[a-z]+)?$",
    "(?<=a)b(?!c)\\b",
    "^(?=.*[A-Z])(?=.*\\d).{8,64}$",
    "(?<n>a|b)\\k<n>\\p{L}",
    "[ab]*a[ab]{30}c",
    "^(?:x|a{1500,2000})$",
};

static void a_full_arena_is_told_at_every_limit(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        enum bt_status status = BT_ENOMEM;
        for (size_t limit = 16; status != BT_OK && limit < (size_t)1 << 20; limit += 16) {
            struct bt_arena arena;
            struct bt_regex_compile_result made = {.offset = 77};
            bt_arena_init(&arena, limit);
            status = bt_regex_compile(&arena, bt_str_of(samples[i]), NULL, &made);
            assert_true(status == BT_OK || status == BT_ENOMEM);
            assert_true(status == BT_OK || made.offset == 77);
            assert_true(status != BT_OK || made.regex);
            assert_true(arena.taken <= limit);
            bt_arena_free(&arena);
        }
        assert_int_equal(status, BT_OK);
    }
}

/* Little memory may end in no decision, and must never end in another one. */
static void a_scarce_matcher_gives_the_same_answer_or_none(void **state)
{
    (void)state;
    static const char subject[] = "abbaabababbbabaabababababbbabaababbabbabaababababbbaB1aab.1-ab";
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        struct bt_arena arena;
        struct bt_regex_compile_result made = {0};
        struct bt_regex_matcher rich;
        bt_arena_init(&arena, (size_t)16 << 20);
        bt_regex_matcher_init(&rich, NULL);
        assert_int_equal(bt_regex_compile(&arena, bt_str_of(samples[i]), NULL, &made), BT_OK);
        const enum bt_regex_match_result truth =
            bt_regex_match(made.regex, &rich, bt_str_of(subject));
        assert_int_not_equal(truth, BT_REGEX_UNDECIDED);
        enum bt_regex_match_result answer = BT_REGEX_UNDECIDED;
        for (size_t bytes = 16; bytes < (size_t)64 << 10; bytes += bytes < 4096 ? 16 : 4096) {
            const struct bt_regex_limits limits = {.steps_max = 100000,
                                                   .steps_per_byte = 400,
                                                   .cache_bytes_max = bytes,
                                                   .memory_bytes = bytes};
            struct bt_regex_matcher matcher;
            bt_regex_matcher_init(&matcher, &limits);
            for (int again = 0; again < 3; again++) {
                answer = bt_regex_match(made.regex, &matcher, bt_str_of(subject));
                assert_true(answer == truth || answer == BT_REGEX_UNDECIDED);
            }
            bt_regex_matcher_free(&matcher);
        }
        assert_int_equal(answer, truth);
        bt_regex_matcher_free(&rich);
        bt_arena_free(&arena);
    }
}

/* A cache far too small for the automaton: emptied, given up, and right all the same. */
static void a_cache_that_thrashes_changes_no_answer(void **state)
{
    (void)state;
    struct bt_arena arena;
    struct bt_regex_compile_result made = {0};
    bt_arena_init(&arena, (size_t)16 << 20);
    assert_int_equal(bt_regex_compile(&arena, BT_STR("[ab]*a[ab]{40}c"), NULL, &made), BT_OK);
    assert_non_null(made.regex);
    for (size_t bytes = 2048; bytes <= (size_t)1 << 18; bytes *= 2) {
        const struct bt_regex_limits limits = {.steps_max = 1000000,
                                               .steps_per_byte = 400,
                                               .cache_bytes_max = bytes,
                                               .memory_bytes = 1 << 20};
        struct bt_regex_matcher matcher;
        bt_regex_matcher_init(&matcher, &limits);
        uint32_t random = 12345;
        for (size_t round = 0; round < 20; round++) {
            char text[600];
            for (size_t i = 0; i < sizeof(text); i++) {
                random = random * 1664525 + 1013904223;
                text[i] = random >> 30 == 3 && i % 50 == 49 ? 'c' : (char)('a' + (random >> 31));
            }
            const bt_str subject = {text, sizeof(text)};
            const enum bt_regex_match_result plain =
                bt_regex_match_plain(made.regex, &matcher, subject);
            assert_int_not_equal(plain, BT_REGEX_UNDECIDED);
            assert_int_equal(bt_regex_match(made.regex, &matcher, subject), plain);
        }
        bt_regex_matcher_free(&matcher);
    }
    bt_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_grow_with_the_subject_and_no_faster),
        cmocka_unit_test(a_full_arena_is_told_at_every_limit),
        cmocka_unit_test(a_scarce_matcher_gives_the_same_answer_or_none),
        cmocka_unit_test(a_cache_that_thrashes_changes_no_answer),
    };
    return RUN_TESTS(tests);
}
