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
#define BT_RE_LITERALS_MAX 16
#define BT_RE_FIXED_MAX 256
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

/* ---- Literals: ^x-, \.json$, ^(GET|PUT)$ ----------------------------------------------------- */

struct bt_re_literals {
    bool has_begin;
    bool has_end;
    uint32_t count;
    bt_str items[BT_RE_LITERALS_MAX];
};

bool bt_re_literals_make(struct bt_re_build *build, const struct bt_re_node *root,
                         struct bt_re_literals **out);
bool bt_re_literals_match(const struct bt_re_literals *literals, bt_str subject);

/* ---- Fixed length, one set of ASCII characters for each position: uuid, sha256, dates -------- */

/*
 * Sets of ASCII characters as unions of rectangles (low nibbles x high nibbles), at most eight
 * in all: bit r of low[b & 15] & high[b >> 4] tells whether byte b lies in rectangle r, and the
 * mask of a set which rectangles it is made of. What is above ASCII lies in none.
 */
struct bt_re_nibbles {
    bool has_avx2;
    uint8_t low[16];
    uint8_t high[16];
    uint8_t rectangles[256]; /* low & high of each byte */
};

/* The mask of the ASCII part of a set; 0 when that is empty, or there is no room for it. */
uint8_t bt_re_nibbles_add(struct bt_re_nibbles *nibbles, const struct bt_re_set *set);
/* Whether each of `size` bytes lies in a rectangle of the mask at the same place in `masks`. */
bool bt_re_nibbles_match(const struct bt_re_nibbles *nibbles, const unsigned char *bytes,
                         const uint8_t *masks, size_t size);
/* Whether each of `size` bytes lies in a rectangle of `mask`. */
bool bt_re_nibbles_all(const struct bt_re_nibbles *nibbles, const unsigned char *bytes, size_t size,
                       uint8_t mask);

struct bt_re_fixed {
    struct bt_re_nibbles nibbles;
    uint32_t size;   /* bytes */
    uint8_t masks[]; /* so many */
};

/* The first runs of a shape, as far as they are of this kind; *out_runs tells how many. */
bool bt_re_fixed_make(struct bt_re_build *build, const struct bt_re_shape *shape,
                      struct bt_re_fixed **out, uint32_t *out_runs);

/* Whether the first `size` bytes fit; there must be so many. */
static inline bool bt_re_fixed_match(const struct bt_re_fixed *fixed, const unsigned char *bytes)
{
    return bt_re_nibbles_match(&fixed->nibbles, bytes, fixed->masks, fixed->size);
}

/* ---- Chains of runs: ^[A-Za-z_][A-Za-z0-9_]*$ ------------------------------------------------ */

struct bt_re_link_of {
    uint8_t bit; /* of its set, in `sets` */
    uint32_t set;
    uint32_t min;
    uint32_t max;
};

struct bt_re_chain {
    bool has_end;
    uint8_t tail_mask; /* of the last run, when it goes on to the end; 0: it cannot be asked so */
    uint32_t count;
    struct bt_re_nibbles nibbles;
    uint8_t sets[256]; /* for each ASCII byte, the sets it is in, a bit each */
    struct bt_re_link_of links[];
};

bool bt_re_chain_make(struct bt_re_build *build, const struct bt_re_shape *shape,
                      struct bt_re_chain **out);
bool bt_re_chain_match(const struct bt_re_chain *chain, const struct bt_re_alphabet *alphabet,
                       bt_str subject);

/* ---- Tables: any automaton that is small ----------------------------------------------------- */

/*
 * A state is the offset of its row: 0 is the one that nothing leaves with a match, the next row the
 * one that has matched. A row has a column for each symbol and one for the end.
 */
struct bt_re_table {
    uint32_t stride;
    uint32_t states;
    uint16_t initial;
    uint16_t after_prefix;            /* the state behind `prefix` */
    const struct bt_re_fixed *prefix; /* or NULL */
    const uint16_t *moves;
    /* Moves of two letters at once, since a move waits for the one before it: row state * stride,
     * column first * stride + second. NULL when that would be large. */
    const uint16_t *pairs;
};

/* Make the smallest table of a finished automaton. *out stays NULL when it is too large. */
bool bt_re_table_make(struct bt_re_build *build, const struct bt_re_dfa *dfa,
                      const struct bt_re_shape *shape, struct bt_re_table **out);
bool bt_re_table_match(const struct bt_re_table *table, const struct bt_re_alphabet *alphabet,
                       bt_str subject);

#endif
