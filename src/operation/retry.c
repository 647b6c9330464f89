/* SPDX-License-Identifier: Apache-2.0 */
/*
 * retry.c - a report -> the text that tells a model what to correct. The text depends on the
 * request alone, and nothing in a report can reorder it, hide a part of it or add lines.
 */
#include <inttypes.h>

#include "base/buf.h"
#include "json/emit.h"
#include "operation/operation.h"

enum {
    LINES_MAX = 20,
    LINE_BYTES_MAX = 400,
    ALLOWED_MAX = 10,
    LIMIT_DEFAULT = 3,
    TEXT_BYTES_MAX = 1 << 20,
};

static const bt_str truncated_mark = BT_STR_INIT("...");

/* A report while its text is written. */
struct bt_op_retry {
    struct bt_call *call;
    const struct bt_json_doc *report;
    struct bt_buf text;
    struct bt_buf line; /* one line, with what must be escaped */
    size_t found;       /* findings that the text is about */
    bt_str codes[LINES_MAX];
    size_t code_count;
};

/* ---- A line ---------------------------------------------------------------------------------- */

static bt_str text_of(const struct bt_op_retry *retry, const bt_json_value *object,
                      const char *name)
{
    const bt_json_value *value = bt_json_get(retry->report, object, bt_str_of(name));
    return value && bt_json_type(value) == BT_JSON_STRING ? bt_json_text(value) : BT_STR("");
}

static bool ends_sentence(bt_str text)
{
    return bt_str_ends_with(text, BT_STR(".")) || bt_str_ends_with(text, BT_STR("!")) ||
           bt_str_ends_with(text, BT_STR("?"));
}

static void put_sentence(struct bt_op_retry *retry, const char *before, bt_str text)
{
    bt_buf_put_text(&retry->line, before);
    bt_buf_put(&retry->line, text);
    bt_buf_put_text(&retry->line, ends_sentence(text) ? "" : ".");
}

/* The values that a finding allows; NULL: it does not say. */
static const bt_json_value *find_allowed(const struct bt_op_retry *retry,
                                         const bt_json_value *finding)
{
    const bt_json_value *params = bt_json_get(retry->report, finding, BT_STR("params"));
    const bt_json_value *allowed =
        params ? bt_json_get(retry->report, params, BT_STR("allowed")) : NULL;
    return allowed || !params ? allowed : bt_json_get(retry->report, params, BT_STR("expected"));
}

static enum bt_status put_allowed(struct bt_op_retry *retry, const bt_json_value *finding)
{
    const bt_json_value *allowed = find_allowed(retry, finding);
    const bool is_list = allowed && bt_json_type(allowed) == BT_JSON_ARRAY;
    const size_t count = is_list ? bt_json_count(allowed) : allowed ? 1 : 0;
    for (size_t i = 0; i < count && i < ALLOWED_MAX; i++) {
        bt_buf_put_text(&retry->line, i == 0 ? " Allowed: " : ", ");
        BT_TRY(bt_json_write(&retry->line, retry->report,
                             is_list ? &bt_json_items(allowed)[i] : allowed, BT_JSON_FORM_COMPACT,
                             retry->call->arena, NULL));
    }
    bt_buf_put_text(&retry->line, count > 0 ? "." : "");
    return BT_OK;
}

/* Add the line to the text, escaped, and truncated between two characters. */
static enum bt_status add_line(struct bt_op_retry *retry)
{
    const bt_str line = bt_buf_str(&retry->line);
    const size_t begin = retry->text.len;
    size_t kept = begin;
    for (size_t i = 0; i < line.len && retry->text.len - begin <= LINE_BYTES_MAX;) {
        i += bt_buf_put_visible_char(&retry->text, line, i);
        if (retry->text.len - begin <= LINE_BYTES_MAX - truncated_mark.len) {
            kept = retry->text.len;
        }
    }
    if (retry->text.len - begin > LINE_BYTES_MAX) {
        retry->text.len = kept;
        bt_buf_put(&retry->text, truncated_mark);
    }
    bt_buf_put_char(&retry->text, '\n');
    return retry->line.status == BT_OK ? retry->text.status : retry->line.status;
}

static void add_code(struct bt_op_retry *retry, bt_str code)
{
    for (size_t i = 0; i < retry->code_count; i++) {
        if (bt_str_eq(retry->codes[i], code)) {
            return;
        }
    }
    retry->codes[retry->code_count++] = code;
}

static enum bt_status add_finding(struct bt_op_retry *retry, const bt_json_value *finding)
{
    const bt_str pointer = text_of(retry, finding, "pointer");
    const bt_str hint = text_of(retry, finding, "hint");
    if (retry->found++ >= LINES_MAX) {
        return BT_OK;
    }
    add_code(retry, text_of(retry, finding, "code"));
    bt_buf_clear(&retry->line);
    bt_buf_printf(&retry->line, "%zu. ", retry->found);
    bt_buf_put(&retry->line, text_of(retry, finding, "code"));
    bt_buf_put_text(&retry->line, " at ");
    bt_buf_put(&retry->line, pointer.len > 0 ? pointer : BT_STR("the whole document"));
    put_sentence(retry, ": ", text_of(retry, finding, "message"));
    BT_TRY(put_allowed(retry, finding));
    if (hint.len > 0) {
        put_sentence(retry, " Hint: ", hint);
    }
    return add_line(retry);
}

/* ---- The text -------------------------------------------------------------------------------- */

/* Add the findings of a severity. */
static enum bt_status add_severity(struct bt_op_retry *retry, const bt_json_value *findings,
                                   const char *severity)
{
    for (size_t i = 0; i < bt_json_count(findings); i++) {
        const bt_json_value *finding = &bt_json_items(findings)[i];
        if (bt_str_eq(text_of(retry, finding, "severity"), bt_str_of(severity))) {
            BT_TRY(add_finding(retry, finding));
        }
    }
    return BT_OK;
}

/* Add the findings of a document that blocked: the most severe ones. */
static enum bt_status add_document(struct bt_op_retry *retry, const bt_json_value *document)
{
    static const char *const severities[] = {"HARD", "WARN", "INFO"};
    const bt_json_value *findings = bt_json_get(retry->report, document, BT_STR("findings"));
    const size_t before = retry->found;
    for (size_t i = 0; i < 3 && retry->found == before; i++) {
        BT_TRY(add_severity(retry, findings, severities[i]));
    }
    return BT_OK;
}

static enum bt_status write_text(struct bt_op_retry *retry, uint64_t attempt, uint64_t limit)
{
    const bt_json_value *documents =
        bt_json_get(retry->report, bt_json_root(retry->report), BT_STR("documents"));
    bool is_rejected = false;
    bt_buf_printf(&retry->text,
                  "Baton refused this handoff (attempt %" PRIu64 " of %" PRIu64 ").\n", attempt,
                  limit);
    for (size_t i = 0; i < bt_json_count(documents); i++) {
        const bt_json_value *document = &bt_json_items(documents)[i];
        if (bt_str_eq(text_of(retry, document, "verdict"), bt_verdict_name(BT_VERDICT_REJECTED))) {
            is_rejected = true;
            BT_TRY(add_document(retry, document));
        }
    }
    if (retry->found > LINES_MAX) {
        bt_buf_printf(&retry->text, "and %zu more.\n", retry->found - LINES_MAX);
    }
    bt_buf_put_text(&retry->text, attempt == limit
                                      ? "This was the last attempt; a person decides now."
                                      : "Correct only these places and hand over again.");
    if (!is_rejected) {
        bt_buf_clear(&retry->text);
    }
    return retry->text.status;
}

static enum bt_status put_retry(struct bt_op_retry *retry, uint64_t attempt, uint64_t limit)
{
    struct bt_emit emit;
    BT_TRY(write_text(retry, attempt, limit));
    bt_emit_init(&emit, &retry->call->answer->body, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_object(&emit, "retry");
    bt_emit_member_string(&emit, "text", bt_buf_str(&retry->text));
    bt_emit_member_u64(&emit, "attempt", attempt);
    bt_emit_member_u64(&emit, "limit", limit);
    bt_emit_member_bool(&emit, "last", attempt == limit);
    bt_emit_member_texts(&emit, "codes", retry->codes, retry->code_count);
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    return bt_result_set_done(retry->call);
}

/* ---- The request ----------------------------------------------------------------------------- */

enum bt_status bt_op_report_write_retry(struct bt_call *call, const struct bt_args *args)
{
    const uint64_t attempt = bt_args_number(args, BT_ARG_REPORT_WRITE_RETRY_ATTEMPT, 1);
    const uint64_t limit = bt_args_number(args, BT_ARG_REPORT_WRITE_RETRY_LIMIT, LIMIT_DEFAULT);
    struct bt_op_retry retry = {.call = call};
    if (attempt > limit) {
        return bt_result_set_problem(call, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/attempt"),
                                     "it is above the limit");
    }
    BT_TRY(bt_op_read_valid(call, bt_args_source(args, BT_ARG_REPORT_WRITE_RETRY_REPORT), "report",
                            &retry.report));
    if (!retry.report) {
        return bt_result_set_problem(call, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/report"),
                                     "it is not a report; the schema `report` says what that is");
    }
    bt_buf_init(&retry.text, TEXT_BYTES_MAX);
    bt_buf_init(&retry.line, TEXT_BYTES_MAX);
    const enum bt_status status = put_retry(&retry, attempt, limit);
    bt_buf_free(&retry.text);
    bt_buf_free(&retry.line);
    return status;
}
