/* SPDX-License-Identifier: Apache-2.0 */
/* result.c - the results of operations. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/clock.h"
#include "operation/operation.h"
#include "operation/problem.h"

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
