/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render.c - the table of formats, and what the renderers share.
 */
#include "report/render.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const struct format {
    bt_str name;
    bt_render_fn *render;
} formats[BT_FORMAT__MAX] = {
    [BT_FORMAT_FULL] = {BT_STR_INIT("full"), bt_render_full},
    [BT_FORMAT_CONCISE] = {BT_STR_INIT("concise"), bt_render_concise},
    [BT_FORMAT_JSON] = {BT_STR_INIT("json"), bt_render_json},
    [BT_FORMAT_JSONL] = {BT_STR_INIT("jsonl"), bt_render_jsonl},
    [BT_FORMAT_GITHUB] = {BT_STR_INIT("github"), bt_render_github},
    [BT_FORMAT_JUNIT] = {BT_STR_INIT("junit"), bt_render_junit},
    [BT_FORMAT_SARIF] = {BT_STR_INIT("sarif"), bt_render_sarif},
    [BT_FORMAT_MARKDOWN] = {BT_STR_INIT("markdown"), bt_render_markdown},
};

enum bt_status bt_format_parse(bt_str name, enum bt_format *out)
{
    assert(out);
    for (size_t i = 0; i < BT_FORMAT__MAX; i++) {
        if (bt_str_eq(name, formats[i].name)) {
            *out = (enum bt_format)i;
            return BT_OK;
        }
    }
    return BT_EINVAL;
}

bt_str bt_format_name(enum bt_format format)
{
    return (size_t)format < BT_FORMAT__MAX ? formats[format].name : BT_STR("");
}

enum bt_status bt_report_render(const struct bt_report *report,
                                const struct bt_render_options *options, struct bt_buf *buf)
{
    assert(report);
    assert(options);
    assert(buf);
    if ((size_t)options->format >= BT_FORMAT__MAX) {
        return BT_EINVAL;
    }
    formats[options->format].render(report, options, buf);
    return buf->status;
}

void bt_render_escaped(struct bt_buf *buf, bt_str text, size_t max_bytes, bt_escape_fn *escape)
{
    struct bt_buf visible;
    bt_buf_init(&visible, SIZE_MAX);
    bt_buf_put_visible(&visible, text, max_bytes);
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
size_t bt_render_xml(struct bt_buf *buf, bt_str text, size_t at)
{
    switch (text.ptr[at]) {
    case '&':
        bt_buf_put_text(buf, "&amp;");
        return 1;
    case '<':
        bt_buf_put_text(buf, "&lt;");
        return 1;
    case '>':
        bt_buf_put_text(buf, "&gt;");
        return 1;
    case '"':
        bt_buf_put_text(buf, "&quot;");
        return 1;
    case '\'':
        bt_buf_put_text(buf, "&apos;");
        return 1;
    default:
        break;
    }
    const bt_str next = bt_str_slice(text, at, at + 3);
    if (bt_str_eq(next, BT_STR("\xef\xbf\xbe")) || bt_str_eq(next, BT_STR("\xef\xbf\xbf"))) {
        bt_buf_put_text(buf, "\xef\xbf\xbd");
        return 3;
    }
    bt_buf_put_char(buf, text.ptr[at]);
    return 1;
}

void bt_render_where(struct bt_buf *buf, bt_str path, const struct bt_finding *finding)
{
    bt_buf_put_visible(buf, path, BT_PATH_SHOWN);
    if (finding->place.line > 0) {
        bt_buf_printf(buf, ":%u:%u", finding->place.line, finding->place.column);
    }
}

void bt_render_line(struct bt_buf *buf, bt_str path, const struct bt_finding *finding)
{
    bt_render_where(buf, path, finding);
    bt_buf_put_text(buf, ": ");
    bt_buf_put(buf, finding->rule->code);
    bt_buf_put_char(buf, ' ');
    bt_buf_put_visible(buf, finding->message, BT_SENTENCE_SHOWN);
}

void bt_render_count(struct bt_buf *buf, uint64_t count, const char *noun)
{
    bt_buf_put_u64(buf, count);
    bt_buf_put_char(buf, ' ');
    bt_buf_put_text(buf, noun);
    if (count != 1) {
        bt_buf_put_char(buf, 's');
    }
}

void bt_render_summary(struct bt_buf *buf, const struct bt_report *report)
{
    const struct bt_summary summary = bt_report_summary(report);
    bt_render_count(buf, summary.documents, "document");
    bt_buf_put_text(buf, ": ");
    bt_buf_put_u64(buf, summary.accepted);
    bt_buf_put_text(buf, " accepted, ");
    bt_buf_put_u64(buf, summary.rejected);
    bt_buf_put_text(buf, " rejected (");
    bt_render_count(buf, summary.hard, "error");
    bt_buf_put_text(buf, ", ");
    bt_render_count(buf, summary.warn, "warning");
    if (summary.info > 0) {
        bt_buf_put_text(buf, ", ");
        bt_buf_put_u64(buf, summary.info);
        bt_buf_put_text(buf, " info");
    }
    bt_buf_put_char(buf, ')');
}

/* The bytes of a control at `at` that JSON does not escape: 7F, or C2 80 to C2 9F; else 0. */
static size_t control_bytes(bt_str text, size_t at)
{
    const unsigned char byte = (unsigned char)text.ptr[at];
    if (byte == 0x7f) {
        return 1;
    }
    const bool c1 = byte == 0xc2 && at + 1 < text.len && (unsigned char)text.ptr[at + 1] < 0xa0;
    return c1 ? 2 : 0;
}

void bt_render_tame(struct bt_buf *buf, size_t from)
{
    enum { ESCAPE_BYTES = 6 };
    const bt_str text = bt_str_slice(bt_buf_str(buf), from, buf->len);
    size_t growth = 0;
    if (!memchr(text.ptr, 0x7f, text.len) && !memchr(text.ptr, 0xc2, text.len)) {
        return;
    }
    for (size_t i = 0; i < text.len; i++) {
        const size_t bytes = control_bytes(text, i);
        growth += bytes > 0 ? ESCAPE_BYTES - bytes : 0;
    }
    if (growth == 0 || !bt_buf_reserve(buf, growth)) {
        return;
    }
    /* From the end, so that each byte moves once: what lies behind `to` is done. */
    char *bytes = buf->ptr + from;
    size_t to = text.len + growth;
    for (size_t at = text.len; at > 0 && to > at;) {
        const size_t control = at >= 2 && control_bytes((bt_str){bytes, at}, at - 2) == 2
                                   ? 2
                                   : control_bytes((bt_str){bytes, at}, at - 1);
        if (control == 0) {
            bytes[--to] = bytes[--at];
            continue;
        }
        char escape[ESCAPE_BYTES + 1];
        (void)snprintf(escape, sizeof(escape), "\\u00%02x", (unsigned char)bytes[at - 1]);
        to -= ESCAPE_BYTES;
        at -= control;
        memcpy(bytes + to, escape, ESCAPE_BYTES);
    }
    buf->len += growth;
}
