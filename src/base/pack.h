/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack.h - numbers and texts as bytes, for values that only this program reads again.
 *
 * A number has seven bits in each byte, the lowest first; the highest bit says that more follow. A
 * text is its size and its bytes.
 */
#ifndef BATON_SRC_BASE_PACK_H
#define BATON_SRC_BASE_PACK_H

#include "base/buf.h"

void bt_pack_u64(struct bt_buf *buf, uint64_t number);
void bt_pack_text(struct bt_buf *buf, bt_str text);

/* Packed bytes that are being read. Failure sticks: later reads give 0 and "". */
struct bt_unpack {
    bt_str bytes; /* what is left */
    bool is_broken;
};

uint64_t bt_unpack_u64(struct bt_unpack *from);
/* The text points into the packed bytes. */
bt_str bt_unpack_text(struct bt_unpack *from);
/* The next `size` bytes, or "" when there are fewer. */
bt_str bt_unpack_bytes(struct bt_unpack *from, size_t size);

#endif
