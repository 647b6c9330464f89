/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render.h - what the renderers share.
 *
 * A renderer puts a whole report into a buffer; failures stick to the buffer. Whatever comes from
 * outside (paths, pointers, messages) goes through bt_buf_put_printable() and then through the
 * escapes of the format, in this order, so that no document can speak in the format's own voice.
 */
#ifndef BATON_SRC_REPORT_RENDER_H
#define BATON_SRC_REPORT_RENDER_H

#include <baton/json.h>
#include <baton/report.h>
#include "json/emit.h"
#include "report/report.h"

typedef void bt_render_fn(const struct bt_report *report,
                          const struct bt_report_render_options *options, struct bt_buf *buf);

bt_render_fn bt_report_render_full;
bt_render_fn bt_report_render_concise;
bt_render_fn bt_report_render_json;
bt_render_fn bt_report_render_jsonl;
bt_render_fn bt_report_render_github;
bt_render_fn bt_report_render_junit;
bt_render_fn bt_report_render_sarif;
bt_render_fn bt_report_render_markdown;

/* The longest path, pointer and sentence that a format for people shows; "..." marks a cut. */
enum {
    BT_PATH_SHOWN = 1024,
    BT_POINTER_SHOWN = 256,
    BT_SENTENCE_SHOWN = 2048,
};

/* Put the escaped form of what stands at text[at]; returns how many bytes of it that was. */
typedef size_t bt_escape_fn(struct bt_buf *buf, bt_str text, size_t at);

/* Put `text`, made visible, cut at max_bytes, then escaped. */
void bt_report_put_escaped(struct bt_buf *buf, bt_str text, size_t max_bytes, bt_escape_fn *escape);

/* The escapes of XML, for texts and attributes. */
bt_escape_fn bt_report_escape_xml;

/* Put "path:line:column", or "path" when the finding has no position; visible. */
void bt_report_put_location(struct bt_buf *buf, bt_str path, const struct bt_finding *finding);

/* "error", "warning" or "info". */
const char *bt_render_severity(enum bt_severity severity);

/* Put the code, linked to its rule where the options have a page for it. */
void bt_render_code(struct bt_buf *buf, const struct bt_report_render_options *options,
                    bt_str code);
/* True when a report with these options shows the finding. */
bool bt_render_shows(const struct bt_report_render_options *options,
                     const struct bt_finding *finding);
/* The note for people about findings of the rule, or "". */
bt_str bt_render_note(const struct bt_rule *rule);

/* Put "path:line:column: error: CODE message", without an end of line; visible. */
void bt_report_put_line(struct bt_buf *buf, const struct bt_report_render_options *options,
                        bt_str path, const struct bt_finding *finding);

/* Put a line "path: not judged: message" for each failure; visible. */
void bt_render_failure_lines(struct bt_buf *buf, const struct bt_report *report);

/* Put "1 error" or "2 errors". */
void bt_report_put_count(struct bt_buf *buf, uint64_t count, const char *noun);

/* Put "2 documents: 1 accepted, 1 rejected (1 error, 0 warnings)", and "; 1 not judged" where
 * something was not. */
void bt_report_put_totals(struct bt_buf *buf, const struct bt_report *report);

/* Put the totals as a line that begins with a time, unless that is "". */
void bt_report_put_timed_totals(struct bt_buf *buf, const struct bt_report *report, bt_str time);
/* fixes.c: put a block of lines for each document that fixes have changed; visible. */
void bt_render_changes(struct bt_buf *buf, const struct bt_report *report);
/* Put the line that counts what was fixed and what is left; nothing without a request for fixes. */
void bt_render_fix_totals(struct bt_buf *buf, const struct bt_report *report);

/* One document, one failure, and the member "summary", as the json and jsonl formats show them. */
void bt_report_put_json_document(struct bt_emit *emit, const struct bt_judgement *document);
void bt_render_json_failure(struct bt_emit *emit, const struct bt_failure *failure);
void bt_report_put_json_totals(struct bt_emit *emit, const struct bt_report *report);
/* Further members, `"name":value,...` or "", of an open object that has some already. */
void bt_report_put_json_members(struct bt_emit *emit, bt_str members);

#endif
