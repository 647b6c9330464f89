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

#include <string.h>

#include "report/display_width.h"
#include "report/excerpt.h"
#include "report/skipped.h"
#include "report/statistics.h"

enum full_colour { PLAIN, STRONG, FRAME, GOOD, ERROR, WARNING, NOTE };

static const char *const codes[] = {
    [PLAIN] = "\x1b[0m",    [STRONG] = "\x1b[1m",     [FRAME] = "\x1b[1;34m", [GOOD] = "\x1b[1;32m",
    [ERROR] = "\x1b[1;31m", [WARNING] = "\x1b[1;33m", [NOTE] = "\x1b[1;36m",
};

enum {
    EXCERPT_COLUMNS = 100, /* when the width of the terminal is unknown */
    EXCERPT_COLUMNS_MIN = 24,
    EXCERPT_COLUMNS_MAX = 180,
    CUT_COLUMNS = 6,          /* of the dots on either side of an excerpt */
    TITLE_INDENT = 2,         /* of the second line of a title */
    WRAPPED_COLUMNS_MIN = 20, /* narrower than that, wrapping does not help */
};

struct full_canvas {
    struct bt_buf *buf;
    bool colour;
    size_t columns; /* 0: nothing is wrapped */
    const struct bt_report_render_options *options;
};

static void set_colour(const struct full_canvas *canvas, enum full_colour paint)
{
    if (canvas->colour) {
        bt_buf_put_text(canvas->buf, codes[paint]);
    }
}

static void put_painted(const struct full_canvas *canvas, enum full_colour colour, const char *text)
{
    set_colour(canvas, colour);
    bt_buf_put_text(canvas->buf, text);
    set_colour(canvas, PLAIN);
}

/* Put a sentence, made visible, that begins at column `at`; lines that follow are indented. */
static void put_sentence(const struct full_canvas *canvas, bt_str sentence, size_t at,
                         size_t indent)
{
    struct bt_buf *buf = canvas->buf;
    struct bt_buf text;
    if (canvas->columns < indent + WRAPPED_COLUMNS_MIN) {
        bt_buf_put_printable(buf, sentence, BT_SENTENCE_SHOWN);
        return;
    }
    bt_buf_init(&text, (size_t)8 * BT_SENTENCE_SHOWN);
    bt_buf_put_printable(&text, sentence, BT_SENTENCE_SHOWN);
    const bt_str shown = bt_buf_str(&text);
    for (size_t from = 0, end = 0; from < shown.len; from = end + 1) {
        end = bt_str_find_byte(shown, ' ', from);
        const bt_str word = bt_str_slice(shown, from, end);
        const size_t width = bt_display_columns(word);
        if (from > 0 && at + 1 + width > canvas->columns) {
            bt_buf_put_char(buf, '\n');
            bt_buf_put_repeat(buf, ' ', indent);
            at = indent;
        } else if (from > 0) {
            bt_buf_put_char(buf, ' ');
            at++;
        }
        bt_buf_put(buf, word);
        at += width;
    }
    bt_buf_free(&text);
}

static enum full_colour paint_of(enum bt_severity severity)
{
    if (severity == BT_SEVERITY_HARD) {
        return ERROR;
    }
    return severity == BT_SEVERITY_WARN ? WARNING : NOTE;
}

static void put_title(const struct full_canvas *canvas, const struct bt_finding *finding)
{
    const char *word = bt_render_severity(finding->severity);
    const size_t at = strlen(word) + strlen("[]: ") + finding->rule->code.len;
    set_colour(canvas, paint_of(finding->severity));
    bt_buf_put_text(canvas->buf, word);
    bt_buf_put_char(canvas->buf, '[');
    bt_render_code(canvas->buf, canvas->options, finding->rule->code);
    bt_buf_put_char(canvas->buf, ']');
    set_colour(canvas, PLAIN);
    set_colour(canvas, STRONG);
    bt_buf_put_text(canvas->buf, ": ");
    put_sentence(canvas, finding->message, at, TITLE_INDENT);
    set_colour(canvas, PLAIN);
    bt_buf_put_char(canvas->buf, '\n');
}

static void put_place(const struct full_canvas *canvas, size_t gutter, bt_str path,
                      const struct bt_finding *finding)
{
    bt_buf_put_repeat(canvas->buf, ' ', gutter);
    put_painted(canvas, FRAME, "-->");
    bt_buf_put_char(canvas->buf, ' ');
    bt_report_put_location(canvas->buf, path, finding);
    if (finding->pointer.len > 0) {
        bt_buf_put_text(canvas->buf, " (");
        bt_buf_put_printable(canvas->buf, finding->pointer, BT_POINTER_SHOWN);
        bt_buf_put_char(canvas->buf, ')');
    }
    bt_buf_put_char(canvas->buf, '\n');
}

/* The bar of the gutter on a line that has no number. */
static void put_bar(const struct full_canvas *canvas, size_t gutter)
{
    bt_buf_put_repeat(canvas->buf, ' ', gutter + 1);
    put_painted(canvas, FRAME, "|");
}

/* Columns of source that fit behind the gutter. */
static size_t excerpt_columns(const struct full_canvas *canvas, size_t gutter)
{
    const size_t taken = gutter + strlen(" | ") + CUT_COLUMNS;
    if (canvas->columns == 0) {
        return EXCERPT_COLUMNS;
    }
    if (canvas->columns < taken + EXCERPT_COLUMNS_MIN) {
        return EXCERPT_COLUMNS_MIN;
    }
    const size_t room = canvas->columns - taken;
    return room < EXCERPT_COLUMNS_MAX ? room : EXCERPT_COLUMNS_MAX;
}

static void put_source(const struct full_canvas *canvas, size_t gutter, bt_str source,
                       const struct bt_finding *finding)
{
    struct bt_buf *buf = canvas->buf;
    const size_t start = buf->len;
    put_bar(canvas, gutter);
    bt_buf_put_char(buf, '\n');
    set_colour(canvas, FRAME);
    bt_buf_put_u64(buf, finding->position.line);
    bt_buf_put_text(buf, " |");
    set_colour(canvas, PLAIN);
    bt_buf_put_char(buf, ' ');
    size_t caret = 0;
    if (!bt_report_put_excerpt(buf, source, finding, excerpt_columns(canvas, gutter), &caret)) {
        buf->len = start;
        return;
    }
    bt_buf_put_char(buf, '\n');
    put_bar(canvas, gutter);
    bt_buf_put_repeat(buf, ' ', caret + 1);
    put_painted(canvas, paint_of(finding->severity), "^");
    bt_buf_put_char(buf, '\n');
}

static void put_note(const struct full_canvas *canvas, size_t gutter, const char *kind, bt_str text)
{
    bt_buf_put_repeat(canvas->buf, ' ', gutter + 1);
    put_painted(canvas, FRAME, "=");
    bt_buf_put_char(canvas->buf, ' ');
    put_painted(canvas, STRONG, kind);
    bt_buf_put_text(canvas->buf, ": ");
    const size_t at = gutter + strlen(" = : ") + strlen(kind);
    put_sentence(canvas, text, at, at);
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

static void put_finding(const struct full_canvas *canvas, const struct bt_judgement *document,
                        const struct bt_finding *finding)
{
    const size_t gutter = digits_of(finding->position.line);
    put_title(canvas, finding);
    put_place(canvas, gutter, document->path, finding);
    put_source(canvas, gutter, document->source, finding);
    if (finding->hint.len > 0) {
        put_note(canvas, gutter, "help", finding->hint);
    }
    if (bt_render_note(finding->rule).len > 0) {
        put_note(canvas, gutter, "note", bt_render_note(finding->rule));
    }
    if (finding->fix == BT_FIX_SAFE) {
        put_note(canvas, gutter, "note", BT_STR("fixable with --fix"));
    } else if (finding->fix == BT_FIX_UNSAFE) {
        put_note(canvas, gutter, "note", BT_STR("fixable with --fix --unsafe-fixes"));
    }
    bt_buf_put_char(canvas->buf, '\n');
}

static void put_clean(const struct full_canvas *canvas, const struct bt_judgement *document)
{
    if (document->verdict == BT_VERDICT_ACCEPTED) {
        put_painted(canvas, GOOD, "ok");
    } else {
        bt_buf_put(canvas->buf, bt_verdict_name(document->verdict));
    }
    bt_buf_put_char(canvas->buf, ' ');
    bt_buf_put_printable(canvas->buf, document->path, BT_PATH_SHOWN);
    bt_buf_put_text(canvas->buf, " (");
    bt_buf_put_printable(canvas->buf, bt_dialect_name(document->dialect), BT_PATH_SHOWN);
    bt_buf_put_text(canvas->buf, ")\n");
}

/* The checks that were not made, wrapped like other sentences. */
static void put_skipped(const struct full_canvas *canvas, const struct bt_report *report, bool all)
{
    struct bt_buf lines;
    bt_buf_init(&lines, (size_t)BT_SENTENCE_SHOWN * BT_DIALECT__MAX);
    bt_skipped_put_lines(&lines, report, all);
    const bt_str text = bt_buf_str(&lines);
    for (size_t from = 0, end = 0; from < text.len; from = end + 1) {
        end = bt_str_find_byte(text, '\n', from);
        put_sentence(canvas, bt_str_slice(text, from, end), 0, TITLE_INDENT);
        bt_buf_put_char(canvas->buf, '\n');
    }
    bt_buf_free(&lines);
}

void bt_report_render_full(const struct bt_report *report,
                           const struct bt_report_render_options *options, struct bt_buf *buf)
{
    const struct full_canvas canvas = {buf, options->colour, options->columns, options};
    const bool is_quiet = options->quiet_below != BT_SEVERITY_NONE;
    bool follows_clean = false;
    if (options->quiet_below == BT_SEVERITY_NONE) {
        bt_render_changes(buf, report);
    }
    for (size_t i = 0; i < bt_report_count(report); i++) {
        const struct bt_judgement *document = bt_report_at(report, i);
        const size_t count = bt_findings_count(document->findings);
        if (count > 0 && follows_clean && !is_quiet) {
            bt_buf_put_char(buf, '\n');
        }
        follows_clean = count == 0 && !options->hides_clean;
        for (size_t j = 0; j < count; j++) {
            const struct bt_finding *finding = bt_findings_at(document->findings, j);
            if (bt_render_shows(options, finding)) {
                put_finding(&canvas, document, finding);
            }
        }
        if (count == 0 && !is_quiet && !options->hides_clean) {
            put_clean(&canvas, document);
        }
    }
    if (options->statistics) {
        bt_statistics_put_lines(buf, report);
    }
    bt_render_failure_lines(buf, report);
    if (options->is_verbose) {
        bt_skipped_put_notes(buf, options, report);
    }
    if (!is_quiet) {
        put_skipped(&canvas, report, options->is_verbose);
        bt_report_put_timed_totals(buf, report, options->time);
        bt_render_fix_totals(buf, report);
    }
}
