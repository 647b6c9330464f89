/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_frame.h - the frames in which the pump and its hosts talk; bytes <-> frames, and nothing
 * else.
 *
 *     u32 length | u8 type | u64 id | body        big endian; length = 9 + bytes of the body
 *
 * A length outside 9 to 9 + BT_FRAME_BODY_MAX breaks the stream for good: nothing that follows it
 * can be trusted.
 */
#ifndef BATON_SRC_SANDBOX_HOST_FRAME_H
#define BATON_SRC_SANDBOX_HOST_FRAME_H

#include <baton/base.h>

#define BT_FRAME_HEAD_BYTES 13
#define BT_FRAME_BODY_MAX 2097152
/* The most that is ever held of one frame. */
#define BT_FRAME_BYTES_MAX (BT_FRAME_HEAD_BYTES + BT_FRAME_BODY_MAX)

enum bt_host_frame_type {
    BT_HOST_FRAME_NONE = 0,
    BT_HOST_FRAME_HELLO,
    BT_HOST_FRAME_READY,
    BT_HOST_FRAME_CALL,
    BT_HOST_FRAME_RESULT,
    BT_HOST_FRAME_FAIL,
    BT_HOST_FRAME_CANCEL,
    BT_HOST_FRAME_BYE,
    BT_HOST_FRAME__MAX,
};

struct bt_host_frame {
    uint8_t type; /* any byte: whether it is allowed is for others to say */
    uint64_t id;
    bt_str body; /* borrowed from the bytes it was read from */
};

enum bt_host_frame_result {
    BT_FRAME_BROKEN = 0, /* the length is out of range */
    BT_FRAME_CUT,        /* more bytes are needed */
    BT_FRAME_WHOLE,
};

/* Read the frame at *offset and, when it is whole, fill *out and move *offset behind it. */
BT_MUST_USE enum bt_host_frame_result bt_host_frame_read(bt_str bytes, size_t *offset,
                                                         struct bt_host_frame *out);

/* Put a frame whose body has these bytes; a body above the maximum is our own mistake. */
void bt_host_frame_put(struct bt_buf *buf, uint8_t type, uint64_t id, bt_str body);
/* Put the head of a frame whose body, of this size, the caller puts next. */
void bt_host_frame_put_head(struct bt_buf *buf, uint8_t type, uint64_t id, size_t body_bytes);
/* Put four bytes, big endian. */
void bt_host_frame_put_u32(struct bt_buf *buf, uint32_t number);

#endif
