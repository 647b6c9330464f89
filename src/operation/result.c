/* SPDX-License-Identifier: Apache-2.0 */
/* result.c - the results of operations. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "operation/operation.h"

bool bt_caller_represents(const struct bt_caller *caller, bt_str agent)
{
    for (size_t i = 0; i < caller->agent_count; i++) {
        if (bt_str_eq(caller->agents[i], agent)) {
            return true;
        }
    }
    return caller->agent_count == 0;
}

static enum bt_status set_text(struct bt_call *work, enum bt_result_kind kind, const char *format,
                               va_list arguments) BT_PRINTF(3, 0);

/* Take code and pointer from the beginning of a text. Without memory there is no code. */
static void note_code(struct bt_call *work, bt_str text)
{
    static const bt_str word = BT_STR_INIT(" at ");
    struct bt_result *answer = work->answer;
    size_t end = 0;
    while (end < text.len &&
           (text.ptr[end] == '_' || (text.ptr[end] >= 'A' && text.ptr[end] <= 'Z'))) {
        end++;
    }
    const bt_str rest = bt_str_slice(text, end, text.len);
    const bool has_pointer = bt_str_starts_with(rest, word);
    answer->code = BT_STR("");
    answer->pointer = BT_STR("");
    if (end < 2 || (!has_pointer && !bt_str_starts_with(rest, BT_STR(":"))) ||
        bt_arena_copy(work->arena, bt_str_slice(text, 0, end), &answer->code) != BT_OK) {
        return;
    }
    const bt_str pointer = bt_str_slice(rest, word.len, bt_str_find_byte(rest, ':', 0));
    if (has_pointer && bt_arena_copy(work->arena, pointer, &answer->pointer) != BT_OK) {
        answer->pointer = BT_STR("");
    }
}

static enum bt_status set_body_text(struct bt_call *work, enum bt_result_kind kind,
                                    const char *text)
{
    bt_buf_clear(&work->answer->body);
    bt_buf_put_text(&work->answer->body, text);
    work->answer->kind = kind;
    note_code(work, bt_str_of(text));
    return BT_OK;
}

static enum bt_status set_text(struct bt_call *work, enum bt_result_kind kind, const char *format,
                               va_list arguments)
{
    char text[512];
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): every caller has begun it */
    const int length = vsnprintf(text, sizeof(text), format, arguments);
    assert(length >= 0);
    (void)length;
    return set_body_text(work, kind, text);
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

enum bt_status bt_result_set_problem(struct bt_call *work, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const enum bt_status status = set_text(work, ANSWER_UNUSABLE, format, arguments);
    va_end(arguments);
    return status;
}

enum bt_status bt_result_set_unreadable(struct bt_call *work, const struct bt_findings *findings,
                                        const char *why)
{
    assert(bt_findings_count(findings) > 0);
    const struct bt_finding *first = bt_findings_at(findings, 0);
    BT_TRY(bt_result_set_problem(work, "%.*s: %s", BT_STR_ARG(first->rule->code), why));
    work->answer->code = first->rule->code;
    work->answer->status = bt_finding_http_status(first);
    work->answer->findings = findings;
    return BT_OK;
}

enum bt_status bt_result_set_failed(struct bt_call *work, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    enum bt_status status = set_text(work, ANSWER_FAILED, format, arguments);
    va_end(arguments);
    const struct bt_ledger *ledger = work->service->ledger;
    if (bt_str_eq(work->answer->code, BT_STR("STORE_UNAVAILABLE")) && ledger &&
        bt_ledger_commit_is_unknown(ledger)) {
        status = set_body_text(work, ANSWER_FAILED, "OUTCOME_UNKNOWN: it may have been recorded");
    }
    return status;
}

enum bt_status bt_result_set_done(struct bt_call *work)
{
    work->answer->kind = ANSWER_DONE;
    return work->answer->body.status;
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
    for (size_t i = 0; i < count; i++) {
        BT_TRY(bt_report_add(report, &judged[i]));
        if (work->service->judged) {
            work->service->judged(work_watcher(work), &judged[i]);
        }
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
