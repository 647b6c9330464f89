/* SPDX-License-Identifier: Apache-2.0 */
/* write.c - put items in the deterministic encoding. */
#include <assert.h>

#include "base/buf.h"
#include "cbor/cbor.h"

void bt_cbor_put_head(struct bt_buf *buf, enum bt_cbor_type type, uint64_t number)
{
    assert(buf);
    const unsigned size = number < 24            ? 0
                          : number <= UINT8_MAX  ? 1
                          : number <= UINT16_MAX ? 2
                          : number <= UINT32_MAX ? 4
                                                 : 8;
    const unsigned low = size == 0   ? (unsigned)number
                         : size == 1 ? 24
                         : size == 2 ? 25
                         : size == 4 ? 26
                                     : 27;
    bt_buf_put_char(buf, (char)((unsigned)type << 5 | low));
    for (unsigned i = size; i > 0; i--) {
        bt_buf_put_char(buf, (char)(number >> 8 * (i - 1)));
    }
}

void bt_cbor_put_integer(struct bt_buf *buf, int64_t number)
{
    if (number < 0) {
        bt_cbor_put_head(buf, BT_CBOR_NEGATIVE, (uint64_t)(-1 - number));
    } else {
        bt_cbor_put_head(buf, BT_CBOR_UNSIGNED, (uint64_t)number);
    }
}

void bt_cbor_put_string(struct bt_buf *buf, enum bt_cbor_type type, bt_str content)
{
    assert(type == BT_CBOR_BYTES || type == BT_CBOR_TEXT);
    bt_cbor_put_head(buf, type, content.len);
    bt_buf_put(buf, content);
}
