/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_markdown.c - a table per document, fit for a comment on a pull request.
 *
 * Everything from outside is written with character references, which mean the same in a table
 * cell, in running text and inside <code>, and start no markup, link, mention or emoji in any of
 * them.
 */
#include "report/render.h"

#include <string.h>

/* A reference is a letter to Markdown but a plain sign to the reader. A mention is looked for after
 * the references are resolved, so the at sign is kept apart from the name by a zero-width space. */
static size_t escape_markdown(struct bt_buf *buf, bt_str text, size_t at)
{
    const char byte = text.ptr[at];
    const bool www = byte == '.' && at > 0 && (text.ptr[at - 1] | 0x20) == 'w';
    if (byte == '@') {
        bt_buf_put_text(buf, "@&#8203;");
    } else if (www || strchr("&<>|\\`*_[]~#:$", byte)) {
        bt_buf_printf(buf, "&#%d;", byte);
    } else {
        bt_buf_put_char(buf, byte);
    }
    return 1;
}

static void put_code(struct bt_buf *buf, bt_str text, size_t max_bytes)
{
    bt_buf_put_text(buf, "<code>");
    bt_report_put_escaped(buf, text, max_bytes, escape_markdown);
    bt_buf_put_text(buf, "</code>");
}

static void put_where(struct bt_buf *buf, const struct bt_finding *finding)
{
    if (finding->position.line > 0) {
        bt_buf_printf(buf, "%u:%u", finding->position.line, finding->position.column);
    }
    if (finding->pointer.len > 0) {
        bt_buf_put_text(buf, finding->position.line > 0 ? " " : "");
        put_code(buf, finding->pointer, BT_POINTER_SHOWN);
    }
}

static void put_row(struct bt_buf *buf, const struct bt_finding *finding)
{
    bt_buf_printf(buf, "| %.*s | `%.*s` | ", BT_STR_ARG(bt_severity_name(finding->severity)),
                  BT_STR_ARG(finding->rule->code));
    put_where(buf, finding);
    bt_buf_put_text(buf, " | ");
    bt_report_put_escaped(buf, finding->message, BT_SENTENCE_SHOWN, escape_markdown);
    if (finding->hint.len > 0) {
        bt_buf_put_text(buf, "<br><em>");
        bt_report_put_escaped(buf, finding->hint, BT_SENTENCE_SHOWN, escape_markdown);
        bt_buf_put_text(buf, "</em>");
    }
    bt_buf_put_text(buf, " |\n");
}

static void put_document(struct bt_buf *buf, const struct bt_judgement *document)
{
    const size_t count = bt_findings_count(document->findings);
    bt_buf_put_text(buf, "\n#### ");
    put_code(buf, document->path, BT_PATH_SHOWN);
    bt_buf_put_text(buf, " (");
    bt_report_put_escaped(buf, bt_dialect_name(document->dialect), BT_PATH_SHOWN, escape_markdown);
    bt_buf_printf(buf, "): %.*s\n", BT_STR_ARG(bt_verdict_name(document->verdict)));
    if (count > 0) {
        bt_buf_put_text(buf, "\n| Severity | Code | Where | Finding |\n|---|---|---|---|\n");
    }
    for (size_t i = 0; i < count; i++) {
        put_row(buf, bt_findings_at(document->findings, i));
    }
}

static void put_failures(struct bt_buf *buf, const struct bt_report *report)
{
    const size_t count = bt_report_failure_count(report);
    if (count > 0) {
        bt_buf_put_text(buf, "\n#### Not judged\n\n| Path | Reason | Message |\n|---|---|---|\n");
    }
    for (size_t i = 0; i < count; i++) {
        const struct bt_failure *failure = bt_report_failure_at(report, i);
        bt_buf_put_text(buf, "| ");
        put_code(buf, failure->path, BT_PATH_SHOWN);
        bt_buf_printf(buf, " | `%.*s` | ", BT_STR_ARG(bt_failure_reason_name(failure->reason)));
        bt_report_put_escaped(buf, failure->message, BT_SENTENCE_SHOWN, escape_markdown);
        bt_buf_put_text(buf, " |\n");
    }
}

void bt_report_render_markdown(const struct bt_report *report,
                               const struct bt_report_render_options *options, struct bt_buf *buf)
{
    (void)options;
    bt_buf_put_text(buf, "### Baton\n\n");
    bt_report_put_totals(buf, report);
    bt_buf_put_char(buf, '\n');
    for (size_t i = 0; i < bt_report_count(report); i++) {
        put_document(buf, bt_report_at(report, i));
    }
    put_failures(buf, report);
}
