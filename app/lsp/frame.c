/* SPDX-License-Identifier: Apache-2.0 */
/* frame.c - frames of the protocol. */
#include "lsp/frame.h"

#include "base/ascii.h"
#include "lsp/lsp.h"

/* A media type whose charset, if it names one, is UTF-8. */
static bool is_known_type(bt_str value)
{
    size_t from = bt_str_find_byte(value, ';', 0);
    while (from < value.len) {
        const size_t end = bt_str_find_byte(value, ';', from + 1);
        const bt_str parameter =
            bt_ascii_trim(bt_str_slice(value, from + 1, end), bt_ascii_is_blank);
        const size_t equals = bt_str_find_byte(parameter, '=', 0);
        const bt_str charset =
            bt_ascii_trim(bt_str_slice(parameter, equals + 1, parameter.len), bt_ascii_is_blank);
        if (bt_ascii_equal_nocase(
                bt_ascii_trim(bt_str_slice(parameter, 0, equals), bt_ascii_is_blank),
                BT_STR("charset")) &&
            !bt_ascii_equal_nocase(charset, BT_STR("utf-8")) &&
            !bt_ascii_equal_nocase(charset, BT_STR("utf8"))) {
            return false;
        }
        from = end;
    }
    return true;
}

/*
 * Take one line of the header; *out_length is set by the line that gives it. Other fields than the
 * two of the protocol have no effect. False: malformed.
 */
static bool take_line(bt_str line, uint64_t *out_length)
{
    const size_t colon = bt_str_find_byte(line, ':', 0);
    const bt_str name = bt_str_slice(line, 0, colon);
    const bt_str value = bt_ascii_trim(bt_str_slice(line, colon + 1, line.len), bt_ascii_is_blank);
    if (colon == line.len) {
        return false;
    }
    if (bt_ascii_equal_nocase(name, BT_STR("content-length"))) {
        return *out_length == 0 && bt_str_to_u64(value, out_length) == BT_OK && *out_length > 0 &&
               *out_length <= LSP_FRAME_BYTES_MAX;
    }
    return !bt_ascii_equal_nocase(name, BT_STR("content-type")) || is_known_type(value);
}

enum lsp_frame_result lsp_frame_read(bt_str bytes, struct lsp_frame *out)
{
    uint64_t length = 0;
    size_t from = 0;
    for (;;) { /* ends, because every line moves `from` towards the limit of the header */
        const size_t feed = bt_str_find_byte(bytes, '\n', from);
        if (feed >= LSP_HEADER_BYTES_MAX) {
            return LSP_FRAME_MALFORMED;
        }
        if (feed == bytes.len) {
            return LSP_FRAME_INCOMPLETE;
        }
        if (feed == from || bytes.ptr[feed - 1] != '\r') {
            return LSP_FRAME_MALFORMED;
        }
        const bt_str line = bt_str_slice(bytes, from, feed - 1);
        from = feed + 1;
        if (line.len == 0) {
            break;
        }
        if (!take_line(line, &length)) {
            return LSP_FRAME_MALFORMED;
        }
    }
    if (length == 0) {
        return LSP_FRAME_MALFORMED;
    }
    if (bytes.len - from < length) {
        return LSP_FRAME_INCOMPLETE;
    }
    *out = (struct lsp_frame){bt_str_slice(bytes, from, from + length), from + length};
    return LSP_FRAME_COMPLETE;
}

void lsp_frame_put(struct bt_buf *buf, bt_str content)
{
    bt_buf_printf(buf, "Content-Length: %zu\r\n\r\n", content.len);
    bt_buf_put(buf, content);
}
