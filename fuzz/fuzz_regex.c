/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_regex.c - a line of any bytes as a pattern, the rest as the subject.
 *
 * Promises: what the strict syntax takes, the lenient one takes too; every tier and automaton gives
 * the answer of the plain automata, warm or cold, built ahead or lazily, in a roomy cache or a tiny
 * one, with repeats written out or counted; a refusal has a place and a reason.
 */
#include "fuzz.h"
#include "regex/regex.h"

#include "base/str.h"
#include "regex/matcher.h"

/* Enough for every tier and every path, little enough to be quick. */
#define PATTERN_BYTES_MAX 200
#define SUBJECT_BYTES_MAX 300

/* The subject as UTF-8 with lone surrogates: what is not becomes a question mark. */
static size_t tidy(const uint8_t *data, size_t size, char *out)
{
    size_t length = 0;
    for (size_t i = 0; i < size && length + 4 < SUBJECT_BYTES_MAX;) {
        uint32_t point = 0;
        const size_t taken = bt_re_decode(data + i, size - i, &point);
        const bool is_raw = taken == 1 && data[i] >= 0x80;
        const size_t put = bt_utf8_encode(is_raw ? '?' : point, out + length);
        /* Two surrogates in a row would be one character to one reader and two to another. */
        const bool is_pair = length >= 3 && point >= 0xdc00 && point < 0xe000 &&
                             (uint8_t)out[length - 3] == 0xed && (uint8_t)out[length - 2] >= 0xa0 &&
                             (uint8_t)out[length - 2] < 0xb0;
        length += is_pair ? 0 : put;
        i += taken;
    }
    return length;
}

/* The bounds that choose another way to the same answer. */
struct way {
    bool is_strict;
    uint32_t instructions_max;
    uint32_t tables_bytes_max;
};

static const struct bt_regex *compile(struct bt_arena *arena, bt_str pattern, struct way way)
{
    struct bt_regex_options options = bt_regex_options_default();
    struct bt_regex_compile_result made = {0};
    options.is_strict = way.is_strict;
    options.instructions_max = way.instructions_max;
    options.tables_bytes_max = way.tables_bytes_max;
    PROMISE(bt_regex_compile(arena, pattern, &options, &made) == BT_OK);
    PROMISE((made.regex != NULL) == (made.code == BT_REGEX_ERROR_NONE));
    PROMISE(made.regex || made.detail[0] != '\0');
    PROMISE(made.offset <= pattern.len);
    return made.regex;
}

static enum bt_regex_match_result plain_answer(const struct bt_regex *regex, bt_str subject)
{
    struct bt_regex_matcher matcher;
    bt_regex_matcher_init(&matcher, NULL);
    const enum bt_regex_match_result answer = bt_regex_match_plain(regex, &matcher, subject);
    bt_regex_matcher_free(&matcher);
    return answer;
}

static void gives(const struct bt_regex *regex, bt_str subject, enum bt_regex_match_result plain)
{
    static const size_t caches[] = {1 << 20, 4096, 1024, 0};
    for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++) {
        const struct bt_regex_limits limits = {.steps_max = 20000,
                                               .steps_per_byte = 5000,
                                               .cache_bytes_max = caches[i],
                                               .memory_bytes = FUZZ_ARENA_BYTES};
        struct bt_regex_matcher matcher;
        bt_regex_matcher_init(&matcher, &limits);
        for (int again = 0; again < 2; again++) {
            const enum bt_regex_match_result answer = bt_regex_match(regex, &matcher, subject);
            PROMISE(answer == plain || answer == BT_REGEX_UNDECIDED || plain == BT_REGEX_UNDECIDED);
        }
        bt_regex_matcher_free(&matcher);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *line = size > 0 ? memchr(data, '\n', size) : NULL;
    size_t length = line ? (size_t)(line - data) : size;
    length = length < PATTERN_BYTES_MAX ? length : PATTERN_BYTES_MAX;
    const bt_str pattern = fuzz_text(data, length);
    const size_t rest = length < size ? length + 1 : size;
    char text[SUBJECT_BYTES_MAX];
    const bt_str subject = {text, tidy(data + rest, size - rest, text)};

    struct bt_arena arena;
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    const struct bt_regex *usual = compile(&arena, pattern, (struct way){false, 3000, 65536});
    const struct bt_regex *strict = compile(&arena, pattern, (struct way){true, 3000, 65536});
    const struct bt_regex *lazy = compile(&arena, pattern, (struct way){false, 3000, 0});
    const struct bt_regex *scarce = compile(&arena, pattern, (struct way){false, 16, 65536});
    PROMISE(!strict || usual);
    PROMISE(!usual == !lazy);
    if (usual) {
        const enum bt_regex_match_result plain = plain_answer(usual, subject);
        gives(usual, subject, plain);
        gives(lazy, subject, plain);
        gives(usual, (bt_str){0}, plain_answer(usual, (bt_str){0}));
        if (scarce) {
            gives(scarce, subject, plain);
        }
    }
    bt_arena_free(&arena);
    return 0;
}
