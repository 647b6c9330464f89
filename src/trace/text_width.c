/* SPDX-License-Identifier: Apache-2.0 */
/* text_width.c - fit untrusted names into a given number of columns. */
#include <assert.h>

#include "report/display_width.h"
#include "trace/views.h"

/* The longest beginning that has at most so many columns. */
static bt_str truncate_to_columns(bt_str visible, size_t columns)
{
    size_t at = 0;
    size_t used = 0;
    while (at < visible.len) {
        const struct bt_display_char glyph = bt_display_char_at(visible, at);
        used += bt_display_char_columns(glyph.code_point);
        if (used > columns) {
            break;
        }
        at += glyph.bytes;
    }
    return bt_str_slice(visible, 0, at);
}

size_t bt_trace_name_columns(bt_str name)
{
    struct bt_buf visible;
    bt_buf_init(&visible, SIZE_MAX);
    bt_buf_put_printable(&visible, name, BT_NAME_SHOWN);
    const size_t columns = bt_display_columns(bt_buf_str(&visible));
    bt_buf_free(&visible);
    return columns;
}

size_t bt_trace_put_truncated(struct bt_buf *buf, bt_str name, size_t columns, bt_escape_fn *escape)
{
    assert(columns >= 3);
    struct bt_buf visible;
    bt_buf_init(&visible, SIZE_MAX);
    bt_buf_put_printable(&visible, name, BT_NAME_SHOWN);
    bt_str shown = bt_buf_str(&visible);
    const bool fits = bt_display_columns(shown) <= columns;
    shown = fits ? shown : truncate_to_columns(shown, columns - 3);
    for (size_t at = 0; at < shown.len;) {
        at += escape(buf, shown, at);
    }
    bt_buf_put_text(buf, fits ? "" : "...");
    const size_t used = bt_display_columns(shown) + (fits ? 0 : 3);
    buf->status = buf->status == BT_OK ? visible.status : buf->status;
    bt_buf_free(&visible);
    return used;
}
