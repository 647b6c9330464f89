/* SPDX-License-Identifier: Apache-2.0 */
/*
 * naive_regex.h - patterns for the naive interpreter, each compiled once.
 */
#ifndef BATON_TESTS_SCHEMA_NAIVE_REGEX_H
#define BATON_TESTS_SCHEMA_NAIVE_REGEX_H

#include <baton/regex.h>

#include "regex/matcher.h"

struct naive_regex;

/* The patterns met so far. Cleared memory is none. */
struct naive_regexes {
    struct naive_regex *first;
    struct bt_regex_matcher matcher;
};

/* Whether `pattern` occurs in `text`. False also for a fault, of which *out_fault then tells. */
bool naive_regex_matches(struct naive_regexes *regexes, struct bt_arena *arena, bt_str pattern,
                         bt_str text, const char **out_fault);
void naive_regexes_init(struct naive_regexes *regexes);
void naive_regexes_free(struct naive_regexes *regexes);

#endif
