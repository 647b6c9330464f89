/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tier.h - shapes of patterns that are answered without the automata.
 *
 * Each tier has a maker, which says no when the pattern has another shape, and a matcher, which is
 * a pure function of the pattern and the subject.
 */
#ifndef BATON_SRC_REGEX_TIER_H
#define BATON_SRC_REGEX_TIER_H

#include "regex/dfa.h"

#define BT_RE_RUNS_MAX 512
#define BT_RE_CHAIN_SETS_MAX 8

/* A pattern that is a list of repeated sets between optional anchors. */
struct bt_re_run_of {
    const struct bt_re_node *set;
    uint32_t min;
    uint32_t max;
};

struct bt_re_shape {
    bool has_begin;
    bool has_end;
    bool is_whole; /* every term is such a run; else `count` runs stand at the beginning */
    uint32_t count;
    struct bt_re_run_of runs[BT_RE_RUNS_MAX];
};

void bt_re_shape_of(const struct bt_re_node *root, struct bt_re_shape *out);

/* ---- Chains of runs: ^[A-Za-z_][A-Za-z0-9_]*$ ------------------------------------------------ */

struct bt_re_link_of {
    uint8_t bit; /* of its set, in `sets` */
    uint32_t set;
    uint32_t min;
    uint32_t max;
};

struct bt_re_chain {
    bool has_end;
    uint32_t count;
    uint8_t sets[256]; /* for each ASCII byte, the sets it is in, a bit each */
    struct bt_re_link_of links[];
};

bool bt_re_chain_make(struct bt_re_build *build, const struct bt_re_shape *shape,
                      struct bt_re_chain **out);
bool bt_re_chain_match(const struct bt_re_chain *chain, const struct bt_re_alphabet *alphabet,
                       bt_str subject);

#endif
