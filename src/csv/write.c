/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - cells as they are written.
 */
#include "csv/csv.h"

#include <assert.h>

#include "base/buf.h"

static bool needs_quotes(bt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        const char byte = text.ptr[i];
        if (byte == ',' || byte == '"' || byte == '\n' || byte == '\r') {
            return true;
        }
    }
    return false;
}

void bt_csv_put_cell(struct bt_buf *buf, bt_str text, bool is_quoted)
{
    assert(buf);
    if (!is_quoted && !needs_quotes(text)) {
        bt_buf_put(buf, text);
        return;
    }
    bt_buf_put_char(buf, '"');
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '"') {
            bt_buf_put_char(buf, '"');
        }
        bt_buf_put_char(buf, text.ptr[i]);
    }
    bt_buf_put_char(buf, '"');
}
