/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plain.c - bytes of a handler -> text that can be shown to an operator.
 */
#include "sandbox/plain.h"

#include "base/buf.h"
#include "base/str.h"

enum { ESCAPE_BYTES = 4 };

static bool is_control(uint32_t code_point)
{
    return (code_point < 0x20 && code_point != '\t') || (code_point >= 0x7f && code_point < 0xa0);
}

static void put_escaped(struct bt_buf *out, bt_str bytes)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < bytes.len; i++) {
        const unsigned char byte = (unsigned char)bytes.ptr[i];
        const char text[ESCAPE_BYTES] = {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
        bt_buf_put(out, (bt_str){text, sizeof(text)});
    }
}

void bt_plain_put_text(struct bt_buf *out, bt_str text)
{
    for (size_t at = 0; at < text.len;) {
        const bt_str rest = bt_str_slice(text, at, text.len);
        const size_t good = bt_utf8_check(rest);
        bt_buf_put(out, bt_str_slice(rest, 0, good));
        put_escaped(out, bt_str_slice(rest, good, good + 1));
        at += good + 1;
    }
}

void bt_plain_put(struct bt_buf *out, bt_str text)
{
    const size_t end = out->len + BT_PLAIN_BYTES_MAX;
    for (size_t at = 0; at < text.len && out->status == BT_OK;) {
        uint32_t code_point = 0;
        const bool is_utf8 = bt_utf8_check(bt_str_slice(text, at, at + 4)) > 0;
        const size_t size = is_utf8 ? bt_utf8_decode(text, at, &code_point) : 1;
        const bt_str piece = bt_str_slice(text, at, at + size);
        const bool is_plain = is_utf8 && !is_control(code_point);
        if (out->len + (is_plain ? piece.len : ESCAPE_BYTES * piece.len) > end) {
            return;
        }
        if (is_plain) {
            bt_buf_put(out, piece);
        } else {
            put_escaped(out, piece);
        }
        at += piece.len;
    }
}
