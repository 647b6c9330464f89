/* SPDX-License-Identifier: Apache-2.0 */
/* layout.c - lay out a JSON text for reading without reading it. */
#include "json/layout.h"

#include "base/buf.h"
#include "json/peek.h"

/* The end of the string that begins at `from`. */
static size_t skip_string(bt_str text, size_t from)
{
    size_t at = from + 1;
    while (at < text.len && text.ptr[at] != '"') {
        at += text.ptr[at] == '\\' ? 2 : 1;
    }
    return at + 1;
}

static size_t skip_spaces(bt_str text, size_t at)
{
    while (at < text.len && bt_json_is_space(text.ptr[at])) {
        at++;
    }
    return at;
}

static void put_line(struct bt_buf *buf, size_t depth)
{
    bt_buf_put_char(buf, '\n');
    bt_buf_put_repeat(buf, ' ', 2 * depth);
}

void bt_json_put_layout(struct bt_buf *buf, bt_str text)
{
    size_t depth = 0;
    for (size_t at = skip_spaces(text, 0); at < text.len;) {
        const char byte = text.ptr[at];
        size_t end = byte == '"' ? skip_string(text, at) : at + 1;
        const size_t next = skip_spaces(text, end);
        const char follows = next < text.len ? text.ptr[next] : '\0';
        const bool opens = byte == '{' || byte == '[';
        const bool is_empty = opens && (follows == '}' || follows == ']');
        end = is_empty ? next + 1 : end;
        bt_buf_put(buf, is_empty ? (byte == '{' ? BT_STR("{}") : BT_STR("[]"))
                                 : bt_str_slice(text, at, end));
        depth += opens && !is_empty ? 1 : 0;
        at = skip_spaces(text, end);
        const bool closes = at < text.len && (text.ptr[at] == '}' || text.ptr[at] == ']');
        if (byte == ':') {
            bt_buf_put_char(buf, ' ');
        } else if (closes) {
            depth -= depth > 0 ? 1 : 0;
            put_line(buf, depth);
        } else if ((opens && !is_empty) || byte == ',') {
            put_line(buf, depth);
        }
    }
    bt_buf_put_char(buf, '\n');
}
