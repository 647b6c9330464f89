/* SPDX-License-Identifier: Apache-2.0 */
/*
 * excerpt.h - the line of a source that a finding is about, fit for a terminal.
 */
#ifndef BATON_SRC_REPORT_EXCERPT_H
#define BATON_SRC_REPORT_EXCERPT_H

#include <baton/report.h>

#include "report/report.h"

/*
 * Put the line around the finding's position, without its end of line, and set *out_caret to the
 * number of columns before the position. What is longer than about `columns` is cut on either side,
 * and "..." says so; controls, broken bytes and characters that reorder text are escaped.
 * Looks at a bounded number of bytes, however long the line is. Returns false, and puts nothing,
 * when the finding has no position in `source`.
 */
bool bt_report_put_excerpt(struct bt_buf *buf, bt_str source, const struct bt_finding *finding,
                           size_t columns, size_t *out_caret);

#endif
