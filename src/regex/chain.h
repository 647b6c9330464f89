/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chain.h - patterns that are runs of sets, answered without the automata: ^[A-Za-z_][A-Za-z0-9_]*$
 */
#ifndef BATON_SRC_REGEX_CHAIN_H
#define BATON_SRC_REGEX_CHAIN_H

#include "regex/dfa.h"

struct bt_re_link_of {
    uint8_t bit; /* of its set, in `sets` */
    uint32_t set;
    uint32_t min;
    uint32_t max;
};

struct bt_re_fixed; /* a chain of one size, asked 16 bytes at a time; see fixed.c */

struct bt_re_chain {
    bool has_end;
    uint32_t count;
    uint32_t fixed_count;            /* links that `fixed` stands for */
    const struct bt_re_fixed *fixed; /* or NULL */
    uint8_t sets[256];               /* for each ASCII byte, the sets it is in, a bit each */
    struct bt_re_link_of links[];
};

/* Make the chain of a pattern. False when the pattern has another shape, or after a failure. */
bool bt_re_chain_make(struct bt_re_build *build, const struct bt_re_node *root,
                      struct bt_re_chain **out);
bool bt_re_chain_match(const struct bt_re_chain *chain, const struct bt_re_alphabet *alphabet,
                       bt_str subject);

#if defined(__x86_64__) && !defined(BT_PROFILE_CORE) && !defined(BT_SCALAR)
#define BT_RE_HAS_FIXED 1
#else
#define BT_RE_HAS_FIXED 0
#endif

#if BT_RE_HAS_FIXED
/*
 * Make the chain of what a pattern begins with: all runs of one size right behind ^. *out stays
 * NULL where `fixed` would be NULL. False after a failure.
 */
bool bt_re_chain_make_prefix(struct bt_re_build *build, const struct bt_re_node *root,
                             struct bt_re_chain **out);
/*
 * Make chain->fixed of the runs that a chain begins with, as far as each has one size; it stays
 * NULL where they are short. False after a failure.
 */
bool bt_re_fixed_make(struct bt_re_build *build, struct bt_re_chain *chain);
/* The bytes of the subjects that these runs match. */
uint32_t bt_re_fixed_size(const struct bt_re_fixed *fixed);
/* Whether the runs certainly match so many bytes that the subject begins with. */
bool bt_re_fixed_match(const struct bt_re_fixed *fixed, bt_str subject);
#endif

#endif
