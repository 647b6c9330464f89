/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regex.h - a compiled pattern: its automata, and the tier that was chosen to answer for them.
 *
 * Every tier gives the answer that the automata give, only sooner; bt_regex_match_plain() is there
 * so that tests and the fuzz target can hold them to it.
 */
#ifndef BATON_SRC_REGEX_REGEX_H
#define BATON_SRC_REGEX_REGEX_H

#include "regex/backtrack.h"
#include "regex/chain.h"

enum bt_re_tier {
    BT_RE_TIER_AUTOMATA = 1, /* the programs, look-arounds first */
    BT_RE_TIER_BACKTRACK,    /* has back-references */
    BT_RE_TIER_CHAIN,        /* runs of sets, one after the other */
    BT_RE_TIER_TABLE,        /* one automaton, built ahead, without look-arounds */
    BT_RE_TIER_PARTS,        /* ^(?=a)(?!b)c is ^a and not ^b and ^c, each with its own tier */
};

struct bt_re_part;

struct bt_regex {
    enum bt_re_tier tier;
    struct bt_re_programs programs; /* unless the tier is BACKTRACK */
    struct bt_re_backtrack backtrack;
    struct bt_re_chain *chain; /* of CHAIN; of TABLE what it begins with, or NULL ... */
    uint32_t after_chain;      /* ... and the state behind that */
    struct bt_re_part *parts;  /* if the tier is PARTS */
};

/* What a subject must match, or must not. Parts have no parts. */
struct bt_re_part {
    bool is_negative;
    struct bt_regex regex;
    struct bt_re_part *next;
};

/* As bt_regex_match(), with no tier and no deterministic automaton. */
enum bt_regex_match_result bt_regex_match_plain(const struct bt_regex *regex,
                                                struct bt_regex_matcher *matcher, bt_str subject);

#endif
