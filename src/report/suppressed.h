/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suppressed.h - the findings of a document that settings removed from its list.
 *
 * Reports count them, so that nothing is hidden; SARIF lists the ignored and the baselined ones.
 */
#ifndef BATON_SRC_REPORT_SUPPRESSED_H
#define BATON_SRC_REPORT_SUPPRESSED_H

#include <baton/report.h>

#include "report/report.h"

/* What removed a finding, in the order of reports. */
enum bt_suppressed_by {
    BT_SUPPRESSED_BY_NONE = 0,
    BT_SUPPRESSED_BY_BASELINE,
    BT_SUPPRESSED_BY_IGNORE,
    BT_SUPPRESSED_BY_RULES,
};

struct bt_suppressed_finding {
    const struct bt_finding *finding;
    enum bt_suppressed_by by;
    bt_str reason; /* of the `ignore` entry, else "" */
};

/* In the order of the findings. */
struct bt_suppressed {
    struct bt_suppressed_finding *items;
    size_t count;
    size_t capacity;
};

/* "rules", "ignore" or "baseline"; "" for none. A constant. */
bt_str bt_suppressed_by_name(enum bt_suppressed_by by);

/*
 * Put the array that the facts have as "suppressed": one item for each code, origin and reason,
 * sorted in this order.
 */
void bt_suppressed_emit(struct bt_emit *emit, const struct bt_suppressed *suppressed);

/* State that a baseline is in use, so that results of SARIF have a `baselineState`. */
void bt_report_set_baseline(struct bt_report *report);
bool bt_report_has_baseline(const struct bt_report *report);

/* Set the lines that the text formats show with `is_verbose`; each ends in a line feed, and what
 * comes from outside was made visible. The text must outlive the report. */
void bt_report_set_notes(struct bt_report *report, bt_str lines);
bt_str bt_report_notes(const struct bt_report *report);

#endif
