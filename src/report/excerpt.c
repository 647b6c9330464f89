/* SPDX-License-Identifier: Apache-2.0 */
/*
 * excerpt.c - the line of a source that a finding is about, cut to what fits a terminal.
 *
 * The finding's column says where its line begins, so no line is ever searched from its start: an
 * excerpt costs the same in a line of ten bytes and in one of eight megabytes.
 */
#include "report/excerpt.h"

#include <assert.h>

#include "report/display_width.h"

enum {
    BYTES_MAX = 400, /* looked at on either side, whatever their width */
    TAB_COLUMNS = 4,
};

struct report_excerpt_line {
    bt_str source;
    size_t begin;
    size_t end;        /* of what is looked at */
    bool goes_on;      /* the line is longer than that */
    size_t indent_end; /* blanks and tabs up to here are layout, not content */
    size_t caret;
    size_t columns; /* that the excerpt may have */
};

static size_t find_indent(const struct report_excerpt_line *line)
{
    const bt_str text = bt_str_slice(line->source, 0, line->end);
    size_t at = line->begin;
    while (at < text.len && at - line->begin < BYTES_MAX &&
           (text.ptr[at] == ' ' || text.ptr[at] == '\t')) {
        at++;
    }
    return at;
}

static bool find_line(bt_str source, const struct bt_finding *finding,
                      struct report_excerpt_line *out)
{
    const size_t before = (size_t)finding->position.column - 1;
    if (finding->position.line == 0 || finding->offset == BT_OFFSET_NONE) {
        return false;
    }
    struct report_excerpt_line line = {.source = source};
    line.caret = finding->offset < source.len ? finding->offset : source.len;
    if (before > line.caret) {
        return false;
    }
    line.begin = line.caret - before;
    line.end = bt_str_find_byte(bt_str_slice(source, 0, line.caret + BYTES_MAX), '\n', line.caret);
    line.goes_on = line.end < source.len && source.ptr[line.end] != '\n';
    if (!line.goes_on && line.end > line.begin && source.ptr[line.end - 1] == '\r') {
        line.end--;
    }
    line.caret = line.caret < line.end ? line.caret : line.end;
    line.indent_end = find_indent(&line);
    *out = line;
    return true;
}

/* Put the glyph at `at`; returns its bytes in the source and sets *out_columns to its width. */
static size_t put_glyph(struct bt_buf *buf, const struct report_excerpt_line *line, size_t at,
                        size_t *out_columns)
{
    if (at < line->indent_end && line->source.ptr[at] == '\t') {
        bt_buf_put_repeat(buf, ' ', TAB_COLUMNS);
        *out_columns = TAB_COLUMNS;
        return 1;
    }
    const struct bt_display_char glyph =
        bt_display_char_at(bt_str_slice(line->source, 0, line->end), at);
    const bt_str text = bt_str_slice(line->source, at, at + glyph.bytes);
    const size_t start = buf->len;
    bt_buf_put_printable(buf, text, SIZE_MAX);
    const bt_str shown = bt_str_slice(bt_buf_str(buf), start, buf->len);
    *out_columns = bt_str_eq(shown, text) ? bt_display_char_columns(glyph.code_point) : shown.len;
    return glyph.bytes;
}

/* The start of the glyph that ends at `at`. */
static size_t step_back(const struct report_excerpt_line *line, size_t at)
{
    const bt_str text = bt_str_slice(line->source, 0, line->end);
    for (size_t bytes = 4; bytes > 1; bytes--) {
        if (at - line->begin >= bytes && bt_display_char_at(text, at - bytes).bytes == bytes) {
            return at - bytes;
        }
    }
    return at - 1;
}

/* The columns of the glyph at `at`. It is put and taken back, so that only one function knows. */
static size_t measure_columns(struct bt_buf *buf, const struct report_excerpt_line *line, size_t at,
                              size_t *out_bytes)
{
    const size_t len = buf->len;
    size_t columns = 0;
    *out_bytes = put_glyph(buf, line, at, &columns);
    buf->len = len;
    return columns;
}

/* Columns from the caret to the end of the line, as far as they may claim room: two fifths. */
static size_t columns_after(struct bt_buf *buf, const struct report_excerpt_line *line)
{
    const size_t most = line->columns * 2 / 5;
    size_t total = 0;
    size_t bytes = 0;
    for (size_t at = line->caret; at < line->end && total < most; at += bytes) {
        total += measure_columns(buf, line, at, &bytes);
    }
    return total < most ? total : most;
}

/* Where the excerpt begins, so that what stands behind the caret finds room as well. */
static size_t window_begin(struct bt_buf *buf, const struct report_excerpt_line *line)
{
    const size_t room = line->columns - columns_after(buf, line);
    size_t used = 0;
    size_t begin = line->caret;
    while (begin > line->begin && line->caret - begin < BYTES_MAX) {
        const size_t previous = step_back(line, begin);
        size_t bytes = 0;
        used += measure_columns(buf, line, previous, &bytes);
        if (used > room) {
            break;
        }
        begin = previous;
    }
    return begin;
}

bool bt_report_put_excerpt(struct bt_buf *buf, bt_str source, const struct bt_finding *finding,
                           size_t columns, size_t *out_caret)
{
    assert(buf);
    assert(finding);
    assert(out_caret);
    struct report_excerpt_line line = {0};
    if (!find_line(source, finding, &line)) {
        return false;
    }
    line.columns = columns;
    size_t at = window_begin(buf, &line);
    size_t total = 0;
    size_t caret = 0;
    if (at > line.begin) {
        bt_buf_put_text(buf, "...");
        caret = 3;
    }
    while (at < line.end && total < columns) {
        size_t width = 0;
        const bool before = at < line.caret;
        at += put_glyph(buf, &line, at, &width);
        total += width;
        caret += before ? width : 0;
    }
    if (at < line.end || line.goes_on) {
        bt_buf_put_text(buf, "...");
    }
    *out_caret = caret;
    return true;
}
