/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrap_text.c - prose for a terminal: wrapped at a width, indented.
 */
#include "operation/wrap_text.h"

#include <assert.h>

#include "base/buf.h"
#include "base/str.h"

enum { LINE_BYTES_MAX = 400 };

void bt_text_put_wrapped(struct bt_buf *buf, bt_str text, size_t at, size_t indent)
{
    assert(buf);
    bool begun = false; /* this line already has a word */
    for (size_t from = 0; from < text.len;) {
        const size_t end = bt_str_find_byte(text, ' ', from);
        const bt_str word = bt_str_slice(text, from, end);
        const size_t width = bt_utf8_count(word);
        if (begun && at + 1 + width > TEXT_COLUMNS) {
            bt_buf_put_char(buf, '\n');
            bt_buf_put_repeat(buf, ' ', indent);
            at = indent;
            begun = false;
        }
        if (begun) {
            bt_buf_put_char(buf, ' ');
            at++;
        }
        bt_buf_put(buf, word);
        at += width;
        begun = true;
        from = end + 1;
    }
    bt_buf_put_char(buf, '\n');
}

void bt_text_put_lines(struct bt_buf *buf, bt_str text, size_t indent)
{
    assert(buf);
    for (size_t from = 0; from < text.len;) {
        const size_t end = bt_str_find_byte(text, '\n', from);
        bt_buf_put_repeat(buf, ' ', indent);
        bt_buf_put_printable(buf, bt_str_slice(text, from, end), LINE_BYTES_MAX);
        bt_buf_put_char(buf, '\n');
        from = end + 1;
    }
}
