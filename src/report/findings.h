/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings.h - the list behind struct bt_findings, and the limit of findings of one code.
 */
#ifndef BATON_SRC_REPORT_FINDINGS_H
#define BATON_SRC_REPORT_FINDINGS_H

#include "base/vec.h"
#include "report/report.h"

/* Findings of one code, in a list with a limit. */
struct bt_code_count {
    unsigned code;
    size_t made;
    size_t last; /* the index of the last one that was kept */
};

struct bt_findings {
    struct bt_arena *arena;
    struct bt_finding **items; /* pointers, so that growing and sorting move little */
    size_t count;
    size_t capacity;
    bool finished;
    size_t published;     /* findings whose params are texts; see bt_findings_publish() */
    struct bt_arena *own; /* of a list that callers of the library hold; NULL: another's arena */
    size_t code_max;      /* findings of one code that are kept; 0: all */
    BT_VEC(struct bt_code_count) counts; /* as codes come up, with a limit */
};

/*
 * Keep at most `max` of the findings of each code that are added from now on. When the list is
 * finished, the last one that was kept gets the parameter `more`: how many were left out.
 */
void bt_findings_limit_codes(struct bt_findings *findings, size_t max);
/* Count a finding that is about to be added; *out_kept is false when the limit leaves no room. */
BT_MUST_USE enum bt_status bt_findings_take_code(struct bt_findings *findings, unsigned code,
                                                 bool *out_kept);
/* How many findings of a code (enum bt_code) were added to a list with a limit, kept or not. */
size_t bt_findings_count_of_code(const struct bt_findings *findings, unsigned code);
/* Whether a list with a limit keeps no more findings of a code. */
bool bt_findings_code_is_full(const struct bt_findings *findings, unsigned code);
/* Count so many more findings of a code, none of which is kept. */
void bt_findings_count_omitted(struct bt_findings *findings, unsigned code, size_t more);
/* Add the parameter `more` to the findings that need it. */
BT_MUST_USE enum bt_status bt_findings_add_omitted_counts(struct bt_findings *findings);

/*
 * Make the findings that were added since the last time readable for callers of the library: their
 * parameters become texts, and those of a list that is not finished get the position in `source`.
 * BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_findings_publish(struct bt_findings *findings, bt_str source);
/* As bt_findings_publish() for a list that a caller of the library made; nothing for others and for
 * NULL. Functions of the library that add findings end with it. */
BT_MUST_USE enum bt_status bt_findings_publish_own(struct bt_findings *findings, bt_str source);

/* Finds the positions of offsets of a source; fast for offsets in ascending order. */
struct bt_line_cursor {
    bt_str source;
    size_t at; /* the offset of the previous position */
    uint32_t line;
    size_t line_begin;
};

struct bt_line_cursor bt_line_cursor_begin(bt_str source);
struct bt_position bt_line_cursor_find(struct bt_line_cursor *cursor, size_t offset);

#endif
