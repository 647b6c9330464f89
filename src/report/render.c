/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render.c - the table of formats, and what the renderers share.
 */
#include "report/render.h"

#include <assert.h>
#include <inttypes.h>

#include "base/sized.h"

static const struct report_render_format {
    bt_str name;
    bt_render_fn *render;
} formats[BT_REPORT_FORMAT__MAX] = {
    [BT_REPORT_FORMAT_FULL] = {BT_STR_INIT("full"), bt_report_render_full},
    [BT_REPORT_FORMAT_CONCISE] = {BT_STR_INIT("concise"), bt_report_render_concise},
    [BT_REPORT_FORMAT_JSON] = {BT_STR_INIT("json"), bt_report_render_json},
    [BT_REPORT_FORMAT_JSONL] = {BT_STR_INIT("jsonl"), bt_report_render_jsonl},
    [BT_REPORT_FORMAT_GITHUB] = {BT_STR_INIT("github"), bt_report_render_github},
    [BT_REPORT_FORMAT_JUNIT] = {BT_STR_INIT("junit"), bt_report_render_junit},
    [BT_REPORT_FORMAT_SARIF] = {BT_STR_INIT("sarif"), bt_report_render_sarif},
    [BT_REPORT_FORMAT_MARKDOWN] = {BT_STR_INIT("markdown"), bt_report_render_markdown},
};

enum bt_status bt_report_format_parse(bt_str name, enum bt_report_format *out)
{
    assert(out);
    for (size_t i = 0; i < BT_REPORT_FORMAT__MAX; i++) {
        if (bt_str_eq(name, formats[i].name)) {
            *out = (enum bt_report_format)i;
            return BT_OK;
        }
    }
    return BT_EINVAL;
}

bt_str bt_report_format_name(enum bt_report_format format)
{
    return (size_t)format < BT_REPORT_FORMAT__MAX ? formats[format].name : BT_STR("");
}

enum bt_status bt_report_render(const struct bt_report *report,
                                const struct bt_report_render_options *how, struct bt_buf *buf)
{
    assert(report);
    assert(buf);
    struct bt_report_render_options options;
    BT_TRY(bt_sized_read(how, BT_SIZED_FIRST(struct bt_report_render_options), &options));
    if ((size_t)options.format >= BT_REPORT_FORMAT__MAX) {
        return BT_EINVAL;
    }
    formats[options.format].render(report, &options, buf);
    return buf->status;
}

void bt_report_put_escaped(struct bt_buf *buf, bt_str text, size_t max_bytes, bt_escape_fn *escape)
{
    struct bt_buf visible;
    bt_buf_init(&visible, SIZE_MAX);
    bt_buf_put_printable(&visible, text, max_bytes);
    const bt_str shown = bt_buf_str(&visible);
    for (size_t at = 0; at < shown.len;) {
        at += escape(buf, shown, at);
    }
    if (buf->status == BT_OK) {
        buf->status = visible.status;
    }
    bt_buf_free(&visible);
}

/* XML 1.0 section 2.2: of what XML refuses, visible text may still hold U+FFFE and U+FFFF. */
size_t bt_report_escape_xml(struct bt_buf *buf, bt_str text, size_t at)
{
    static const struct {
        char byte;
        const char *name;
    } entities[] = {{'&', "amp"}, {'<', "lt"}, {'>', "gt"}, {'"', "quot"}, {'\'', "apos"}};
    for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++) {
        if (text.ptr[at] == entities[i].byte) {
            bt_buf_printf(buf, "&%s;", entities[i].name);
            return 1;
        }
    }
    const bt_str next = bt_str_slice(text, at, at + 3);
    if (bt_str_eq(next, BT_STR("\xef\xbf\xbe")) || bt_str_eq(next, BT_STR("\xef\xbf\xbf"))) {
        bt_buf_put_text(buf, "\xef\xbf\xbd");
        return 3;
    }
    bt_buf_put_char(buf, text.ptr[at]);
    return 1;
}

void bt_report_put_location(struct bt_buf *buf, bt_str path, const struct bt_finding *finding)
{
    bt_buf_put_printable(buf, path, BT_PATH_SHOWN);
    if (finding->position.line > 0) {
        bt_buf_printf(buf, ":%u:%u", finding->position.line, finding->position.column);
    }
}

const char *bt_render_severity(enum bt_severity severity)
{
    if (severity == BT_SEVERITY_HARD) {
        return "error";
    }
    return severity == BT_SEVERITY_WARN ? "warning" : "info";
}

void bt_render_code(struct bt_buf *buf, const struct bt_report_render_options *options, bt_str code)
{
    /* OSC 8: the address, the text, and an empty address that ends the link. */
    if (options->docs_url.len > 0) {
        bt_buf_printf(buf, "\x1b]8;;%.*s#%.*s\x1b\\", BT_STR_ARG(options->docs_url),
                      BT_STR_ARG(code));
    }
    bt_buf_put(buf, code);
    bt_buf_put_text(buf, options->docs_url.len > 0 ? "\x1b]8;;\x1b\\" : "");
}

bool bt_render_shows(const struct bt_report_render_options *options,
                     const struct bt_finding *finding)
{
    return finding->severity >= options->quiet_below;
}

bt_str bt_render_note(const struct bt_rule *rule)
{
    return rule->note == BT_RULE_NOTE_TAMPERING
               ? BT_STR("possible tampering: keep this file as it is and find out who changed it")
           : rule->note == BT_RULE_NOTE_LEAK ? BT_STR("treat the secret as leaked and replace it")
                                             : BT_STR("");
}

void bt_report_put_line(struct bt_buf *buf, const struct bt_report_render_options *options,
                        bt_str path, const struct bt_finding *finding)
{
    bt_report_put_location(buf, path, finding);
    bt_buf_printf(buf, ": %s: ", bt_render_severity(finding->severity));
    bt_render_code(buf, options, finding->rule->code);
    bt_buf_put_char(buf, ' ');
    bt_buf_put_printable(buf, finding->message, BT_SENTENCE_SHOWN);
}

void bt_render_failure_lines(struct bt_buf *buf, const struct bt_report *report)
{
    for (size_t i = 0; i < bt_report_failure_count(report); i++) {
        const struct bt_failure *failure = bt_report_failure_at(report, i);
        bt_buf_put_printable(buf, failure->path, BT_PATH_SHOWN);
        bt_buf_put_text(buf, ": not judged: ");
        bt_buf_put_printable(buf, failure->message, BT_SENTENCE_SHOWN);
        bt_buf_put_char(buf, '\n');
    }
}

void bt_report_put_count(struct bt_buf *buf, uint64_t count, const char *noun)
{
    bt_buf_printf(buf, "%" PRIu64 " %s%s", count, noun, count == 1 ? "" : "s");
}

void bt_report_put_totals(struct bt_buf *buf, const struct bt_report *report)
{
    const struct bt_report_totals summary = bt_report_get_totals(report);
    bt_report_put_count(buf, summary.documents, "document");
    bt_buf_printf(buf, ": %" PRIu64 " accepted, %" PRIu64 " rejected (", summary.accepted,
                  summary.rejected);
    bt_report_put_count(buf, summary.hard, "error");
    bt_buf_put_text(buf, ", ");
    bt_report_put_count(buf, summary.warn, "warning");
    if (summary.info > 0) {
        bt_buf_printf(buf, ", %" PRIu64 " info", summary.info);
    }
    bt_buf_put_char(buf, ')');
    if (summary.failures > 0) {
        bt_buf_printf(buf, "; %" PRIu64 " not judged", summary.failures);
    }
    if (summary.suppressed > 0) {
        bt_buf_printf(buf, "; %" PRIu64 " suppressed", summary.suppressed);
    }
}

void bt_report_put_timed_totals(struct bt_buf *buf, const struct bt_report *report, bt_str time)
{
    bt_buf_put(buf, time);
    bt_buf_put_text(buf, time.len > 0 ? " " : "");
    bt_report_put_totals(buf, report);
    bt_buf_put_char(buf, '\n');
}
