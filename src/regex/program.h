/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.h - automata: what the matching half of the engine runs.
 *
 * A pattern without back-references becomes one program for each look-around, inner ones first, and
 * one for itself. A look-ahead is written backwards and run from the end of the subject, so that
 * one pass tells for every position whether it holds there.
 */
#ifndef BATON_SRC_REGEX_PROGRAM_H
#define BATON_SRC_REGEX_PROGRAM_H

#include "regex/alphabet.h"

/* "no instruction" */
#define BT_RE_NOWHERE UINT32_MAX
/* Look-arounds in a pattern; each is one more pass over the subject. */
#define BT_RE_LOOKS_MAX 250
/* Those that one program asks about: they must fit into a word. */
#define BT_RE_LOOKS_IN_PROGRAM_MAX 64

enum bt_re_op {
    BT_RE_OP_MATCH = 1,
    BT_RE_OP_SET,   /* read a symbol of set `arg` and go to `out` */
    BT_RE_OP_COUNT, /* read counter `arg`'s min to max symbols of its set and go to `out` */
    BT_RE_OP_SPLIT, /* go to `out` and to `alt` */
    BT_RE_OP_FIRST, /* go to `out` at the first position of the run ... */
    BT_RE_OP_LAST,  /* ... at its last */
    BT_RE_OP_WORD,  /* ... at a word boundary */
    BT_RE_OP_NEXT,  /* ... where a symbol of set `arg` comes next */
    BT_RE_OP_LOOK,  /* ... where the program's look-around number `arg` holds */
};

struct bt_re_inst {
    uint8_t op;
    bool is_negative; /* FIRST to LOOK: everywhere but there */
    uint32_t arg;
    uint32_t out;
    uint32_t alt;
};

/* A counted repeat of one set that is kept as a number instead of being written out. */
struct bt_re_counter {
    uint32_t set;
    uint32_t min; /* at least 1 */
    uint32_t max; /* may be BT_RE_INFINITE */
};

struct bt_re_frozen; /* an automaton built ahead of matching; see dfa.h */

struct bt_re_program {
    const struct bt_re_inst *insts;
    uint32_t count;
    uint32_t start;
    bool is_backward;  /* reads the subject from its end */
    bool is_anchored;  /* can begin at the first position only */
    bool is_recording; /* tells every position where it ends, instead of whether there is one */
    bool is_needed;    /* some other one asks for it, or it is the main one */
    bool has_word;
    uint32_t looks_count;
    const uint32_t *looks; /* the numbers of the programs whose bits are asked */
    uint32_t counters_count;
    const struct bt_re_counter *counters;
    const struct bt_re_frozen *frozen; /* or NULL */
    /* This program with counters instead of unrolled repeats, used when a deterministic
     * automaton of all the copies is not worth building; or NULL. */
    const struct bt_re_program *compact;
};

/* All programs of a pattern: its look-arounds in the order they must run, then the pattern. */
struct bt_re_programs {
    struct bt_re_alphabet alphabet;
    uint32_t word_set; /* \w, when some program asks for word boundaries */
    uint32_t count;
    struct bt_re_program *items;
};

/* Note each node's last child and each child's previous one; number the sets and look-arounds. */
bool bt_re_link(struct bt_re_build *build, struct bt_re_node *root, struct bt_re_sets *sets,
                uint32_t *out_looks);

/*
 * Write the automata of a tree that has been linked. Counted repeats are written out as long as
 * that stays within the options; failure is PATTERN_TOO_COMPLEX.
 */
bool bt_re_programs_make(struct bt_re_build *build, struct bt_re_node *root,
                         struct bt_re_programs *out);

#endif
