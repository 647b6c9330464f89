/* SPDX-License-Identifier: Apache-2.0 */
/* text.c - positions of the protocol in a text, and changes of it. */
#include "lsp/text.h"

#include <string.h>

#include "base/buf.h"

int lsp_position_compare(struct lsp_position a, struct lsp_position b)
{
    if (a.line != b.line) {
        return a.line < b.line ? -1 : 1;
    }
    return (a.character > b.character) - (a.character < b.character);
}

/* The length of the line end at an offset; 0: there is none. */
static size_t measure_line_end(bt_str text, size_t at)
{
    if (at >= text.len || (text.ptr[at] != '\n' && text.ptr[at] != '\r')) {
        return 0;
    }
    return text.ptr[at] == '\r' && at + 1 < text.len && text.ptr[at + 1] == '\n' ? 2 : 1;
}

/* The offset of the end of the line that begins at or before `from`. */
static size_t find_line_end(bt_str text, size_t from)
{
    while (from < text.len && text.ptr[from] != '\n' && text.ptr[from] != '\r') {
        from++;
    }
    return from;
}

static bool continues_character(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* The bytes of the character at an offset, and what it counts in a position. */
static size_t measure_character(bt_str text, size_t at, enum lsp_encoding encoding,
                                uint64_t *out_units)
{
    size_t size = 1;
    while (at + size < text.len && continues_character(text.ptr[at + size])) {
        size++;
    }
    *out_units = encoding == LSP_ENCODING_UTF8 ? size : size > 3 ? 2 : 1;
    return size;
}

bool lsp_offset_of(bt_str text, enum lsp_encoding encoding, struct lsp_position position,
                   size_t *out)
{
    size_t at = 0;
    for (uint64_t line = 0; line < position.line; line++) {
        at = find_line_end(text, at);
        if (at == text.len) {
            *out = at;
            return true;
        }
        at += measure_line_end(text, at);
    }
    const size_t end = find_line_end(text, at);
    uint64_t left = position.character;
    while (at < end && left > 0) {
        uint64_t units = 0;
        const size_t size = measure_character(text, at, encoding, &units);
        if (units > left) {
            *out = at;
            return false;
        }
        left -= units;
        at += size;
    }
    *out = at;
    return true;
}

struct lsp_cursor lsp_cursor_begin(bt_str text, enum lsp_encoding encoding)
{
    return (struct lsp_cursor){.text = text, .encoding = encoding};
}

struct lsp_position lsp_cursor_move(struct lsp_cursor *cursor, size_t offset)
{
    const bt_str text = cursor->text;
    offset = offset < text.len ? offset : text.len;
    if (offset < cursor->offset) {
        *cursor = lsp_cursor_begin(text, cursor->encoding);
    }
    while (cursor->offset < offset) {
        const size_t line_end = measure_line_end(text, cursor->offset);
        if (line_end > offset - cursor->offset) {
            break; /* between CR and LF: that is the end of the line */
        }
        if (line_end > 0) {
            cursor->offset += line_end;
            cursor->position = (struct lsp_position){cursor->position.line + 1, 0};
            continue;
        }
        uint64_t units = 0;
        const size_t size = measure_character(text, cursor->offset, cursor->encoding, &units);
        if (size > offset - cursor->offset) {
            break;
        }
        cursor->offset += size;
        cursor->position.character += units;
    }
    return cursor->position;
}

struct lsp_range lsp_cursor_range(struct lsp_cursor *cursor, struct lsp_span span)
{
    const struct lsp_position start = lsp_cursor_move(cursor, span.begin);
    struct lsp_cursor ahead = *cursor;
    const struct lsp_position end = lsp_cursor_move(&ahead, span.end);
    return (struct lsp_range){start, end};
}

struct lsp_span lsp_line_at(bt_str text, size_t offset)
{
    size_t begin = offset < text.len ? offset : text.len;
    const size_t end = find_line_end(text, begin);
    while (begin > 0 && measure_line_end(text, begin - 1) == 0) {
        begin--;
    }
    return (struct lsp_span){begin, end};
}

/* Editors write U+FFFD, which is as long, for what no UTF-8 file holds. */
static void replace_surrogates(char *text, size_t size)
{
    for (size_t i = 0; i + 2 < size; i++) {
        const unsigned char *bytes = (const unsigned char *)text + i;
        if (bytes[0] == 0xed && bytes[1] >= 0xa0) {
            memcpy(text + i, "\xef\xbf\xbd", 3);
            i += 2;
        }
    }
}

void lsp_text_replace(struct bt_buf *text, struct lsp_span span, bt_str by)
{
    if (by.len > 0 && !bt_buf_reserve(text, by.len)) {
        return;
    }
    const size_t rest = text->len - span.end;
    if (rest > 0) {
        memmove(text->ptr + span.begin + by.len, text->ptr + span.end, rest);
    }
    if (by.len > 0) {
        memcpy(text->ptr + span.begin, by.ptr, by.len);
        replace_surrogates(text->ptr + span.begin, by.len);
    }
    text->len = span.begin + by.len + rest;
}
