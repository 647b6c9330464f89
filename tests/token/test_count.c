/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_count.c - counters as callers see them: names, budgets, hostile texts, memory, tables.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "token/counting.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/str.h"
#include "token/merge.h"
#include "token/split.h"

#define BIG ((size_t)64 << 10)

static void encodings_have_names(void **state)
{
    (void)state;
    for (enum bt_encoding i = BT_ENCODING_O200K_BASE; i < BT_ENCODING__MAX; i++) {
        enum bt_encoding parsed = BT_ENCODING__MAX;
        assert_int_equal(bt_encoding_parse(bt_encoding_name(i), &parsed), BT_OK);
        assert_int_equal(parsed, i);
    }
    enum bt_encoding untouched = BT_ENCODING_CHARS4;
    assert_int_equal(bt_encoding_parse(BT_STR("o200k"), &untouched), BT_EINVAL);
    assert_int_equal(untouched, BT_ENCODING_CHARS4);
    assert_str(bt_encoding_name(BT_ENCODING_CL100K_BASE), "cl100k_base");
}

static void the_estimate_is_a_quarter_of_the_bytes(void **state)
{
    (void)state;
    assert_int_equal(bt_tokens_estimate(BT_STR("")), 0);
    assert_int_equal(bt_tokens_estimate(BT_STR("abc")), 0);
    assert_int_equal(bt_tokens_estimate(BT_STR("abcdefg")), 1);
    assert_int_equal(count_fresh(BT_ENCODING_CHARS4, BT_STR("abcdefgh")), 2);
}

static void nothing_has_no_tokens(void **state)
{
    (void)state;
    for (enum bt_encoding encoding = BT_ENCODING_O200K_BASE; encoding < BT_ENCODING__MAX;
         encoding++) {
        assert_int_equal(count_fresh(encoding, (bt_str){0}), 0);
        assert_int_equal(count_fresh(encoding, BT_STR("")), 0);
    }
}

static void a_lone_surrogate_counts_as_the_replacement_character(void **state)
{
    (void)state;
    static const bt_str pairs[][2] = {
        {BT_STR_INIT("\xed\xa0\x80"), BT_STR_INIT("\xef\xbf\xbd")},
        {BT_STR_INIT("a\xed\xbf\xbf"
                     "b \xed\xa0\x81\xed\xa0\x81"),
         BT_STR_INIT("a\xef\xbf\xbd"
                     "b \xef\xbf\xbd\xef\xbf\xbd")},
        {BT_STR_INIT("\xed\x95\x9c\xed\xa0\x80\xea\xb5\xad"),
         BT_STR_INIT("\xed\x95\x9c\xef\xbf\xbd\xea\xb5\xad")},
    };
    for (size_t i = 0; i < 2 * COUNT_OF(pairs); i++) {
        const enum bt_encoding encoding = (enum bt_encoding)(i % 2);
        assert_int_equal(count_fresh(encoding, pairs[i / 2][0]),
                         count_fresh(encoding, pairs[i / 2][1]));
    }
}

/* ---- Budgets ---- */

static void is_within(struct bt_tokens *counter, bt_str text, uint64_t budget, bool expected)
{
    bool within = !expected;
    assert_int_equal(bt_tokens_fit_budget(counter, text, budget, &within), BT_OK);
    assert_int_equal(within, expected);
}

static void a_budget_is_answered_as_a_count_would_be(void **state)
{
    (void)state;
    static char spaces[1000];
    static char letters[1000];
    memset(spaces, ' ', sizeof(spaces));
    memset(letters, 'a', sizeof(letters));
    const bt_str texts[] = {
        BT_STR(""),
        BT_STR("x"),
        BT_STR("hello world, this is a text of some words"),
        BT_STR("{\"a\":[1,2,3],\"b\":\"\xe4\xb8\xad\xe6\x96\x87\xe5\xad\x97\xe7\xac\xa6\"}"),
        {spaces, sizeof(spaces)},
        {letters, sizeof(letters)},
        BT_STR("! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! !"),
    };
    for (enum bt_encoding encoding = BT_ENCODING_O200K_BASE; encoding < BT_ENCODING__MAX;
         encoding++) {
        struct bt_tokens counter;
        bt_tokens_init(&counter, encoding);
        for (size_t i = 0; i < COUNT_OF(texts); i++) {
            const uint64_t count = count_fresh(encoding, texts[i]);
            for (uint64_t budget = 0; budget <= texts[i].len + 2; budget++) {
                is_within(&counter, texts[i], budget, count <= budget);
            }
            is_within(&counter, texts[i], UINT64_MAX, true);
        }
        bt_tokens_free(&counter);
    }
}

/* ---- Hostile texts ---- */

/* The pieces joined one by one by the linear way, without memory and without shortcuts. */
static uint64_t count_plainly(enum bt_encoding encoding, bt_str text)
{
    const bool is_o200k = encoding == BT_ENCODING_O200K_BASE;
    const struct bt_token_table *table = is_o200k ? &bt_token_o200k_base : &bt_token_cl100k_base;
    bt_token_split_fn *split = is_o200k ? bt_token_split_o200k : bt_token_split_cl100k;
    const uint8_t *at = (const uint8_t *)text.ptr;
    const uint8_t *end = at + text.len;
    struct bt_arena arena;
    uint64_t sum = 0;
    bt_arena_init(&arena, SIZE_MAX / 2);
    struct bt_token_queue *queue = bt_token_queue_new(&arena, table);
    assert_non_null(queue);
    while (at < end) {
        uint64_t count = 0;
        struct bt_token_block block;
        split(at, end, &block);
        const bt_str piece = {(const char *)at, bt_token_block_first(&block)};
        assert_int_equal(bt_token_merge_long(queue, &arena, piece, &count), BT_OK);
        sum += count;
        at += piece.len;
    }
    bt_arena_free(&arena);
    return sum;
}

static void counts_plainly(bt_str text)
{
    for (enum bt_encoding encoding = BT_ENCODING_O200K_BASE; encoding < BT_ENCODING_CHARS4;
         encoding++) {
        assert_int_equal(count_fresh(encoding, text), count_plainly(encoding, text));
    }
}

/* Which the splitter relies on. */
static void numbers_of_up_to_three_digits_are_tokens(void **state)
{
    (void)state;
    static char text[8192];
    size_t length = 0;
    uint64_t count = 0;
    for (int digits = 1, end = 10; digits <= 3; digits++, end *= 10) {
        for (int number = 0; number < end; number++) {
            length +=
                (size_t)snprintf(text + length, sizeof(text) - length, "%0*d ", digits, number);
            count += 2;
        }
    }
    for (enum bt_encoding encoding = BT_ENCODING_O200K_BASE; encoding < BT_ENCODING_CHARS4;
         encoding++) {
        assert_int_equal(count_plainly(encoding, (bt_str){text, length}), count);
        assert_int_equal(count_fresh(encoding, (bt_str){text, length}), count);
    }
}

static void repeat(char *text, size_t length, bt_str unit)
{
    for (size_t i = 0; i < length; i++) {
        text[i] = unit.ptr[i % unit.len];
    }
}

static void any_character_64_thousand_times_is_counted(void **state)
{
    (void)state;
    static char text[BIG];
    for (int byte = 0; byte < 128; byte++) {
        memset(text, byte, sizeof(text));
        counts_plainly((bt_str){text, sizeof(text)});
    }
}

static void long_words_are_counted(void **state)
{
    (void)state;
    static char text[400000];
    const struct {
        bt_str unit;
        size_t length;
    } cases[] = {
        {BT_STR("antidisestablishmentarianism"), 200000}, /* one word */
        {BT_STR("\xf0\x9f\x98\x80"), BIG},                /* emoji */
        {BT_STR("\xcc\x81"), 200000},                     /* 100,000 combining marks */
        {BT_STR("\xe4\xb8\xad\xe6\x96\x87\xe5\xad\x97"), 399999},
        {BT_STR("xy"), 399999},
        {BT_STR("=-"), 300001},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        repeat(text, cases[i].length, cases[i].unit);
        counts_plainly((bt_str){text, cases[i].length});
    }
}

/* Such texts are cut where no token crosses, which must change no count. */
static void texts_without_blanks_are_counted(void **state)
{
    (void)state;
    static const struct {
        uint32_t first;
        uint32_t count;
    } ranges[] = {{0x4e00, 256}, {0x3041, 180}, {0xac00, 256}, {0xc2b5, 16}, {0x0e01, 40},
                  {0x0915, 60},  {0x0430, 32},  {0x3001, 2},   {'a', 26},    {0x1f600, 64},
                  {0x1f3fb, 5},  {0x200d, 1},   {0xfe0f, 1},   {0x20000, 64}};
    uint32_t seed = 7;
    for (size_t i = 0; i < 600; i++) {
        char text[1200];
        size_t length = 0;
        while (length < i * 2 % (sizeof(text) - 4)) {
            seed = seed * 1664525 + 1013904223;
            const uint32_t draw = seed >> 8;
            const size_t range = (i + draw % (1 + i % 3)) % COUNT_OF(ranges);
            const uint32_t point = ranges[range].first + draw / 64 % ranges[range].count;
            length += bt_utf8_encode(point, text + length);
        }
        counts_plainly((bt_str){text, length});
    }
}

static void eight_megabytes_of_a_letter_are_a_million_tokens(void **state)
{
    (void)state;
    const size_t size = (size_t)8 << 20;
    char *text = malloc(size);
    assert_non_null(text);
    memset(text, 'a', size);
    assert_int_equal(count_fresh(BT_ENCODING_O200K_BASE, (bt_str){text, size}), size / 8);
    assert_int_equal(count_fresh(BT_ENCODING_CL100K_BASE, (bt_str){text, size}), size / 8);
    free(text);
}

/* ---- Memory ---- */

/* Nothing is read beyond either end of a text, at whatever byte it stops. */
static void no_byte_beyond_a_text_is_read(void **state)
{
    (void)state;
    static const char text[] =
        "Hello world, it's 12345 \xe4\xb8\xad\xf0\x9f\x98\x80 of\r\n\xc5\xbf don't "
        "\xe4\xb8\xad\xe6\x96\x87\xe5\xad\x97\xf0\x9f\x98\x80";
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    assert_int_equal(mprotect(memory + page, page, PROT_NONE), 0);
    for (size_t length = 0; length < sizeof(text); length++) {
        char *edge = memory + page - length;
        memcpy(edge, text, length);
        const bt_str ours = {edge, length};
        for (enum bt_encoding encoding = BT_ENCODING_O200K_BASE; encoding < BT_ENCODING_CHARS4;
             encoding++) {
            assert_true(count_fresh(encoding, ours) <= length);
        }
    }
    assert_int_equal(munmap(memory, 2 * page), 0);
}

static void bytes_that_are_no_text_are_never_a_fault(void **state)
{
    (void)state;
    char text[64];
    uint32_t seed = 9;
    for (size_t i = 0; i < 20000; i++) {
        const size_t length = i % sizeof(text);
        for (size_t j = 0; j < length; j++) {
            seed = seed * 1664525 + 1013904223;
            text[j] = (char)(seed >> 24);
        }
        assert_true(count_fresh((enum bt_encoding)(i % 2), (bt_str){text, length}) <= length);
    }
}

static void what_a_counter_remembers_changes_no_count(void **state)
{
    (void)state;
    static const bt_str texts[] = {
        BT_STR_INIT("unhelpfulness zweckentfremdet xqzptk"),
        BT_STR_INIT("\xe6\xbc\xa2\xe5\xad\x97\xe4\xbb\xae\xe5\x90\x8d"),
        BT_STR_INIT("a\0b\0 \0\0\0\0x\0\0"),
    };
    for (enum bt_encoding encoding = BT_ENCODING_O200K_BASE; encoding < BT_ENCODING_CHARS4;
         encoding++) {
        struct bt_tokens counter;
        bt_tokens_init(&counter, encoding);
        for (size_t i = 0; i < 4 * COUNT_OF(texts); i++) {
            const bt_str text = texts[i % COUNT_OF(texts)];
            uint64_t count = 0;
            assert_int_equal(bt_tokens_count(&counter, text, &count), BT_OK);
            assert_int_equal(count, count_plainly(encoding, text));
        }
        bt_tokens_free(&counter);
    }
}

static void running_out_of_memory_is_told_and_leaves_the_counter_usable(void **state)
{
    (void)state;
    static char text[10000];
    struct bt_tokens counter;
    uint64_t count = 42;
    repeat(text, sizeof(text), BT_STR("abc"));
    const bt_str piece = {text, sizeof(text)};
    bt_tokens_init(&counter, BT_ENCODING_O200K_BASE);
    const size_t work = counter.work.limit;
    const size_t arena = counter.arena.limit;
    counter.work.limit = 4096;
    assert_int_equal(bt_tokens_count(&counter, piece, &count), BT_ENOMEM);
    counter.work.limit = work;
    bt_tokens_free(&counter);
    counter.arena.limit = 1000;
    assert_int_equal(bt_tokens_count(&counter, BT_STR("x"), &count), BT_ENOMEM);
    counter.arena.limit = (size_t)200 << 10; /* enough to begin with, not for long words */
    assert_int_equal(bt_tokens_count(&counter, piece, &count), BT_ENOMEM);
    assert_int_equal(count, 42);
    assert_int_equal(bt_tokens_count(&counter, BT_STR("hello world"), &count), BT_OK);
    assert_int_equal(count, 2);
    counter.arena.limit = arena;
    assert_int_equal(bt_tokens_count(&counter, piece, &count), BT_OK);
    assert_int_equal(count, count_plainly(BT_ENCODING_O200K_BASE, piece));
    bt_tokens_free(&counter);
}

/* ---- Tables ---- */

static void a_folder_without_the_table_is_told_from_one_with_another(void **state)
{
    (void)state;
    struct bt_arena arena;
    struct bt_error error;
    char folder[] = "/tmp/baton_tokens_XXXXXX";
    char path[64];
    bt_arena_init(&arena, (size_t)32 << 20);
    assert_non_null(mkdtemp(folder));
    const bt_str dir = bt_str_of(folder);
    assert_int_equal(bt_tokens_verify_table(&arena, dir, BT_ENCODING_O200K_BASE, &error),
                     BT_ENOENT);
    assert_non_null(strstr(error.text, "o200k_base.tiktoken"));
    assert_int_equal(bt_tokens_verify_table(&arena, dir, BT_ENCODING_CHARS4, &error), BT_OK);
    (void)snprintf(path, sizeof(path), "%s/cl100k_base.tiktoken", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs("IQ== 0\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(bt_tokens_verify_table(&arena, dir, BT_ENCODING_CL100K_BASE, &error),
                     BT_ECORRUPT);
    assert_int_equal(bt_tokens_verify_table(&arena, dir, BT_ENCODING_CL100K_BASE, NULL),
                     BT_ECORRUPT);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
    bt_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encodings_have_names),
        cmocka_unit_test(the_estimate_is_a_quarter_of_the_bytes),
        cmocka_unit_test(nothing_has_no_tokens),
        cmocka_unit_test(numbers_of_up_to_three_digits_are_tokens),
        cmocka_unit_test(a_lone_surrogate_counts_as_the_replacement_character),
        cmocka_unit_test(a_budget_is_answered_as_a_count_would_be),
        cmocka_unit_test(any_character_64_thousand_times_is_counted),
        cmocka_unit_test(long_words_are_counted),
        cmocka_unit_test(texts_without_blanks_are_counted),
        cmocka_unit_test(eight_megabytes_of_a_letter_are_a_million_tokens),
        cmocka_unit_test(no_byte_beyond_a_text_is_read),
        cmocka_unit_test(bytes_that_are_no_text_are_never_a_fault),
        cmocka_unit_test(what_a_counter_remembers_changes_no_count),
        cmocka_unit_test(running_out_of_memory_is_told_and_leaves_the_counter_usable),
        cmocka_unit_test(a_folder_without_the_table_is_told_from_one_with_another),
    };
    return RUN_TESTS(tests);
}
