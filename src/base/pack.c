/* SPDX-License-Identifier: Apache-2.0 */
/* pack.c - numbers and texts as bytes. */
#include "base/pack.h"

#include <assert.h>

enum { GROUP_BITS = 7, GROUP_MASK = 0x7f, MORE = 0x80 };

void bt_pack_u64(struct bt_buf *buf, uint64_t number)
{
    assert(buf);
    while (number > GROUP_MASK) {
        bt_buf_put_char(buf, (char)((number & GROUP_MASK) | MORE));
        number >>= GROUP_BITS;
    }
    bt_buf_put_char(buf, (char)number);
}

void bt_pack_text(struct bt_buf *buf, bt_str text)
{
    bt_pack_u64(buf, text.len);
    bt_buf_put(buf, text);
}

uint64_t bt_unpack_u64(struct bt_unpack *from)
{
    assert(from);
    uint64_t number = 0;
    for (size_t i = 0; i < from->bytes.len && !from->is_broken && i * GROUP_BITS < 64; i++) {
        const uint64_t byte = (unsigned char)from->bytes.ptr[i];
        const uint64_t group = byte & GROUP_MASK;
        if (i * GROUP_BITS == 63 && byte > 1) {
            break; /* more than 64 bits */
        }
        number |= group << (i * GROUP_BITS);
        if (byte == group) {
            from->bytes = bt_str_slice(from->bytes, i + 1, from->bytes.len);
            return number;
        }
    }
    from->is_broken = true;
    return 0;
}

bt_str bt_unpack_bytes(struct bt_unpack *from, size_t size)
{
    assert(from);
    if (from->is_broken || size > from->bytes.len) {
        from->is_broken = true;
        return BT_STR("");
    }
    const bt_str out = bt_str_slice(from->bytes, 0, size);
    from->bytes = bt_str_slice(from->bytes, size, from->bytes.len);
    return out;
}

bt_str bt_unpack_text(struct bt_unpack *from)
{
    const uint64_t size = bt_unpack_u64(from);
    return bt_unpack_bytes(from, size < SIZE_MAX ? (size_t)size : SIZE_MAX);
}
