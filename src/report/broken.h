/* SPDX-License-Identifier: Apache-2.0 */
/*
 * broken.h - the rules that the documents of a report break.
 */
#ifndef BATON_SRC_REPORT_BROKEN_H
#define BATON_SRC_REPORT_BROKEN_H

#include <baton/report.h>

#include "report/report.h"

/* One rule per code, sorted by code. */
struct bt_report_broken {
    const struct bt_rule **rules;
    size_t count;
};

/* Find them; they live in the arena. */
BT_MUST_USE enum bt_status bt_report_broken_find(const struct bt_report *report,
                                                 struct bt_arena *arena,
                                                 struct bt_report_broken *out);
/* The index of a code that is among them. */
size_t bt_report_broken_index(const struct bt_report_broken *broken, bt_str code);

#endif
