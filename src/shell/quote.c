/* SPDX-License-Identifier: Apache-2.0 */
/* quote.c - words as a shell reads them back. */
#include "base/ascii.h"
#include "base/buf.h"
#include "shell/shell.h"

static bool is_plain(bt_str word)
{
    const bt_str marks = BT_STR("_-./:@%+=,");
    for (size_t i = 0; i < word.len; i++) {
        if (!bt_ascii_is_alnum(word.ptr[i]) &&
            bt_str_find_byte(marks, word.ptr[i], 0) == marks.len) {
            return false;
        }
    }
    return word.len > 0;
}

void bt_shell_put_word(struct bt_buf *buf, bt_str word)
{
    if (is_plain(word)) {
        bt_buf_put(buf, word);
        return;
    }
    bt_buf_put_char(buf, '\'');
    for (size_t i = 0; i < word.len; i++) {
        if (word.ptr[i] == '\'') {
            bt_buf_put_text(buf, "'\\''");
        } else {
            bt_buf_put_char(buf, word.ptr[i]);
        }
    }
    bt_buf_put_char(buf, '\'');
}
