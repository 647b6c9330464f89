/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buf.h - what only the library itself does with buffers.
 */
#ifndef BATON_SRC_BASE_BUF_H
#define BATON_SRC_BASE_BUF_H

#include <baton/base.h>

/* Copy the content into an arena and free the buffer, in every case. BT_ENOMEM, or the buffer's own
 * failure: *out is unchanged. */
BT_MUST_USE enum bt_status bt_buf_finish(struct bt_buf *buf, struct bt_arena *arena, bt_str *out);
/* As bt_buf_finish(), but a `status` of filling the buffer other than BT_OK is returned instead. */
BT_MUST_USE enum bt_status bt_buf_finish_if(enum bt_status status, struct bt_buf *buf,
                                            struct bt_arena *arena, bt_str *out);

/*
 * Put one character of UTF-8 text, which may have lone surrogates; a character that is a control or
 * that a person cannot see is put as an escape of JSON, \u202e. Returns its length in the text.
 */
size_t bt_buf_put_visible_char(struct bt_buf *buf, bt_str text, size_t from);

#endif
