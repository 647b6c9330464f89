/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_frame.c - bytes <-> frames.
 */
#include "sandbox/host_frame.h"

#include <assert.h>

#include "base/buf.h"

enum { LENGTH_BYTES = 4, LENGTH_MIN = 9 };

static uint64_t number_at(const char *bytes, size_t size)
{
    uint64_t number = 0;
    for (size_t i = 0; i < size; i++) {
        number = number << 8 | (uint8_t)bytes[i];
    }
    return number;
}

static void store_big_endian(char *out, uint64_t number, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        out[i] = (char)(number >> (8 * (size - 1 - i)) & 0xff);
    }
}

enum bt_host_frame_result bt_host_frame_read(bt_str bytes, size_t *offset,
                                             struct bt_host_frame *out)
{
    assert(*offset <= bytes.len);
    const size_t there = bytes.len - *offset;
    if (there < LENGTH_BYTES) {
        return BT_FRAME_CUT;
    }
    const char *head = bytes.ptr + *offset;
    const uint64_t length = number_at(head, LENGTH_BYTES);
    if (length < LENGTH_MIN || length > LENGTH_MIN + BT_FRAME_BODY_MAX) {
        return BT_FRAME_BROKEN;
    }
    if (there < LENGTH_BYTES + length) {
        return BT_FRAME_CUT;
    }
    out->type = (uint8_t)head[LENGTH_BYTES];
    out->id = number_at(head + LENGTH_BYTES + 1, 8);
    out->body = (bt_str){head + BT_FRAME_HEAD_BYTES, (size_t)length - LENGTH_MIN};
    *offset += LENGTH_BYTES + (size_t)length;
    return BT_FRAME_WHOLE;
}

void bt_host_frame_put_head(struct bt_buf *buf, uint8_t type, uint64_t id, size_t body_bytes)
{
    assert(body_bytes <= BT_FRAME_BODY_MAX);
    char *head = bt_buf_reserve(buf, BT_FRAME_HEAD_BYTES);
    if (head) {
        store_big_endian(head, LENGTH_MIN + body_bytes, LENGTH_BYTES);
        head[LENGTH_BYTES] = (char)type;
        store_big_endian(head + LENGTH_BYTES + 1, id, 8);
        buf->len += BT_FRAME_HEAD_BYTES;
    }
}

void bt_host_frame_put_u32(struct bt_buf *buf, uint32_t number)
{
    char *room = bt_buf_reserve(buf, 4);
    if (room) {
        store_big_endian(room, number, 4);
        buf->len += 4;
    }
}

void bt_host_frame_put(struct bt_buf *buf, uint8_t type, uint64_t id, bt_str body)
{
    bt_host_frame_put_head(buf, type, id, body.len);
    bt_buf_put(buf, body);
}
