/* SPDX-License-Identifier: Apache-2.0 */
/* problem.c - how a problem is written (RFC 9457). */
#include "operation/problem.h"

#include "json/emit.h"
#include "report/report.h"

void bt_problem_put(struct bt_buf *buf, const struct bt_problem_details *details)
{
    const bool is_unknown = details->problem == BT_PROBLEM_OUTCOME_UNKNOWN;
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_name(&emit, "type");
    bt_emit_raw(&emit, BT_STR("\"/problems/"));
    bt_buf_put(buf, details->code);
    bt_buf_put_char(buf, '"');
    bt_emit_member_string(&emit, "title", details->title);
    bt_emit_member_u64(&emit, "status", details->status);
    bt_emit_member_string(&emit, "detail", details->detail);
    if (details->request_id) {
        bt_emit_name(&emit, "instance");
        bt_emit_raw(&emit, BT_STR("\"urn:baton:request:"));
        bt_buf_put_text(buf, details->request_id);
        bt_buf_put_char(buf, '"');
    }
    bt_emit_member_string(&emit, "code", details->code);
    if (details->findings) {
        bt_emit_name(&emit, "findings");
        bt_emit_begin_array(&emit);
        bt_findings_emit(&emit, details->findings);
        bt_emit_end(&emit);
    }
    if (details->members.len > 0) {
        bt_buf_put_char(buf, ',');
        bt_buf_put(buf, details->members);
    }
    if (details->record.len > 0) {
        bt_emit_name(&emit, "record");
        bt_emit_raw(&emit, details->record);
    }
    if (details->status == BT_HTTP_UNAVAILABLE) {
        bt_emit_member_string(&emit, "outcome", bt_str_of(is_unknown ? "unknown" : "none"));
    }
    bt_emit_end(&emit);
}

void bt_problem_put_detail(struct bt_buf *buf, enum bt_problem problem, bt_str detail)
{
    const struct bt_problem_row *row = &bt_problems[problem];
    const struct bt_problem_details details = {.problem = problem,
                                               .code = row->code,
                                               .status = row->status,
                                               .title = row->title,
                                               .detail = detail,
                                               .members = BT_STR("")};
    bt_problem_put(buf, &details);
}

void bt_problem_put_row(struct bt_buf *buf, enum bt_problem problem, const char *request_id,
                        bt_str members)
{
    const struct bt_problem_row *row = &bt_problems[problem];
    const struct bt_problem_details details = {.problem = problem,
                                               .code = row->code,
                                               .status = row->status,
                                               .title = row->title,
                                               .detail = row->detail,
                                               .request_id = request_id,
                                               .members = members};
    bt_problem_put(buf, &details);
}

void bt_problem_put_finding(struct bt_buf *buf, enum bt_problem problem, bt_str pointer,
                            bt_str message, bt_str params)
{
    struct bt_emit emit;
    bt_buf_put_text(buf, "\"findings\":[");
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "code", bt_problems[problem].code);
    bt_emit_member_string(&emit, "severity", BT_STR("HARD"));
    bt_emit_member_string(&emit, "stage", BT_STR("read"));
    bt_emit_member_string(&emit, "pointer", pointer);
    bt_emit_member_string(&emit, "message", message);
    if (params.len > 0) {
        bt_emit_name(&emit, "params");
        bt_emit_raw(&emit, params);
    }
    bt_emit_end(&emit);
    bt_buf_put_char(buf, ']');
}
