/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_github.c - workflow commands, which GitHub Actions turns into annotations.
 *
 *     ::error file=handoff.json,line=2,col=14,title=SCHEMA_REQUIRED::message
 *
 * A command ends with its line and a property with a colon or comma, so these and the percent sign
 * are written as %XX.
 */
#include "report/render.h"

#include <stdio.h>
#include <string.h>

static void put_unless_in(struct bt_buf *buf, char byte, const char *special)
{
    if (byte != '\0' && strchr(special, byte)) {
        bt_buf_printf(buf, "%%%02X", (unsigned char)byte);
    } else {
        bt_buf_put_char(buf, byte);
    }
}

static size_t escape_data(struct bt_buf *buf, bt_str text, size_t at)
{
    put_unless_in(buf, text.ptr[at], "%\r\n");
    return 1;
}

static size_t escape_property(struct bt_buf *buf, bt_str text, size_t at)
{
    put_unless_in(buf, text.ptr[at], "%\r\n:,");
    return 1;
}

static const char *command_of(enum bt_severity severity)
{
    if (severity == BT_SEVERITY_HARD) {
        return "error";
    }
    return severity == BT_SEVERITY_WARN ? "warning" : "notice";
}

static void put_finding(struct bt_buf *buf, bt_str path, const struct bt_finding *finding)
{
    bt_buf_printf(buf, "::%s file=", command_of(finding->severity));
    bt_report_put_escaped(buf, path, BT_PATH_SHOWN, escape_property);
    if (finding->position.line > 0) {
        bt_buf_printf(buf, ",line=%u,col=%u", finding->position.line, finding->position.column);
    }
    bt_buf_put_text(buf, ",title=");
    bt_report_put_escaped(buf, finding->rule->code, BT_PATH_SHOWN, escape_property);
    bt_buf_put_text(buf, "::");
    bt_report_put_escaped(buf, finding->message, BT_SENTENCE_SHOWN, escape_data);
    if (finding->hint.len > 0) {
        bt_buf_put_text(buf, "%0Ahelp: ");
        bt_report_put_escaped(buf, finding->hint, BT_SENTENCE_SHOWN, escape_data);
    }
    bt_buf_put_char(buf, '\n');
}

/* ::error file=gone.json,title=baton not_found::message */
static void put_failure(struct bt_buf *buf, const struct bt_failure *failure)
{
    bt_buf_put_text(buf, "::error file=");
    bt_report_put_escaped(buf, failure->path, BT_PATH_SHOWN, escape_property);
    bt_buf_printf(buf, ",title=baton %.*s::", BT_STR_ARG(bt_failure_reason_name(failure->reason)));
    bt_report_put_escaped(buf, failure->message, BT_SENTENCE_SHOWN, escape_data);
    bt_buf_put_char(buf, '\n');
}

void bt_report_render_github(const struct bt_report *report,
                             const struct bt_report_render_options *options, struct bt_buf *buf)
{
    (void)options;
    for (size_t i = 0; i < bt_report_count(report); i++) {
        const struct bt_judgement *document = bt_report_at(report, i);
        for (size_t j = 0; j < bt_findings_count(document->findings); j++) {
            put_finding(buf, document->path, bt_findings_at(document->findings, j));
        }
    }
    for (size_t i = 0; i < bt_report_failure_count(report); i++) {
        put_failure(buf, bt_report_failure_at(report, i));
    }
}
