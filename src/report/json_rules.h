/* SPDX-License-Identifier: Apache-2.0 */
/* json_rules.h - findings from errors of the JSON reader. */
#ifndef BATON_SRC_REPORT_JSON_RULES_H
#define BATON_SRC_REPORT_JSON_RULES_H

#include <baton/json.h>
#include <baton/report.h>

/*
 * Add the one finding of a text that was refused; `result` is what bt_json_read() said about
 * `source`, and its code is set. The position is the offset in `source`.
 */
BT_MUST_USE enum bt_status bt_findings_add_json(struct bt_findings *findings,
                                                const struct bt_json_read_result *result,
                                                bt_str source);

/*
 * Add JSON_LONE_SURROGATE once for each string and each member name that holds half of a surrogate
 * pair. A string is pointed at where it begins, a name where it begins. Takes time linear in the
 * document, and none when it holds no such text.
 */
BT_MUST_USE enum bt_status bt_findings_add_lone(struct bt_findings *findings,
                                                const struct bt_json_doc *document);

#endif
