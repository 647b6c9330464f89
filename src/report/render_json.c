/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_json.c - the report as one JSON object, compact, on one line.
 *
 * Absent members are left out, never null. Texts are exact here: escaping is JSON's business, and a
 * program wants the path and the pointer as they are.
 */
#include "report/add.h"
#include "report/findings.h"
#include "report/render.h"
#include "report/skipped.h"
#include "report/statistics.h"
#include "report/suppressed.h"

static void put_finding(struct bt_emit *emit, const struct bt_finding *finding)
{
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "code", finding->rule->code);
    bt_emit_member_string(emit, "severity", bt_severity_name(finding->severity));
    if (finding->default_severity != BT_SEVERITY_NONE) {
        bt_emit_member_string(emit, "default_severity",
                              bt_severity_name(finding->default_severity));
    }
    bt_emit_member_string(emit, "stage", bt_stage_name(finding->rule->stage));
    bt_emit_member_string(emit, "pointer", finding->pointer);
    if (finding->position.line > 0) {
        bt_emit_member_u64(emit, "line", finding->position.line);
        bt_emit_member_u64(emit, "column", finding->position.column);
    }
    bt_emit_member_string(emit, "message", finding->message);
    if (finding->hint.len > 0) {
        bt_emit_member_string(emit, "hint", finding->hint);
    }
    if (finding->security) {
        bt_emit_member_bool(emit, "security", true);
    }
    if (finding->fix != BT_FIX_NONE) {
        bt_emit_member_string(emit, "fix", bt_fix_name(finding->fix));
    }
    bt_finding_emit_params(finding, emit);
    bt_emit_end(emit);
}

void bt_findings_emit(struct bt_emit *emit, const struct bt_findings *findings)
{
    const size_t from = emit->buf->len;
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        put_finding(emit, bt_findings_at(findings, i));
    }
    bt_json_escape_hidden(emit->buf, from);
}

void bt_report_put_json_members(struct bt_emit *emit, bt_str members)
{
    if (members.len > 0) {
        bt_buf_put_char(emit->buf, ',');
        bt_buf_put(emit->buf, members);
    }
}

/* The facts of the dialect, what was not checked, and what settings removed. */
static void put_facts(struct bt_emit *emit, const struct bt_judgement *document)
{
    const bt_str facts = document->facts;
    bt_emit_begin_object(emit);
    bt_emit_members_raw(emit, facts.len > 2 ? bt_str_slice(facts, 1, facts.len - 1) : BT_STR(""));
    bt_skipped_emit(emit, document);
    if (document->suppressed) {
        bt_emit_name(emit, "suppressed");
        bt_suppressed_emit(emit, document->suppressed);
    }
    bt_emit_end(emit);
}

enum bt_status bt_judgement_publish(struct bt_judgement *judgement, struct bt_arena *arena)
{
    /* Its maker passes it on, and nothing else refers to it yet. */
    struct bt_findings *findings = (struct bt_findings *)(uintptr_t)judgement->findings;
    struct bt_buf buf;
    struct bt_emit emit;
    BT_TRY(bt_findings_publish(findings, BT_STR("")));
    bt_buf_init(&buf, SIZE_MAX);
    bt_emit_init(&emit, &buf, false);
    put_facts(&emit, judgement);
    return bt_buf_finish(&buf, arena, &judgement->shown_facts);
}

void bt_report_put_json_document(struct bt_emit *emit, const struct bt_judgement *document)
{
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "path", document->path);
    bt_emit_member_string(emit, "dialect", bt_dialect_name(document->dialect));
    bt_emit_member_string(emit, "verdict", bt_verdict_name(document->verdict));
    bt_emit_member_array(emit, "findings");
    bt_findings_emit(emit, document->findings);
    bt_emit_end(emit);
    bt_emit_name(emit, "facts");
    put_facts(emit, document);
    bt_report_put_json_members(emit, document->extra_members);
    bt_emit_end(emit);
}

void bt_render_json_failure(struct bt_emit *emit, const struct bt_failure *failure)
{
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "path", failure->path);
    bt_emit_member_string(emit, "reason", bt_failure_reason_name(failure->reason));
    bt_emit_member_string(emit, "message", failure->message);
    bt_emit_end(emit);
}

void bt_report_put_json_totals(struct bt_emit *emit, const struct bt_report *report)
{
    const struct bt_report_totals summary = bt_report_get_totals(report);
    bt_emit_member_object(emit, "summary");
    bt_emit_member_u64(emit, "documents", summary.documents);
    bt_emit_member_u64(emit, "accepted", summary.accepted);
    bt_emit_member_u64(emit, "rejected", summary.rejected);
    bt_emit_member_u64(emit, "hard", summary.hard);
    bt_emit_member_u64(emit, "warn", summary.warn);
    bt_emit_member_u64(emit, "info", summary.info);
    bt_emit_member_u64(emit, "failures", summary.failures);
    bt_emit_member_u64(emit, "suppressed", summary.suppressed);
    bt_emit_member_u64(emit, "fixed", summary.fixed);
    bt_emit_end(emit);
}

void bt_report_render_json(const struct bt_report *report,
                           const struct bt_report_render_options *options, struct bt_buf *buf)
{
    const size_t from = buf->len;
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_array(&emit, "documents");
    for (size_t i = 0; i < bt_report_count(report); i++) {
        bt_report_put_json_document(&emit, bt_report_at(report, i));
    }
    bt_emit_end(&emit);
    bt_emit_member_array(&emit, "failures");
    for (size_t i = 0; i < bt_report_failure_count(report); i++) {
        bt_render_json_failure(&emit, bt_report_failure_at(report, i));
    }
    bt_emit_end(&emit);
    if (options->statistics) {
        bt_statistics_emit(&emit, report);
    }
    bt_report_put_json_totals(&emit, report);
    bt_report_put_json_members(&emit, options->extra_members);
    bt_emit_end(&emit);
    bt_buf_put_char(buf, '\n');
    bt_json_escape_hidden(buf, from);
}
