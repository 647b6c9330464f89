/* SPDX-License-Identifier: Apache-2.0 */
/* refusal.c - a refusal as a tool result, so that the model can act on it. */
#include "base/buf.h"
#include "json/emit.h"
#include "report/findings.h"
#include "wrap/call.h"
#include "wrap/session_internal.h"

enum { TEXT_BYTES_MAX = 4096, LINES_MAX = 20 };

/* Findings that refuse are HARD. */
static const struct bt_finding *next_refusing(const struct bt_findings *findings, size_t *at)
{
    while (*at < bt_findings_count(findings)) {
        const struct bt_finding *finding = bt_findings_at(findings, (*at)++);
        if (finding->severity == BT_SEVERITY_HARD) {
            return finding;
        }
    }
    return NULL;
}

/* Put a text without characters that nobody sees, as far as there is room for whole ones. */
static void put_visible(struct bt_buf *buf, bt_str text)
{
    enum { CHARACTER_BYTES_MAX = 12 };
    for (size_t at = 0; at < text.len && buf->len + CHARACTER_BYTES_MAX < TEXT_BYTES_MAX;) {
        at += bt_buf_put_visible_char(buf, text, at);
    }
}

static void put_line_end(struct bt_buf *buf)
{
    if (buf->len < TEXT_BYTES_MAX) {
        bt_buf_put_char(buf, '\n');
    }
}

static bool is_about_schema(const struct bt_finding *finding)
{
    return finding->rule->stage == BT_STAGE_SCHEMA;
}

/* The first finding with its hint; for arguments and results a line for each. */
static void put_text(struct bt_buf *buf, const struct bt_findings *findings, size_t from)
{
    size_t at = from;
    const struct bt_finding *first = next_refusing(findings, &at);
    put_visible(buf, BT_STR("Refused by baton: "));
    put_visible(buf, first->rule->code);
    put_visible(buf, BT_STR(": "));
    put_visible(buf, first->message);
    const struct bt_finding *finding = next_refusing(findings, &at);
    for (size_t line = 1; line < LINES_MAX && finding && is_about_schema(first); line++) {
        put_line_end(buf);
        put_visible(buf, finding->rule->code);
        put_visible(buf, BT_STR(": "));
        put_visible(buf, finding->message);
        finding = next_refusing(findings, &at);
    }
    if (first->hint.len > 0) {
        put_line_end(buf);
        put_visible(buf, first->hint);
    }
}

static void put_findings(struct bt_emit *emit, const struct bt_findings *findings, size_t from)
{
    bt_emit_member_array(emit, "findings");
    for (size_t i = from; i < bt_findings_count(findings) && i < from + LINES_MAX; i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "code", finding->rule->code);
        bt_emit_member_string(emit, "severity", bt_severity_name(finding->severity));
        bt_emit_member_string(emit, "pointer", finding->pointer);
        bt_emit_member_string(emit, "message", finding->message);
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}

void bt_wrap_put_refusal(struct bt_emit *emit, const struct bt_findings *findings, size_t from,
                         bool is_modern)
{
    struct bt_buf text;
    size_t at = from;
    const struct bt_finding *first = next_refusing(findings, &at);
    bt_buf_init(&text, TEXT_BYTES_MAX);
    put_text(&text, findings, from);
    bt_emit_begin_object(emit);
    if (is_modern) {
        bt_emit_member_string(emit, "resultType", BT_STR("complete"));
    }
    bt_emit_member_array(emit, "content");
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "type", BT_STR("text"));
    bt_emit_member_string(emit, "text", bt_buf_str(&text));
    bt_emit_end(emit);
    bt_emit_end(emit);
    bt_emit_member_bool(emit, "isError", true);
    bt_emit_member_object(emit, "_meta");
    bt_emit_member_object(emit, "baton/refusal");
    bt_emit_member_string(emit, "code", first->rule->code);
    put_findings(emit, findings, from);
    bt_emit_end(emit);
    bt_emit_end(emit);
    bt_emit_end(emit);
    bt_buf_free(&text);
}

void bt_wrap_put_refusal_canonical(struct bt_buf *out, bool is_modern,
                                   const struct bt_findings *findings, size_t from)
{
    struct bt_buf text;
    struct bt_emit emit;
    bt_buf_init(&text, TEXT_BYTES_MAX);
    put_text(&text, findings, from);
    bt_emit_init(&emit, out, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_array(&emit, "content");
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "text", bt_buf_str(&text));
    bt_emit_member_string(&emit, "type", BT_STR("text"));
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    bt_emit_member_bool(&emit, "isError", true);
    if (is_modern) {
        bt_emit_member_string(&emit, "resultType", BT_STR("complete"));
    }
    bt_emit_end(&emit);
    bt_buf_free(&text);
}

struct bt_wrap_answer bt_wrap_refusal_answer(const struct bt_wrap_id *id,
                                             const struct bt_finding *finding)
{
    struct bt_wrap_answer answer = {.id = id,
                                    .error = BT_WRAP_ERROR_HIDDEN,
                                    .code = finding->code,
                                    .message = finding->message};
    if (finding->code == BT_CODE_WRAP_RECORD_FAILED) {
        answer.error = BT_WRAP_ERROR_REFUSED;
    } else if (finding->code == BT_CODE_WRAP_BLOCKED) {
        answer.error = BT_WRAP_ERROR_REFUSED;
        answer.message = BT_WRAP_BLOCKED_TEXT;
    } else if (finding->code == BT_CODE_WRAP_DENIED) { /* a request of the server */
        answer.error = BT_WRAP_ERROR_METHOD;
        answer.message = BT_STR("Method not found");
    }
    return answer;
}

void bt_wrap_put_error_canonical(struct bt_buf *out, const struct bt_wrap_answer *answer)
{
    struct bt_emit emit;
    bt_emit_init(&emit, out, false);
    bt_emit_begin_object(&emit);
    bt_emit_name(&emit, "code");
    bt_emit_i64(&emit, answer->error);
    bt_emit_member_object(&emit, "data");
    bt_emit_member_object(&emit, "baton");
    bt_emit_member_string(&emit, "code", bt_code_name(answer->code));
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    bt_emit_member_string(&emit, "message", answer->message);
    bt_emit_end(&emit);
}

void bt_wrap_answer_refusal(struct bt_buf *out, const struct bt_wrap_id *id, bool is_modern,
                            const struct bt_findings *findings, size_t from)
{
    struct bt_emit emit;
    bt_emit_init(&emit, out, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "jsonrpc", BT_STR("2.0"));
    bt_emit_name(&emit, "id");
    bt_emit_value(&emit);
    bt_wrap_id_put(out, id);
    bt_emit_name(&emit, "result");
    bt_wrap_put_refusal(&emit, findings, from, is_modern);
    bt_emit_end(&emit);
    bt_buf_put_char(out, '\n');
}
