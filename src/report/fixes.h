/* SPDX-License-Identifier: Apache-2.0 */
/* fixes.h - which fixes are wanted, and what they have changed. */
#ifndef BATON_SRC_REPORT_FIXES_H
#define BATON_SRC_REPORT_FIXES_H

#include <baton/report.h>

#include "base/vec.h"
#include "report/report.h"
#include "report/suppressed.h"

/* Which fixes are made. */
struct bt_fix_choice {
    bool unsafe;                   /* the unsafe ones as well as the safe ones */
    const struct bt_finding *only; /* that of this finding alone, whatever its class; NULL: all */
    const struct bt_suppressed *suppressed; /* not those of these findings; NULL: there are none */
};

/* True when the fix of a finding with this code and pointer is to be made. */
bool bt_fix_choice_has(const struct bt_fix_choice *choice, enum bt_fix fix, unsigned code,
                       bt_str pointer);

/* Changes that are being collected; their positions are not known yet. */
struct bt_report_change_list {
    struct bt_report_change *items;
    size_t count;
    size_t capacity;
};

/*
 * Sort the changes by offset and find their positions in `source`, the document before them. *out
 * and what it points at live in the arena. BT_ENOMEM is the only failure.
 */
BT_MUST_USE enum bt_status bt_report_changes_finish(const struct bt_report_change_list *list,
                                                    bt_str source, struct bt_arena *arena,
                                                    const struct bt_report_changes **out);

#endif
