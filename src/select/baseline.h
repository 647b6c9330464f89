/* SPDX-License-Identifier: Apache-2.0 */
/* baseline.h - the baseline as the files of this folder see it, and what a run used. */
#ifndef BATON_SRC_SELECT_BASELINE_H
#define BATON_SRC_SELECT_BASELINE_H

#include "base/vec.h"
#include "select/select.h"

/* What a document has in the file from now on. */
struct bt_select_written {
    bt_str path; /* absolute */
    const struct bt_select_baseline_item *items;
    size_t count;
};

struct bt_select_usage {
    const struct bt_select *select;
    struct bt_arena *arena;
    uint8_t *ignores; /* by entry, as in struct bt_select_result, of all documents */
    uint8_t *entries; /* of the baseline: 1 its document was judged, 2 it matched */
    BT_VEC(struct bt_select_written) written;
    uint64_t refused;
};

/* The number of entries; NULL has none. */
size_t bt_select_baseline_count(const struct bt_select_baseline *baseline);
/* Find the entries about a document. BT_ENOMEM: the arena reached its limit. */
BT_MUST_USE enum bt_status bt_select_baseline_match(const struct bt_select *select,
                                                    struct bt_arena *arena, bt_str path,
                                                    struct bt_select_baseline_match *out);
/* Set *out_taken when the baseline covers a finding; each entry covers as many as its count. */
BT_MUST_USE enum bt_status bt_select_baseline_take(struct bt_select_baseline_match *match,
                                                   struct bt_arena *arena,
                                                   const struct bt_finding *finding,
                                                   bool is_protected, bool *out_taken);
/* Count what a document used. BT_ENOMEM: the arena of the usage reached its limit. */
BT_MUST_USE enum bt_status bt_select_baseline_note(struct bt_select_usage *usage, bt_str path,
                                                   const struct bt_select_baseline_match *match);

#endif
