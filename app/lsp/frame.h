/* SPDX-License-Identifier: Apache-2.0 */
/* frame.h - frames of the protocol: header lines, an empty line, and content of a stated length. */
#ifndef BATON_APP_LSP_FRAME_H
#define BATON_APP_LSP_FRAME_H

#include <baton/base.h>

enum lsp_frame_result {
    LSP_FRAME_INCOMPLETE = 0, /* more bytes are needed */
    LSP_FRAME_COMPLETE,
    LSP_FRAME_MALFORMED, /* the next frame cannot be found */
};

/* One frame at the beginning of some bytes. */
struct lsp_frame {
    bt_str content;
    size_t size; /* of the whole frame */
};

/*
 * Read the frame at the beginning of `bytes`. A header is refused as soon as it is known to be
 * malformed or longer than LSP_HEADER_BYTES_MAX. *out is set only for a complete frame.
 */
enum lsp_frame_result lsp_frame_read(bt_str bytes, struct lsp_frame *out);

/* Put the frame of a message. */
void lsp_frame_put(struct bt_buf *buf, bt_str content);

#endif
