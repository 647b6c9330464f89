/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regex_tool.c - patterns and subjects on standard input, answers on standard output, for tests
 * that know better.
 *
 * A request is "P SIZE\n" and that many bytes of pattern ("U SIZE\n" for the strict syntax), or
 * "S SIZE\n" and a subject for the last pattern. Each is answered by one line: for a pattern "ok",
 * or "invalid" or "complex" with the offset and the reason; for a subject "yes", "no" or "limit".
 * Every subject is also given to the plain automata, to ones built lazily and to ones that count;
 * an answer of theirs that differs is told in the same line.
 */
#include <stdio.h>
#include <stdlib.h>

#include <baton/regex.h>

#include "base/str.h"
#include "regex/matcher.h"
#include "regex/regex.h"

#define SIZE_MAX_READ (1UL << 26)

static const char *const answers[] = {"limit", "no", "yes"};

static void tell_pattern(const struct bt_regex_compile_result *made)
{
    if (made->regex) {
        (void)puts("ok");
        return;
    }
    (void)printf("%s %zu %s\n", made->code == BT_REGEX_ERROR_INVALID ? "invalid" : "complex",
                 made->offset, made->detail);
}

/* The last pattern, compiled in every way that should make no difference. */
enum { USUAL, LAZY, SCARCE, WAYS };

struct ways {
    struct bt_regex_compile_result made[WAYS];
    struct bt_regex_matcher matchers[WAYS];
};

static bool compile(struct bt_arena *arena, bt_str pattern, bool is_strict, struct ways *ways)
{
    for (int way = 0; way < WAYS; way++) {
        struct bt_regex_options options = bt_regex_options_default();
        options.is_strict = is_strict;
        if (way == LAZY) {
            options.tables_bytes_max = 1;
        } else if (way == SCARCE) {
            options.instructions_max = 16;
        }
        if (bt_regex_compile(arena, pattern, &options, &ways->made[way]) != BT_OK) {
            return false;
        }
    }
    return true;
}

static void tell_subject(struct ways *ways, bt_str subject)
{
    const struct bt_regex *regex = ways->made[USUAL].regex;
    const enum bt_regex_match_result answer =
        bt_regex_match(regex, &ways->matchers[USUAL], subject);
    (void)fputs(answers[answer], stdout);
    for (int way = 0; way < WAYS; way++) {
        /* SCARCE may have been too complex. */
        regex = ways->made[way].regex;
        for (int turn = 0; regex && turn < 3; turn++) {
            struct bt_regex_matcher *matcher = &ways->matchers[way];
            const enum bt_regex_match_result other =
                turn == 0 ? bt_regex_match_plain(regex, matcher, subject)
                          : bt_regex_match(regex, matcher, subject);
            if (other != answer && other != BT_REGEX_UNDECIDED) {
                (void)printf(" but %s in way %d, turn %d", answers[other], way, turn);
            }
        }
    }
    (void)putchar('\n');
}

static bool read_request(char *out_kind, char **out_bytes, size_t *out_size)
{
    char line[32];
    uint64_t size = 0;
    if (!fgets(line, sizeof(line), stdin)) {
        return false;
    }
    const bt_str head = bt_str_of(line);
    *out_kind = line[0];
    if (bt_str_to_u64(bt_str_slice(head, 2, head.len - 1), &size) != BT_OK ||
        size > SIZE_MAX_READ) {
        return false;
    }
    char *bytes = malloc(size > 0 ? size : 1);
    if (!bytes || fread(bytes, 1, size, stdin) != size) {
        free(bytes);
        return false;
    }
    *out_bytes = bytes;
    *out_size = size;
    return true;
}

static void free_matchers(struct ways *ways)
{
    for (int way = 0; way < WAYS; way++) {
        bt_regex_matcher_free(&ways->matchers[way]);
    }
}

int main(void)
{
    struct bt_arena arena;
    struct ways ways = {0};
    char kind = 0;
    char *bytes = NULL;
    size_t size = 0;
    bt_arena_init(&arena, (size_t)1 << 28);
    for (int way = 0; way < WAYS; way++) {
        bt_regex_matcher_init(&ways.matchers[way], NULL);
    }
    while (read_request(&kind, &bytes, &size)) {
        const bt_str text = {bytes, size};
        if (kind == 'S' && ways.made[USUAL].regex) {
            tell_subject(&ways, text);
        } else if (kind == 'S') {
            (void)puts("none");
        } else {
            free_matchers(&ways);
            bt_arena_reset(&arena);
            if (!compile(&arena, text, kind == 'U', &ways)) {
                return 2;
            }
            tell_pattern(&ways.made[USUAL]);
        }
        free(bytes);
    }
    free_matchers(&ways);
    bt_arena_free(&arena);
    return 0;
}
