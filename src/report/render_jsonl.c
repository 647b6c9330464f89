/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_jsonl.c - JSON Lines: one object per document, one per failure, then one with the summary.
 */
#include "report/render.h"
#include "report/statistics.h"

void bt_report_render_jsonl(const struct bt_report *report,
                            const struct bt_report_render_options *options, struct bt_buf *buf)
{
    const size_t from = buf->len;
    struct bt_emit emit;
    for (size_t i = 0; i < bt_report_count(report); i++) {
        bt_emit_init(&emit, buf, false);
        bt_report_put_json_document(&emit, bt_report_at(report, i));
        bt_buf_put_char(buf, '\n');
    }
    for (size_t i = 0; i < bt_report_failure_count(report); i++) {
        bt_emit_init(&emit, buf, false);
        bt_emit_begin_object(&emit);
        bt_emit_name(&emit, "failure");
        bt_render_json_failure(&emit, bt_report_failure_at(report, i));
        bt_emit_end(&emit);
        bt_buf_put_char(buf, '\n');
    }
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    if (options->statistics) {
        bt_statistics_emit(&emit, report);
    }
    bt_report_put_json_totals(&emit, report);
    bt_report_put_json_members(&emit, options->extra_members);
    bt_emit_end(&emit);
    bt_buf_put_char(buf, '\n');
    bt_json_escape_hidden(buf, from);
}
