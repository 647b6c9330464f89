/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_concise.c - one line per finding, path:line:col: error: CODE message
 */
#include "report/render.h"
#include "report/skipped.h"
#include "report/statistics.h"

void bt_report_render_concise(const struct bt_report *report,
                              const struct bt_report_render_options *options, struct bt_buf *buf)
{
    if (options->quiet_below == BT_SEVERITY_NONE) {
        bt_render_changes(buf, report);
    }
    for (size_t i = 0; i < bt_report_count(report); i++) {
        const struct bt_judgement *document = bt_report_at(report, i);
        for (size_t j = 0; j < bt_findings_count(document->findings); j++) {
            const struct bt_finding *finding = bt_findings_at(document->findings, j);
            if (bt_render_shows(options, finding)) {
                bt_report_put_line(buf, options, document->path, finding);
                bt_buf_put_char(buf, '\n');
            }
        }
    }
    if (options->statistics) {
        bt_statistics_put_lines(buf, report);
    }
    bt_render_failure_lines(buf, report);
    if (options->is_verbose) {
        bt_skipped_put_notes(buf, options, report);
        bt_skipped_put_lines(buf, report, true);
    }
    bt_render_fix_totals(buf, report);
    if (options->time.len > 0) {
        bt_report_put_timed_totals(buf, report, options->time);
    }
}
