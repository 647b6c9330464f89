/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_jsonl.c - JSON Lines: one object per document, one per failure, then one with the summary.
 */
#include "report/render.h"
#include "report/statistics.h"

static void put_failures(const struct bt_report *report, struct bt_buf *buf)
{
    struct bt_emit emit;
    for (size_t i = 0; i < bt_report_failure_count(report); i++) {
        bt_emit_init(&emit, buf, false);
        bt_emit_begin_object(&emit);
        bt_emit_name(&emit, "failure");
        bt_render_json_failure(&emit, bt_report_failure_at(report, i));
        bt_emit_end(&emit);
        bt_buf_put_char(buf, '\n');
    }
}

static void put_summary(const struct bt_report *report,
                        const struct bt_report_render_options *options, struct bt_buf *buf)
{
    struct bt_emit emit;
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
}

void bt_report_put_jsonl(const struct bt_report *report,
                         const struct bt_report_render_options *options, size_t index,
                         struct bt_buf *buf)
{
    const size_t from = buf->len;
    struct bt_emit emit;
    if (index < bt_report_count(report)) {
        bt_emit_init(&emit, buf, false);
        bt_report_put_json_document(&emit, bt_report_at(report, index));
        bt_buf_put_char(buf, '\n');
    } else {
        put_failures(report, buf);
        put_summary(report, options, buf);
    }
    bt_json_escape_hidden(buf, from);
}

void bt_report_render_jsonl(const struct bt_report *report,
                            const struct bt_report_render_options *options, struct bt_buf *buf)
{
    for (size_t i = 0; i <= bt_report_count(report); i++) {
        bt_report_put_jsonl(report, options, i, buf);
    }
}
