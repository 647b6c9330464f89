/* SPDX-License-Identifier: Apache-2.0 */
/*
 * naive_regex.c - patterns for the naive interpreter: a list of those met so far.
 */
#include "naive_regex.h"

struct naive_regex {
    struct naive_regex *next;
    bt_str pattern;
    struct bt_regex_compile_result made;
};

void naive_regexes_init(struct naive_regexes *regexes)
{
    *regexes = (struct naive_regexes){0};
    bt_regex_matcher_init(&regexes->matcher, NULL);
}

void naive_regexes_free(struct naive_regexes *regexes)
{
    bt_regex_matcher_free(&regexes->matcher);
}

static struct naive_regex *compiled(struct naive_regexes *regexes, struct bt_arena *arena,
                                    bt_str pattern)
{
    for (struct naive_regex *known = regexes->first; known; known = known->next) {
        if (bt_str_eq(known->pattern, pattern)) {
            return known;
        }
    }
    struct naive_regex *made = BT_NEW(arena, struct naive_regex);
    if (!made || bt_arena_copy(arena, pattern, &made->pattern) != BT_OK ||
        bt_regex_compile(arena, pattern, NULL, &made->made) != BT_OK) {
        return NULL;
    }
    made->next = regexes->first;
    regexes->first = made;
    return made;
}

bool naive_regex_matches(struct naive_regexes *regexes, struct bt_arena *arena, bt_str pattern,
                         bt_str text, const char **out_fault)
{
    const struct naive_regex *regex = compiled(regexes, arena, pattern);
    if (!regex || !regex->made.regex) {
        *out_fault = regex ? "a pattern is not a regular expression" : "no memory for a pattern";
        return false;
    }
    const enum bt_regex_match_result answer =
        bt_regex_match(regex->made.regex, &regexes->matcher, text);
    if (answer == BT_REGEX_UNDECIDED) {
        *out_fault = "a pattern reached a bound";
    }
    return answer == BT_REGEX_MATCH;
}
