/* SPDX-License-Identifier: Apache-2.0 */
/* own_report.h - reports that outlive the call that made them. */
#ifndef BATON_SRC_REPORT_OWN_REPORT_H
#define BATON_SRC_REPORT_OWN_REPORT_H

#include <baton/report.h>

/* Make an empty report with an arena of its own, which may take up to `limit` bytes. NULL when
 * there is no memory. Destroy it with bt_report_destroy(). */
BT_MUST_USE struct bt_report *bt_report_create(size_t limit);

#endif
