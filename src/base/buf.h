/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buf.h - buffers in the memory of their user.
 */
#ifndef BATON_SRC_BASE_BUF_H
#define BATON_SRC_BASE_BUF_H

#include <baton/base.h>

#include "base/error.h"

/*
 * Bytes that grow, up to a maximum fixed when the buffer is made.
 *
 * Failure sticks: the first put that cannot be done sets `status`, later puts do nothing, and the
 * caller checks once at the end. So a renderer needs no error handling on each line, and nothing is
 * truncated silently.
 */
struct bt_buf {
    char *ptr;
    size_t len;
    size_t capacity;
    size_t max;
    enum bt_status status;
};

/* Make an empty buffer that holds at most `max` bytes. Allocates nothing yet. */
void bt_buf_init(struct bt_buf *buf, size_t max);
/* Free the memory. The buffer is empty afterwards and may be used again. */
void bt_buf_free(struct bt_buf *buf);
void bt_buf_put_char(struct bt_buf *buf, char byte);
static inline void bt_buf_put_text(struct bt_buf *buf, const char *text)
{
    bt_buf_put(buf, bt_str_of(text));
}

void bt_buf_put_repeat(struct bt_buf *buf, char byte, size_t count);
void bt_buf_put_u64(struct bt_buf *buf, uint64_t number);
void bt_buf_printf(struct bt_buf *buf, const char *format, ...) BT_PRINTF(2, 3);
/*
 * Make room for `size` more bytes and return a pointer to it, or NULL (the failure sticks). The
 * caller writes up to `size` bytes there and adds the number written to buf->len.
 */
BT_MUST_USE char *bt_buf_reserve(struct bt_buf *buf, size_t size);
/*
 * Copy the content into an arena. Returns the buffer's own failure if it has one; BT_ENOMEM: the
 * arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_buf_copy(const struct bt_buf *buf, struct bt_arena *arena,
                                       bt_str *out);

/*
 * Put `text` so that it can be shown to a person: control characters, bytes that are not UTF-8 and
 * characters that reorder or hide text are escaped as \n, \x1b or \u{202e}. A text longer than
 * max_bytes is truncated at a character boundary and ends in "...".
 */
void bt_buf_put_printable(struct bt_buf *buf, bt_str text, size_t max_bytes);
/*
 * Put an address without its secrets: in a URL, or in a list of NAME=VALUE as libpq takes it,
 * passwords and tokens become ***. Other texts are put unchanged.
 */
void bt_buf_put_masked(struct bt_buf *buf, bt_str text);

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
