/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alphabet.h - the symbols of a pattern: classes of code points that none of its sets tells apart.
 *
 * The automata read symbols, so that their size depends on what a pattern distinguishes and not on
 * Unicode: in ^[a-z]+$ there are two symbols, and \p{L} is one.
 */
#ifndef BATON_SRC_REGEX_ALPHABET_H
#define BATON_SRC_REGEX_ALPHABET_H

#include <assert.h>

#include "regex/ast.h"

struct bt_re_alphabet {
    uint32_t count;          /* of symbols, at most 65,535 */
    uint32_t ranges;         /* of code points that have one symbol each */
    const uint32_t *starts;  /* the first code point of each range, ascending from 0 */
    const uint16_t *symbols; /* of each range */
    uint32_t words;          /* 64-bit words in the bitmap of a set */
    const uint64_t *bitmaps; /* one for each set: which symbols are in it; set 0 has all */
    uint16_t ascii[128];
};

/* The sets of a pattern, gathered before the alphabet is made. */
struct bt_re_sets {
    struct bt_re_set *items; /* item 0 is everything */
    uint32_t count;
    uint32_t capacity;
    uint32_t *slots; /* a hash table of item numbers, 0 for none */
    uint32_t slots_count;
    uint64_t ranges; /* in all of them */
};

/* Find or add a finished set; *out_index is its number. */
bool bt_re_sets_add(struct bt_re_build *build, struct bt_re_sets *sets, const struct bt_re_set *set,
                    uint32_t *out_index);

/* Work out the symbols. What `out` points to is kept in the caller's arena. */
bool bt_re_alphabet_make(struct bt_re_build *build, const struct bt_re_sets *sets,
                         struct bt_re_alphabet *out);

static inline bool bt_re_alphabet_has(const struct bt_re_alphabet *alphabet, uint32_t set,
                                      uint32_t symbol)
{
    const uint64_t *bitmap = alphabet->bitmaps + (size_t)set * alphabet->words;
    return (bitmap[symbol / 64] >> (symbol % 64) & 1) != 0;
}

/* The symbol of a code point above ASCII. */
static inline uint32_t bt_re_alphabet_symbol(const struct bt_re_alphabet *alphabet, uint32_t point)
{
    uint32_t low = 0;
    uint32_t high = alphabet->ranges;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (point < alphabet->starts[middle]) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return alphabet->symbols[low];
}

#endif
