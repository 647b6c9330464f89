/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_junit.c - JUnit XML: one suite per run, one test case per document and per failure.
 *
 * A rejected document fails, once, with the findings that made it so; everything else that was
 * found is its output. What could not be judged is an error.
 */
#include "report/render.h"

#include <inttypes.h>

static void put_attribute(struct bt_buf *buf, const char *name, bt_str value)
{
    bt_buf_put_char(buf, ' ');
    bt_buf_put_text(buf, name);
    bt_buf_put_text(buf, "=\"");
    bt_report_put_escaped(buf, value, BT_SENTENCE_SHOWN, bt_report_escape_xml);
    bt_buf_put_char(buf, '"');
}

/* The severity that decided: a rejected document was rejected for its worst finding. Whether
 * findings below it counted depends on the fail level, which is not known here. */
static enum bt_severity get_deciding_severity(const struct bt_judgement *document)
{
    enum bt_severity worst = BT_SEVERITY_NONE;
    if (document->verdict != BT_VERDICT_REJECTED) {
        return worst;
    }
    for (size_t i = 0; i < bt_findings_count(document->findings); i++) {
        const enum bt_severity severity = bt_findings_at(document->findings, i)->severity;
        worst = severity > worst ? severity : worst;
    }
    return worst;
}

/* Put a line for each finding that decided, or for each that did not; returns how many. */
static size_t put_lines(struct bt_buf *buf, const struct bt_judgement *document, bool decided)
{
    const enum bt_severity severity = get_deciding_severity(document);
    struct bt_buf line;
    bt_buf_init(&line, SIZE_MAX);
    size_t lines = 0;
    for (size_t i = 0; i < bt_findings_count(document->findings); i++) {
        const struct bt_finding *finding = bt_findings_at(document->findings, i);
        if ((finding->severity == severity) != decided) {
            continue;
        }
        bt_buf_clear(&line);
        const struct bt_report_render_options plain = {.docs_url = BT_STR("")};
        bt_report_put_line(&line, &plain, document->path, finding);
        bt_report_put_escaped(buf, bt_buf_str(&line), SIZE_MAX, bt_report_escape_xml);
        bt_buf_put_char(buf, '\n');
        buf->status = buf->status == BT_OK ? line.status : buf->status;
        lines++;
    }
    bt_buf_free(&line);
    return lines;
}

/* The first finding that decided, or NULL. */
static const struct bt_finding *find_cause(const struct bt_judgement *document)
{
    const enum bt_severity severity = get_deciding_severity(document);
    for (size_t i = 0; i < bt_findings_count(document->findings); i++) {
        const struct bt_finding *finding = bt_findings_at(document->findings, i);
        if (finding->severity == severity) {
            return finding;
        }
    }
    return NULL;
}

static void put_failure(struct bt_buf *buf, const struct bt_judgement *document)
{
    const struct bt_finding *first = find_cause(document);
    bt_buf_put_text(buf, "      <failure");
    put_attribute(buf, "type", first ? first->rule->code : BT_STR("rejected"));
    put_attribute(buf, "message", first ? first->message : BT_STR("rejected"));
    bt_buf_put_char(buf, '>');
    (void)put_lines(buf, document, true);
    bt_buf_put_text(buf, "</failure>\n");
}

static void put_output(struct bt_buf *buf, const struct bt_judgement *document)
{
    const size_t start = buf->len;
    bt_buf_put_text(buf, "      <system-out>");
    if (put_lines(buf, document, false) == 0) {
        buf->len = start;
        return;
    }
    bt_buf_put_text(buf, "</system-out>\n");
}

static void put_case(struct bt_buf *buf, const struct bt_judgement *document)
{
    bt_buf_put_text(buf, "    <testcase");
    put_attribute(buf, "classname", bt_dialect_name(document->dialect));
    put_attribute(buf, "name", document->path);
    bt_buf_put_text(buf, ">\n");
    if (document->verdict == BT_VERDICT_REJECTED) {
        put_failure(buf, document);
    }
    put_output(buf, document);
    bt_buf_put_text(buf, "    </testcase>\n");
}

static void put_error(struct bt_buf *buf, const struct bt_failure *failure)
{
    bt_buf_put_text(buf, "    <testcase classname=\"baton\"");
    put_attribute(buf, "name", failure->path);
    bt_buf_put_text(buf, ">\n      <error");
    put_attribute(buf, "type", bt_failure_reason_name(failure->reason));
    put_attribute(buf, "message", failure->message);
    bt_buf_put_text(buf, "/>\n    </testcase>\n");
}

static void put_suite_tag(struct bt_buf *buf, const char *tag,
                          const struct bt_report_totals *summary)
{
    bt_buf_printf(buf,
                  "<%s name=\"baton\" tests=\"%" PRIu64 "\" failures=\"%" PRIu64
                  "\" errors=\"%" PRIu64 "\">\n",
                  tag, summary->documents + summary->failures, summary->rejected,
                  summary->failures);
}

void bt_report_render_junit(const struct bt_report *report,
                            const struct bt_report_render_options *options, struct bt_buf *buf)
{
    (void)options;
    const struct bt_report_totals summary = bt_report_get_totals(report);
    bt_buf_put_text(buf, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    put_suite_tag(buf, "testsuites", &summary);
    bt_buf_put_text(buf, "  ");
    put_suite_tag(buf, "testsuite", &summary);
    for (size_t i = 0; i < bt_report_count(report); i++) {
        put_case(buf, bt_report_at(report, i));
    }
    for (size_t i = 0; i < bt_report_failure_count(report); i++) {
        put_error(buf, bt_report_failure_at(report, i));
    }
    bt_buf_put_text(buf, "  </testsuite>\n</testsuites>\n");
}
