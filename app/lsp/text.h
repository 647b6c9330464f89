/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.h - positions of the protocol in a text, and changes of it.
 *
 * A text is UTF-8. A line ends with LF, CRLF or CR. A character of a position counts UTF-16 code
 * units or bytes, as was agreed with the client.
 */
#ifndef BATON_APP_LSP_TEXT_H
#define BATON_APP_LSP_TEXT_H

#include <baton/base.h>

enum lsp_encoding { LSP_ENCODING_UTF16 = 0, LSP_ENCODING_UTF8 };

/* Both from 0. */
struct lsp_position {
    uint64_t line;
    uint64_t character;
};

struct lsp_range {
    struct lsp_position start;
    struct lsp_position end;
};

/* Bytes of a text: from `begin` up to but excluding `end`. */
struct lsp_span {
    size_t begin;
    size_t end;
};

/* Negative, zero or positive as `a` is before, at or after `b`. */
int lsp_position_compare(struct lsp_position a, struct lsp_position b);

/*
 * The offset of a position. A line beyond the end means the end of the text, a character beyond its
 * line the end of that line. False: it lies inside a character; *out is then its beginning.
 */
bool lsp_offset_of(bt_str text, enum lsp_encoding encoding, struct lsp_position position,
                   size_t *out);

/* Finds positions of offsets; fastest when the offsets rise. Begin with lsp_cursor_begin(). */
struct lsp_cursor {
    bt_str text;
    enum lsp_encoding encoding;
    size_t offset;
    struct lsp_position position;
};

struct lsp_cursor lsp_cursor_begin(bt_str text, enum lsp_encoding encoding);
/* Move to an offset, which is clamped to the text, and return its position. */
struct lsp_position lsp_cursor_move(struct lsp_cursor *cursor, size_t offset);
/* The range of a span. Only its beginning moves the cursor. */
struct lsp_range lsp_cursor_range(struct lsp_cursor *cursor, struct lsp_span span);

/* The line that an offset is in, without its end. */
struct lsp_span lsp_line_at(bt_str text, size_t offset);

/*
 * Replace a span of the text by a text that was a JSON string; lone surrogates in it become U+FFFD.
 * Failures, such as a text longer than the buffer may be, stick to the buffer.
 */
void lsp_text_replace(struct bt_buf *text, struct lsp_span span, bt_str by);

#endif
