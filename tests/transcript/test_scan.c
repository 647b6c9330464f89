/* SPDX-License-Identifier: Apache-2.0 */
/* test_scan.c - short texts in long lines, beside plain loops over every byte. */
#include "test.h"

#include "base/str.h"
#include "transcript/scan.h"

enum { ROUNDS = 20000, TEXT_MAX = 400 };

/* The generator of Lehmer, in the same order in every run. */
static size_t next_number(uint64_t *seed)
{
    *seed = *seed * 48271 % 2147483647;
    return (size_t)*seed;
}

/* A text of few different bytes, which ends where its memory does. */
static bt_str make_text(uint64_t *seed, const char *alphabet, char memory[TEXT_MAX])
{
    const size_t size = next_number(seed) % TEXT_MAX;
    char *bytes = memory + TEXT_MAX - size;
    for (size_t i = 0; i < size; i++) {
        bytes[i] = alphabet[next_number(seed) % strlen(alphabet)];
    }
    return (bt_str){bytes, size};
}

static bool hides_plainly(bt_str line)
{
    for (size_t i = 0; i + 1 < line.len; i += line.ptr[i] == '\\' ? 2 : 1) {
        if (line.ptr[i] == '\\' &&
            (line.ptr[i + 1] == 'r' ||
             (line.ptr[i + 1] == 'u' && i + 2 < line.len && line.ptr[i + 2] == '0'))) {
            return true;
        }
    }
    return false;
}

static void a_word_is_found_where_it_stands(void **state)
{
    (void)state;
    uint64_t seed = 1;
    char first[TEXT_MAX];
    char second[TEXT_MAX];
    size_t found = 0;
    for (size_t n = 0; n < ROUNDS; n++) {
        const bt_str text = make_text(&seed, "aab", first);
        const bt_str whole = make_text(&seed, "aab", second);
        const bt_str word = bt_str_slice(whole, 0, 1 + next_number(&seed) % 12);
        if (word.len > 0) {
            const bool is_there = bt_str_find(text, word) < text.len;
            assert_int_equal(bt_transcript_may_have_word(text, word), is_there);
            found += is_there ? 1 : 0;
        }
    }
    assert_in_range(found, ROUNDS / 10, ROUNDS * 9 / 10);
}

static void a_long_word_is_looked_for_by_its_beginning(void **state)
{
    (void)state;
    const bt_str text =
        BT_STR("0123456789abcdefghijklmnopqrstuv and no more of it in this line, which is long");
    assert_true(bt_transcript_may_have_word(text, BT_STR("0123456789abcdefghijklmnopqrstuvwxyz")));
    assert_false(bt_transcript_may_have_word(text, BT_STR("0123456789abcdefghijklmnopqrstuxyz")));
}

static void a_hidden_text_is_an_escape_and_not_an_escaped_backslash(void **state)
{
    (void)state;
    uint64_t seed = 2;
    char memory[TEXT_MAX];
    size_t found = 0;
    for (size_t n = 0; n < ROUNDS; n++) {
        const bt_str line = make_text(
            &seed, n % 2 ? "\\\\ru0nxxxxxxxxxxxxxxxx" : "\\\\\\\\\\\\nxxxxxxxxxxru", memory);
        const bool hides = hides_plainly(line);
        assert_int_equal(bt_transcript_has_hidden_text(line), hides);
        found += hides ? 1 : 0;
    }
    assert_in_range(found, ROUNDS / 10, ROUNDS * 9 / 10);
}

static void a_cut_output_says_so_in_any_letter_case(void **state)
{
    (void)state;
    static const char *const words[] = {"truncated", "TRUNCATED", "Truncated", "tRuNcAtEd"};
    char text[TEXT_MAX];
    for (size_t w = 0; w < BT_COUNT_OF(words); w++) {
        for (size_t at = 0; at + 9 <= sizeof(text); at++) {
            memset(text, 'T', sizeof(text));
            memcpy(text + at, words[w], 9);
            assert_true(bt_transcript_is_truncated((bt_str){text, sizeof(text)}));
            assert_false(bt_transcript_is_truncated((bt_str){text, at + 8}));
            text[at + 4] = 'x';
            assert_false(bt_transcript_is_truncated((bt_str){text, sizeof(text)}));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_is_found_where_it_stands),
        cmocka_unit_test(a_long_word_is_looked_for_by_its_beginning),
        cmocka_unit_test(a_hidden_text_is_an_escape_and_not_an_escaped_backslash),
        cmocka_unit_test(a_cut_output_says_so_in_any_letter_case),
    };
    return RUN_TESTS(tests);
}
