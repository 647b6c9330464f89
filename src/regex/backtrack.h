/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backtrack.h - patterns with back-references, which no automaton can match: a search under fuel.
 */
#ifndef BATON_SRC_REGEX_BACKTRACK_H
#define BATON_SRC_REGEX_BACKTRACK_H

#include "regex/program.h"

enum bt_re_step_op {
    BT_RE_STEP_MATCH = 1,
    BT_RE_STEP_SET,      /* read one character of set `arg` */
    BT_RE_STEP_TRY,      /* go to `out`; if that fails, to `alt` */
    BT_RE_STEP_BEGIN,    /* only at the beginning of the subject */
    BT_RE_STEP_END,      /* only at its end */
    BT_RE_STEP_WORD,     /* only at a word boundary, or elsewhere when negative */
    BT_RE_STEP_SAVE,     /* note the position in slot `arg` */
    BT_RE_STEP_CAPTURE,  /* group `arg` is what lies between the position in slot `alt` and here */
    BT_RE_STEP_FORGET,   /* groups arg to alt - 1 have captured nothing */
    BT_RE_STEP_MOVED,    /* only when the position is not that of slot `arg` */
    BT_RE_STEP_BACKREF,  /* read again what group `arg` captured */
    BT_RE_STEP_LOOK,     /* go to `alt`, which ends in LOOKED; then from here to `out` */
    BT_RE_STEP_LOOK_END, /* the look-around that was begun last has found something */
};

struct bt_re_step {
    uint8_t op;
    bool is_negative;
    bool is_backward; /* reads to the left, as everything in a look-behind does */
    uint32_t arg;
    uint32_t out;
    uint32_t alt;
};

/* Slots: begin and end of each group, then where groups and turns of loops under way began. */
struct bt_re_backtrack {
    const struct bt_re_step *steps;
    uint32_t count;
    uint32_t start;
    uint32_t slots;
    struct bt_re_alphabet alphabet;
};

bool bt_re_backtrack_make(struct bt_re_build *build, const struct bt_re_pattern *pattern,
                          struct bt_re_backtrack *out);

/* Search the subject for the pattern, with the fuel of the matcher. */
enum bt_regex_match_result bt_re_backtrack_run(const struct bt_re_backtrack *program,
                                               struct bt_regex_matcher *matcher, bt_str subject);

#endif
