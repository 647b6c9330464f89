/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_full.c - the report for people at a terminal: what, where, the line itself, what to do.
 *
 *     error[JSON_SYNTAX]: expected a value
 *      --> handoff.json:3:9 (/a)
 *       |
 *     3 |   "a": }
 *       |        ^
 *       = help: ...
 */
#include "report/render.h"

#include "report/excerpt.h"

enum paint { PLAIN, STRONG, FRAME, GOOD, ERROR, WARNING, NOTE };

static const char *const codes[] = {
    [PLAIN] = "\x1b[0m",    [STRONG] = "\x1b[1m",     [FRAME] = "\x1b[1;34m", [GOOD] = "\x1b[1;32m",
    [ERROR] = "\x1b[1;31m", [WARNING] = "\x1b[1;33m", [NOTE] = "\x1b[1;36m",
};

struct canvas {
    struct bt_buf *buf;
    bool colour;
};

static void paint(const struct canvas *canvas, enum paint paint)
{
    if (canvas->colour) {
        bt_buf_put_text(canvas->buf, codes[paint]);
    }
}

static void put_painted(const struct canvas *canvas, enum paint colour, const char *text)
{
    paint(canvas, colour);
    bt_buf_put_text(canvas->buf, text);
    paint(canvas, PLAIN);
}

static enum paint paint_of(enum bt_severity severity)
{
    if (severity == BT_HARD) {
        return ERROR;
    }
    return severity == BT_WARN ? WARNING : NOTE;
}

static const char *word_of(enum bt_severity severity)
{
    if (severity == BT_HARD) {
        return "error";
    }
    return severity == BT_WARN ? "warning" : "info";
}

static void put_title(const struct canvas *canvas, const struct bt_finding *finding)
{
    paint(canvas, paint_of(finding->severity));
    bt_buf_put_text(canvas->buf, word_of(finding->severity));
    bt_buf_put_char(canvas->buf, '[');
    bt_buf_put(canvas->buf, finding->rule->code);
    bt_buf_put_char(canvas->buf, ']');
    paint(canvas, PLAIN);
    paint(canvas, STRONG);
    bt_buf_put_text(canvas->buf, ": ");
    bt_buf_put_visible(canvas->buf, finding->message, BT_SENTENCE_SHOWN);
    paint(canvas, PLAIN);
    bt_buf_put_char(canvas->buf, '\n');
}

static void put_place(const struct canvas *canvas, size_t gutter, bt_str path,
                      const struct bt_finding *finding)
{
    bt_buf_put_repeat(canvas->buf, ' ', gutter);
    put_painted(canvas, FRAME, "-->");
    bt_buf_put_char(canvas->buf, ' ');
    bt_render_where(canvas->buf, path, finding);
    if (finding->pointer.len > 0) {
        bt_buf_put_text(canvas->buf, " (");
        bt_buf_put_visible(canvas->buf, finding->pointer, BT_POINTER_SHOWN);
        bt_buf_put_char(canvas->buf, ')');
    }
    bt_buf_put_char(canvas->buf, '\n');
}

/* The bar of the gutter on a line that has no number. */
static void put_bar(const struct canvas *canvas, size_t gutter)
{
    bt_buf_put_repeat(canvas->buf, ' ', gutter + 1);
    put_painted(canvas, FRAME, "|");
}

static void put_source(const struct canvas *canvas, size_t gutter, bt_str source,
                       const struct bt_finding *finding)
{
    struct bt_buf *buf = canvas->buf;
    const size_t start = buf->len;
    put_bar(canvas, gutter);
    bt_buf_put_char(buf, '\n');
    paint(canvas, FRAME);
    bt_buf_put_u64(buf, finding->place.line);
    bt_buf_put_text(buf, " |");
    paint(canvas, PLAIN);
    bt_buf_put_char(buf, ' ');
    size_t caret = 0;
    if (!bt_excerpt_put(buf, source, finding, &caret)) {
        buf->len = start;
        return;
    }
    bt_buf_put_char(buf, '\n');
    put_bar(canvas, gutter);
    bt_buf_put_repeat(buf, ' ', caret + 1);
    put_painted(canvas, paint_of(finding->severity), "^");
    bt_buf_put_char(buf, '\n');
}

static void put_note(const struct canvas *canvas, size_t gutter, const char *kind, bt_str text)
{
    bt_buf_put_repeat(canvas->buf, ' ', gutter + 1);
    put_painted(canvas, FRAME, "=");
    bt_buf_put_char(canvas->buf, ' ');
    put_painted(canvas, STRONG, kind);
    bt_buf_put_text(canvas->buf, ": ");
    bt_buf_put_visible(canvas->buf, text, BT_SENTENCE_SHOWN);
    bt_buf_put_char(canvas->buf, '\n');
}

static size_t digits_of(uint32_t number)
{
    size_t digits = 1;
    while (number >= 10) {
        number /= 10;
        digits++;
    }
    return digits;
}

static void put_finding(const struct canvas *canvas, const struct bt_judged *document,
                        const struct bt_finding *finding)
{
    const size_t gutter = digits_of(finding->place.line);
    put_title(canvas, finding);
    put_place(canvas, gutter, document->path, finding);
    put_source(canvas, gutter, document->source, finding);
    if (finding->hint.len > 0) {
        put_note(canvas, gutter, "help", finding->hint);
    }
    if (finding->security) {
        put_note(canvas, gutter, "note", BT_STR("this is a security event"));
    }
    if (finding->fix == BT_FIX_SAFE) {
        put_note(canvas, gutter, "note", BT_STR("fixable with --fix"));
    } else if (finding->fix == BT_FIX_UNSAFE) {
        put_note(canvas, gutter, "note", BT_STR("fixable with --fix --unsafe-fixes"));
    }
    bt_buf_put_char(canvas->buf, '\n');
}

static void put_clean(const struct canvas *canvas, const struct bt_judged *document)
{
    if (document->verdict == BT_ACCEPTED) {
        put_painted(canvas, GOOD, "ok");
    } else {
        bt_buf_put(canvas->buf, bt_verdict_name(document->verdict));
    }
    bt_buf_put_char(canvas->buf, ' ');
    bt_buf_put_visible(canvas->buf, document->path, BT_PATH_SHOWN);
    bt_buf_put_text(canvas->buf, " (");
    bt_buf_put_visible(canvas->buf, document->dialect, BT_PATH_SHOWN);
    bt_buf_put_text(canvas->buf, ")\n");
}

void bt_render_full(const struct bt_report *report, const struct bt_render_options *options,
                    struct bt_buf *buf)
{
    const struct canvas canvas = {buf, options->colour};
    for (size_t i = 0; i < bt_report_count(report); i++) {
        const struct bt_judged *document = bt_report_at(report, i);
        const size_t count = bt_findings_count(document->findings);
        for (size_t j = 0; j < count; j++) {
            put_finding(&canvas, document, bt_findings_at(document->findings, j));
        }
        if (count == 0) {
            put_clean(&canvas, document);
        }
    }
    bt_render_summary(buf, report);
    bt_buf_put_char(buf, '\n');
}
