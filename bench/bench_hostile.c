/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_hostile.c - bench_hostile: patterns made to hurt, each held against a subject of 1 MiB.
 *
 * Every match is a first one: what an automaton builds while it runs is part of its price. The
 * last line names the worst pair.
 */
#include <stdio.h>
#include <string.h>

#include <baton/base.h>
#include <baton/regex.h>

#include "measure.h"
#include "regex/matcher.h"
#include "sets.h"

enum { SUBJECT_BYTES = 1 << 20, TURNS = 3 };

struct row {
    const char *pattern;
    const char *unit; /* repeated to fill the subject, or RANDOM, ... */
    const char *tail; /* ... up to this */
};

/* As and bs in no order that an automaton could have seen before. */
#define RANDOM NULL

/* clang-format off */
static const struct row rows[] = {
    /* Repeats within repeats, and alternatives that overlap. */
    {"^(a+)+$", "a", "!"},
    {"(a*)*b", "a", ""},
    {"^(a|a)*$", "a", "!"},
    {"^(a|aa)+$", "a", "!"},
    {"(x+x+)+y", "x", ""},
    {"^(\\w+\\s?)*$", "word ", "!"},
    {"^(([a-z])+.)+[A-Z]([a-z])+$", "a", ""},
    {"(.*)(.*)(.*)(.*)(.*)x$", "a", ""},
    {"^([a-zA-Z0-9])(([-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]([a-z]{2,3})$", "a", "!"},
    /* Automata whose deterministic form is large. */
    {"[ab]*a[ab]{12}$", "ab", "c"},
    {"[ab]*a[ab]{40}$", "aabbab", "c"},
    {"(a|b)*a(a|b){200}c", "ab", ""},
    {"[ab]*a[ab]{12}$", RANDOM, "c"},
    {"[ab]*a[ab]{40}$", RANDOM, "c"},
    {"(a|b)*a(a|b){200}c", RANDOM, ""},
    {"(a|b)*a(a|b){200}c(a|b)*b(a|b){200}d", RANDOM, ""},
    {"a[ab]{30}b|b[ab]{35}aaaaaaaaaaaaaaaaaaaaaaaaaaac", RANDOM, ""},
    {"(?:[a-z]+[0-9]+){3,}[a-z]{30,60}x", "ab1", ""},
    /* Counts. */
    {"a{1,1000}b", "a", ""},
    {"^(a{1,100}){1,100}b", "a", ""},
    {"(a?){500}a{500}b", "a", ""},
    {"^.{0,10000}x", "a", ""},
    {"([ab]{3,30}c){2,20}d", "abababc", ""},
    /* Looking around. */
    {"(?=.*b)a*c", "a", ""},
    {"^(?=(a+)+$)(?=.*!)a", "a", "!"},
    {"(?<=^a*)b", "a", "b!"},
    {"(?<!a{1,50})b$", "ab", ""},
    {"(?=(?=(?=a*b)a*c)a*d)a", "a", ""},
    {"\\b(\\w+\\b\\W*)+$", "word, ", "\x01"},
    /* Beyond ASCII. */
    {"^(\\p{L}+\\p{M}*)+$", "\xc3\xa9", "!"},
    {"[^\\x00-\\u{10ffff}]|(\\p{Lu}|\\p{Ll})+\\p{N}", "\xd0\xb6\xf0\x90\x90\x80", ""},
    {"(.\\u{1f600})+x", "a\xf0\x9f\x98\x80", ""},
    /* A reference back, which runs under fuel. */
    {"(a*)*\\1b", "a", ""},
    {"^(.+)\\1$", "ab", "c"},
};
/* clang-format on */

static void fill_random(char *subject)
{
    uint64_t bits = 1;
    for (size_t i = 0; i < SUBJECT_BYTES; i++) {
        bits = bits * UINT64_C(6364136223846793005) + 1;
        subject[i] = "ab"[bits >> 63];
    }
}

static void fill(const struct row *row, char *subject)
{
    if (row->unit == RANDOM) {
        fill_random(subject);
        memcpy(subject + SUBJECT_BYTES - strlen(row->tail), row->tail, strlen(row->tail));
        return;
    }
    const size_t unit = strlen(row->unit);
    const size_t tail = strlen(row->tail);
    size_t at = 0;
    while (at + unit + tail <= SUBJECT_BYTES) {
        memcpy(subject + at, row->unit, unit);
        at += unit;
    }
    memcpy(subject + at, row->tail, tail);
    memset(subject + at + tail, '!', SUBJECT_BYTES - at - tail);
}

/* Nanoseconds of the fastest match; its answer. */
static double match(const struct bt_regex *regex, bt_str subject, enum bt_regex_match_result *out)
{
    double best = 1e18;
    for (int i = 0; i < TURNS; i++) {
        struct bt_regex_matcher matcher;
        bt_regex_matcher_init(&matcher, NULL);
        const double from = now_ns();
        *out = bt_regex_match(regex, &matcher, subject);
        const double ns = now_ns() - from;
        best = ns < best ? ns : best;
        bt_regex_matcher_free(&matcher);
    }
    return best;
}

int main(void)
{
    static char subject[SUBJECT_BYTES];
    static const char *const answers[] = {
        [BT_REGEX_UNDECIDED] = "limit", [BT_REGEX_NO_MATCH] = "no", [BT_REGEX_MATCH] = "yes"};
    const struct row *worst = &rows[0];
    double most = 0;
    struct bt_arena arena;
    bt_arena_init(&arena, (size_t)256 << 20);
    (void)printf("%-74s %-6s %10s\n", "pattern, on 1 MiB", "match", "ns/byte");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct bt_regex_compile_result made = {0};
        if (bt_regex_compile(&arena, bt_str_of(rows[i].pattern), NULL, &made) != BT_OK ||
            !made.regex) {
            (void)printf("%-74s refused: %s\n", rows[i].pattern, made.detail);
            continue;
        }
        enum bt_regex_match_result answer = BT_REGEX_UNDECIDED;
        fill(&rows[i], subject);
        const double ns = match(made.regex, (bt_str){subject, SUBJECT_BYTES}, &answer);
        (void)printf("%-74s %-6s %10.2f\n", rows[i].pattern, answers[answer], ns / SUBJECT_BYTES);
        if (ns > most) {
            most = ns;
            worst = &rows[i];
        }
    }
    (void)printf("the worst: %.2f ns per byte, %s\n", most / SUBJECT_BYTES, worst->pattern);
    bt_arena_free(&arena);
    return 0;
}
