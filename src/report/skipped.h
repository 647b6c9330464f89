/* SPDX-License-Identifier: Apache-2.0 */
/* skipped.h - what a report states besides findings: checks that were not made, and notes. */
#ifndef BATON_SRC_REPORT_SKIPPED_H
#define BATON_SRC_REPORT_SKIPPED_H

#include <baton/json.h>
#include <baton/report.h>

#include "report/report.h"

/* Put the member "skipped" of the facts into the object that `emit` has open; nothing when the set
 * is empty. */
void bt_skipped_emit(struct bt_emit *emit, const struct bt_judgement *document);

/* The set of the one check that bt_skipped_emit() writes with these words, "" for a word that is
 * absent; empty when there is none. */
uint32_t bt_skipped_find(bt_str what, bt_str why, bt_str need);

/*
 * Put the notes and a line for each suppressed finding: "suppressed: a.json:3:7: error: CODE
 * message (ignore: REASON)".
 */
void bt_skipped_put_notes(struct bt_buf *buf, const struct bt_report_render_options *options,
                          const struct bt_report *report);

/*
 * Put lines such as "not checked: payload schemas of 2 plan documents (no root; use --root DIR)":
 * one for each dialect and check that a flag would add or, with `all`, for every reason.
 */
void bt_skipped_put_lines(struct bt_buf *buf, const struct bt_report *report, bool all);

#endif
