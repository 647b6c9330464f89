/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_report.h - a report from the object that the json format writes.
 */
#ifndef BATON_SRC_REPORT_READ_REPORT_H
#define BATON_SRC_REPORT_READ_REPORT_H

#include <baton/json.h>

#include "base/str.h"
#include "report/report.h"

/*
 * Make a report from an object that is valid by the schema `report`. It lies in the arena and
 * refers to `document`. `sources` are the texts of its documents in their order, for excerpts and
 * columns; those that are missing are "". The report has what the object holds: a finding that
 * settings removed is the meaning of its rule, without a place, and changes of fixes are only
 * counted. *how is set to what renders the same object again with the json format.
 *
 * BT_ENOENT: it names a rule or a dialect that this version does not know; `error` says which.
 * BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_report_read(const struct bt_json_doc *document,
                                          const struct bt_str_list *sources, struct bt_arena *arena,
                                          struct bt_report **out,
                                          struct bt_report_render_options *how,
                                          struct bt_error *error);

#endif
