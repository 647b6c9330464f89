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

struct bt_re_chain {
    bool has_end;
    uint32_t count;
    uint8_t sets[256]; /* for each ASCII byte, the sets it is in, a bit each */
    struct bt_re_link_of links[];
};

/* Make the chain of a pattern. False when the pattern has another shape, or after a failure. */
bool bt_re_chain_make(struct bt_re_build *build, const struct bt_re_node *root,
                      struct bt_re_chain **out);
bool bt_re_chain_match(const struct bt_re_chain *chain, const struct bt_re_alphabet *alphabet,
                       bt_str subject);

#endif
