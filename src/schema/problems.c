/* SPDX-License-Identifier: Apache-2.0 */
/* problems.c - report why a schema cannot be compiled, as findings about the schema. */
#include "schema/problems.h"

#include <assert.h>

#include <baton/report.h>

#include "json/value_pointer.h"
#include "schema/rules.h"

enum { VALUE_SHOWN = 80 }; /* bytes of an offending value in a message */

static void put_message(struct bt_buf *buf, const struct bt_schema_compile_error *problem,
                        const struct bt_rule *rule)
{
    if (problem->ref.len > 0) {
        bt_buf_put_char(buf, '"');
        bt_buf_put_printable(buf, problem->ref, VALUE_SHOWN);
        bt_buf_put_text(buf, "\": ");
    }
    bt_buf_put_text(buf, problem->reason ? problem->reason : rule->meaning.ptr);
}

static void put_params(struct bt_buf *buf, const struct bt_schema_compile_error *problem)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    if (problem->ref.len > 0) {
        const bool is_pattern = problem->code[0] == 'P';
        bt_emit_member_string(&emit, is_pattern ? "pattern" : "ref", problem->ref);
    }
    if (problem->reason) {
        bt_emit_member_string(&emit, "reason", bt_str_of(problem->reason));
    }
    if (problem->uri.len > 0) {
        bt_emit_member_string(&emit, "schema", problem->uri);
    }
    bt_emit_end(&emit);
}

/* A problem in another document than the schema has a place there, which params name. */
static enum bt_status add_problem_finding(struct bt_findings *findings,
                                          const struct bt_schema_compile_error *problem,
                                          struct bt_buf bufs[3])
{
    struct bt_finding finding = bt_finding_from_rule(bt_schema_rule(bt_str_of(problem->code)));
    put_message(&bufs[0], problem, finding.rule);
    put_params(&bufs[1], problem);
    if (problem->at && problem->uri.len == 0) {
        bt_json_put_value_pointer(&bufs[2], problem->document, problem->at);
        finding.offset = bt_json_span(problem->document, problem->at).begin;
    }
    for (size_t i = 0; i < 3; i++) {
        BT_TRY(bufs[i].status);
    }
    finding.message = bt_buf_str(&bufs[0]);
    finding.params = bufs[1].len > 2 ? bt_buf_str(&bufs[1]) : BT_STR("");
    finding.pointer = bt_buf_str(&bufs[2]);
    return bt_findings_add(findings, &finding);
}

enum bt_status bt_schema_compile_errors_add(struct bt_schema_compile_errors *problems,
                                            const struct bt_schema_compile_error *problem)
{
    problems->count++;
    if (!problems->findings) {
        return BT_OK;
    }
    struct bt_buf bufs[3];
    for (size_t i = 0; i < 3; i++) {
        bt_buf_init(&bufs[i], SIZE_MAX);
    }
    const enum bt_status status = add_problem_finding(problems->findings, problem, bufs);
    for (size_t i = 0; i < 3; i++) {
        bt_buf_free(&bufs[i]);
    }
    return status;
}
