/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_regex.c - bench_regex: ns per match of Baton's patterns and of PCRE2-JIT's, in one run.
 *
 * Each pattern has a few subjects, of which one does not match. The engines take turns, and the
 * fastest turn of each counts, so that a busy machine disturbs both alike.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <baton/base.h>
#include <baton/regex.h>

#include "measure.h"
#include "regex/matcher.h"
#include "regex_peers.h"

enum { SUBJECTS = 4, TURNS = 30, ROUNDS = 20000 };

struct row {
    const char *name;
    const char *pattern;
    const char *subjects[SUBJECTS];
};

/* clang-format off */
static const struct row rows[] = {
    {"uuid", "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
     {"3f2504e0-4f89-41d3-9a0c-0305e82c3301", "c56a4180-65aa-42ec-a945-5fd21dec0538",
      "00000000-0000-0000-0000-000000000000", "c56a4180-65aa-42ec-a945-5fd21dec053x"}},
    {"sha256", "^[0-9a-f]{64}$",
     {"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
      "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7aX"}},
    {"rfc3339", "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(?:\\.\\d+)?(?:Z|[+-]\\d{2}:\\d{2})$",
     {"2026-02-11T00:45:02Z", "2026-02-11T00:45:02.123Z", "2026-02-11T00:45:02+01:00",
      "2026-02-11T00:45:02.12"}},
    {"identifier", "^[A-Za-z_][A-Za-z0-9_]*$",
     {"id", "customer_name", "AVeryLongIdentifierThatSomebodyWrote_42", "bad-name"}},
    {"semver",
     "^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)"
     "(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)"
     "(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?"
     "(?:\\+([0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*))?$",
     {"1.2.3", "10.20.30-alpha.1+build.5", "0.1.0-rc.2", "1.02.3"}},
    {"email", "^[a-z0-9._%+-]+@[a-z0-9.-]+\\.[a-z]{2,}$",
     {"someone@example.org", "first.last+tag@mail.example.co.uk", "a@b.cd", "nobody@nowhere"}},
    {"words", "^(schemas|responses|parameters|examples|requestBodies|headers|links|callbacks)$",
     {"schemas", "callbacks", "requestBodies", "header"}},
    {"prefix", "^x-", {"x-internal", "x-", "y-internal", "name"}},
    {"duration",
     "^(-?)P(?=.)((\\d+)Y)?((\\d+)M)?((\\d+)D)?(T(?=.)((\\d+)H)?((\\d+)M)?(\\d*(\\.\\d+)?S)?)?$",
     {"P1Y2M3DT4H5M6.7S", "PT15M", "P30D", "P1YT"}},
    {"password", "^(?=.*[A-Z])(?=.*[0-9]).{8,64}$",
     {"Passw0rd12", "correct horse Battery 5taple", "short", "nouppercase123"}},
};
/* clang-format on */

struct engines {
    const struct bt_regex *regex;
    struct bt_regex_matcher matcher;
    struct pcre2_peer *peer;
};

static bool ask(struct engines *engines, bool is_ours, bt_str subject)
{
    return is_ours ? bt_regex_match(engines->regex, &engines->matcher, subject) == BT_REGEX_MATCH
                   : pcre2_peer_match(engines->peer, subject.ptr, subject.len);
}

static double turn(struct engines *engines, const struct row *row, bool is_ours, size_t *out_yes)
{
    bt_str subjects[SUBJECTS];
    for (size_t i = 0; i < SUBJECTS; i++) {
        subjects[i] = bt_str_of(row->subjects[i]);
    }
    size_t yes = 0;
    const double start = now_ns();
    for (size_t round = 0; round < ROUNDS; round++) {
        yes += ask(engines, is_ours, subjects[round % SUBJECTS]);
    }
    const double spent = now_ns() - start;
    *out_yes = yes;
    return spent / ROUNDS;
}

static double measure(struct engines *engines, const struct row *row)
{
    double best[2] = {1e9, 1e9};
    size_t yes[2] = {0, 0};
    for (size_t i = 0; i < TURNS; i++) {
        for (size_t ours = 0; ours < 2; ours++) {
            const double ns = turn(engines, row, ours == 1, &yes[ours]);
            best[ours] = ns < best[ours] ? ns : best[ours];
        }
    }
    if (yes[0] != yes[1]) {
        (void)fprintf(stderr, "%s: the engines disagree\n", row->name);
        exit(1);
    }
    (void)printf("%-12s %10.1f %10.1f %9.2f x\n", row->name, best[1], best[0], best[0] / best[1]);
    return best[0] / best[1];
}

int main(void)
{
    struct bt_arena arena;
    double product = 0;
    const size_t count = sizeof(rows) / sizeof(rows[0]);
    bt_arena_init(&arena, (size_t)64 << 20);
    (void)printf("%-12s %10s %10s %11s\n", "ns/match", "baton", "pcre2-jit", "faster by");
    for (size_t i = 0; i < count; i++) {
        struct engines engines = {0};
        struct bt_regex_compile_result made = {0};
        engines.peer = pcre2_peer_open(rows[i].pattern, strlen(rows[i].pattern));
        if (bt_regex_compile(&arena, bt_str_of(rows[i].pattern), NULL, &made) != BT_OK ||
            !made.regex || !engines.peer) {
            (void)fprintf(stderr, "%s: does not compile\n", rows[i].name);
            return 1;
        }
        engines.regex = made.regex;
        bt_regex_matcher_init(&engines.matcher, NULL);
        product += log(measure(&engines, &rows[i]));
        bt_regex_matcher_free(&engines.matcher);
        pcre2_peer_close(engines.peer);
    }
    (void)printf("%-12s %32.2f x\n", "geomean", exp(product / (double)count));
    bt_arena_free(&arena);
    return 0;
}
