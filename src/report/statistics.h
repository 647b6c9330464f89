/* SPDX-License-Identifier: Apache-2.0 */
/* statistics.h - how often each code occurs in a report: by count, then code. */
#ifndef BATON_SRC_REPORT_STATISTICS_H
#define BATON_SRC_REPORT_STATISTICS_H

#include <baton/json.h>
#include <baton/report.h>

/* Put the member "statistics" into the object that `emit` has open. */
void bt_statistics_emit(struct bt_emit *emit, const struct bt_report *report);
/* Put a line for each code: count, code, how many of them --fix fixes, meaning. */
void bt_statistics_put_lines(struct bt_buf *buf, const struct bt_report *report);

#endif
