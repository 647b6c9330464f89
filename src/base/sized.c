/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sized.c - structs of other releases -> structs of this one.
 */
#include "base/sized.h"

#include <assert.h>

#include "base/error.h"

enum bt_status bt_sized_check_other(const void *out, struct bt_sized_layout layout)
{
    assert(out);
    const unsigned char *bytes = out;
    const size_t size = bt_sized_size(out, layout);
    if (size < layout.first || size > BT_SIZED_BYTES_MAX) {
        return BT_EINVAL;
    }
    for (size_t i = layout.known; i < size; i++) {
        if (bytes[i] != 0) {
            return BT_EINVAL;
        }
    }
    return BT_OK;
}

enum bt_status bt_sized_read_other(const void *given, struct bt_sized_layout layout, void *out)
{
    assert(layout.first <= layout.known && layout.known <= BT_SIZED_BYTES_MAX);
    if (!given) {
        memset(out, 0, layout.known);
        return BT_OK;
    }
    BT_TRY(bt_sized_check_other(given, layout));
    const size_t size = bt_sized_size(given, layout);
    memcpy(out, given, size < layout.known ? size : layout.known);
    if (size < layout.known) {
        memset((char *)out + size, 0, layout.known - size);
    }
    /* It has the layout of this release now, and may be handed on. */
    const uint32_t known = (uint32_t)layout.known;
    memcpy(out, &known, sizeof(known));
    return BT_OK;
}
