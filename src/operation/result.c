/* SPDX-License-Identifier: Apache-2.0 */
/* result.c - the results of operations. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/clock.h"
#include "json/emit.h"
#include "operation/operation.h"
#include "operation/problem.h"

enum { NAME_BYTES_SHOWN = 200, PROBLEM_BYTES_MAX = 64 << 20 };

bool bt_caller_represents(const struct bt_caller *caller, bt_str agent)
{
    for (size_t i = 0; i < caller->agent_count; i++) {
        if (bt_str_eq(caller->agents[i], agent)) {
            return true;
        }
    }
    return caller->agent_count == 0;
}

/* Set the body "CODE at POINTER: text", without what is absent. */
static enum bt_status set_text(struct bt_call *work, enum bt_problem problem, bt_str pointer,
                               const char *format, va_list arguments) BT_PRINTF(4, 0);

static enum bt_status set_text(struct bt_call *work, enum bt_problem problem, bt_str pointer,
                               const char *format, va_list arguments)
{
    struct bt_result *answer = work->answer;
    char text[512];
    int at = 0;
    if (problem) {
        at = snprintf(text, sizeof(text), "%.*s%s%.*s: ", BT_STR_ARG(bt_problems[problem].code),
                      pointer.len > 0 ? " at " : "", BT_STR_ARG(bt_str_slice(pointer, 0, 256)));
    }
    assert(at >= 0 && at < (int)sizeof(text));
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): every caller has begun it */
    const int length = vsnprintf(text + at, sizeof(text) - (size_t)at, format, arguments);
    assert(length >= 0);
    (void)length;
    bt_buf_clear(&answer->body);
    bt_buf_put_text(&answer->body, text);
    answer->code = BT_STR("");
    answer->problem = problem;
    answer->pointer = pointer;
    answer->reason_at = (size_t)at;
    return BT_OK;
}

bt_str bt_result_pointer(struct bt_call *work, const char *format, ...)
{
    char text[256];
    bt_str pointer;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    assert(length >= 0);
    (void)length;
    return bt_arena_copy(work->arena, bt_str_of(text), &pointer) == BT_OK ? pointer : BT_STR("");
}

void bt_result_set_refused(struct bt_call *work, const struct bt_finding *why,
                           const struct bt_findings *findings, bt_str record)
{
    struct bt_result *answer = work->answer;
    answer->kind = ANSWER_REFUSED;
    answer->status = bt_finding_http_status(why);
    answer->code = why->rule->code;
    answer->findings = findings;
    answer->record = record;
}

enum bt_status bt_result_set_problem(struct bt_call *work, enum bt_problem problem, bt_str pointer,
                                     const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const enum bt_status status = set_text(work, problem, pointer, format, arguments);
    va_end(arguments);
    work->answer->kind = ANSWER_UNUSABLE;
    return status;
}

enum bt_status bt_result_refuse_argument(struct bt_call *work, bt_str name, const char *why)
{
    (void)bt_result_set_problem(
        work, BT_PROBLEM_PARAMETER_INVALID,
        bt_result_pointer(work, "/%.*s", BT_STR_ARG(bt_str_slice(name, 0, NAME_BYTES_SHOWN))), "%s",
        why);
    return BT_EINVAL;
}

enum bt_status bt_result_set_unreadable(struct bt_call *work, const struct bt_findings *findings,
                                        const char *why)
{
    assert(bt_findings_count(findings) > 0);
    const struct bt_finding *first = bt_findings_at(findings, 0);
    BT_TRY(bt_result_set_problem(work, BT_PROBLEM_NONE, BT_STR(""), "%.*s: %s",
                                 BT_STR_ARG(first->rule->code), why));
    work->answer->code = first->rule->code;
    work->answer->status = bt_finding_http_status(first);
    work->answer->findings = findings;
    return BT_OK;
}

enum bt_status bt_result_set_unknown(struct bt_call *work)
{
    BT_TRY(bt_result_set_problem(work, BT_PROBLEM_OUTCOME_UNKNOWN, BT_STR(""),
                                 "it may have been recorded"));
    work->answer->kind = ANSWER_FAILED;
    return BT_OK;
}

enum bt_status bt_result_set_failed(struct bt_call *work, enum bt_problem problem,
                                    const char *format, ...)
{
    const struct bt_ledger *ledger = work->service->ledger;
    if (problem == BT_PROBLEM_STORE_UNAVAILABLE && ledger && bt_ledger_commit_is_unknown(ledger)) {
        return bt_result_set_unknown(work);
    }
    va_list arguments;
    va_start(arguments, format);
    const enum bt_status status = set_text(work, problem, BT_STR(""), format, arguments);
    va_end(arguments);
    work->answer->kind = ANSWER_FAILED;
    return status;
}

/* The pointer to a part of the request: options have no prefix, as in a query. */
static bt_str shown_pointer(bt_str pointer)
{
    static const bt_str options = BT_STR_INIT("/options");
    const bool is_option = bt_str_starts_with(pointer, BT_STR("/options/"));
    const bt_str shown = bt_str_slice(pointer, is_option ? options.len : 0, pointer.len);
    return bt_str_slice(shown, 0, NAME_BYTES_SHOWN + 1);
}

static void put_findings(struct bt_buf *buf, const struct bt_findings *findings)
{
    struct bt_emit emit;
    bt_buf_put_text(buf, "\"findings\":");
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_array(&emit);
    bt_findings_emit(&emit, findings);
    bt_emit_end(&emit);
}

enum bt_status bt_result_find_problem(struct bt_call *work, enum bt_problem *out,
                                      bt_str *out_members)
{
    const struct bt_result *answer = work->answer;
    const bt_str text = bt_buf_str(&answer->body);
    const bt_str reason = bt_str_slice(text, answer->reason_at, text.len);
    struct bt_buf buf;
    *out = answer->problem                 ? answer->problem
           : answer->kind == ANSWER_FAILED ? BT_PROBLEM_INTERNAL
                                           : BT_PROBLEM_BAD_REQUEST;
    bt_buf_init(&buf, PROBLEM_BYTES_MAX);
    if (*out == BT_PROBLEM_SCOPE_MISSING) {
        bt_buf_printf(&buf, "\"scope\":\"%.*s\"",
                      BT_STR_ARG(bt_str_slice(answer->pointer, 1, answer->pointer.len)));
    } else if (answer->problem && answer->findings) {
        put_findings(&buf, answer->findings);
    } else if (*out == BT_PROBLEM_PARAMETER_INVALID) {
        bt_problem_put_finding(&buf, *out, shown_pointer(answer->pointer), reason, answer->params);
    } else if (!answer->problem && answer->kind == ANSWER_UNUSABLE) {
        bt_problem_put_finding(&buf, *out, BT_STR(""), text, BT_STR(""));
    }
    return bt_buf_finish(&buf, work->arena, out_members);
}

/* The meaning of the rule that decided, because dialects can give one code different meanings. */
static bt_str title_of(const struct bt_result *answer)
{
    for (size_t i = 0; i < bt_findings_count(answer->findings); i++) {
        const struct bt_rule *rule = bt_findings_at(answer->findings, i)->rule;
        if (bt_str_eq(rule->code, answer->code)) {
            return rule->meaning;
        }
    }
    return answer->code;
}

enum bt_status bt_result_write_refusal(struct bt_call *work, const char *request_id)
{
    struct bt_result *answer = work->answer;
    struct bt_buf buf;
    if (!answer->findings) {
        return BT_OK;
    }
    const struct bt_problem_details details = {
        .code = answer->code,
        .status = answer->status,
        .title = title_of(answer),
        .detail = BT_STR("The request was judged and refused; the findings say why."),
        .request_id = request_id,
        .findings = answer->findings,
        .members = BT_STR(""),
        .record = answer->record};
    bt_buf_init(&buf, PROBLEM_BYTES_MAX);
    bt_problem_put(&buf, &details);
    bt_buf_clear(&answer->body);
    bt_buf_put(&answer->body, bt_buf_str(&buf));
    const enum bt_status status = buf.status;
    bt_buf_free(&buf);
    answer->is_problem = true;
    return status == BT_OK ? answer->body.status : status;
}

enum bt_status bt_result_set_done(struct bt_call *work)
{
    work->answer->kind = ANSWER_DONE;
    return work->answer->body.status;
}

/* Keep what a server counts of a document. */
static enum bt_status add_judged_document(struct bt_call_events *events,
                                          const struct bt_judgement *judged)
{
    if (!events) {
        return BT_OK;
    }
    const size_t count = bt_findings_count(judged->findings);
    struct bt_judged_document *document = BT_NEW(events->arena, struct bt_judged_document);
    struct bt_judged_finding *findings =
        BT_NEW_ARRAY(events->arena, struct bt_judged_finding, count + 1);
    if (!document || !findings) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        const struct bt_finding *finding = bt_findings_at(judged->findings, i);
        findings[i] =
            (struct bt_judged_finding){finding->rule->code, bt_severity_name(finding->severity)};
    }
    *document = (struct bt_judged_document){.dialect = bt_dialect_name(judged->dialect),
                                            .verdict = bt_verdict_name(judged->verdict),
                                            .judged_ns = bt_clock_monotonic_ns(),
                                            .tokens = judged->tokens,
                                            .findings = findings,
                                            .finding_count = count};
    struct bt_judged_document **end = &events->judged;
    while (*end) {
        end = &(*end)->next;
    }
    *end = document;
    return BT_OK;
}

enum bt_status bt_result_set_report(struct bt_call *work, const struct bt_judgement *judged,
                                    size_t count, bt_str members)
{
    const struct bt_report_render_options options = {.format = BT_REPORT_FORMAT_JSON,
                                                     .extra_members = members};
    struct bt_buf *body = &work->answer->body;
    struct bt_report *report = bt_report_new(work->arena);
    if (!report) {
        return BT_ENOMEM;
    }
    work->answer->verdict = BT_VERDICT_ACCEPTED;
    work->answer->dialect = judged[0].dialect;
    for (size_t i = 0; i < count; i++) {
        BT_TRY(bt_report_add(report, &judged[i]));
        BT_TRY(add_judged_document(bt_call_events_of(work), &judged[i]));
        if (judged[i].verdict == BT_VERDICT_REJECTED) {
            work->answer->verdict = BT_VERDICT_REJECTED;
        }
    }
    bt_buf_clear(body);
    BT_TRY(bt_report_render(report, &options, body));
    body->len--; /* without the line feed */
    work->answer->kind = ANSWER_DONE;
    return BT_OK;
}
