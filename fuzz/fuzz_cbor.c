/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_cbor.c - any bytes, checked as deterministic CBOR.
 *
 * Promises: what is accepted has one spelling, so writing its items again gives the same bytes; the
 * items of a container are whole and accepted themselves; a map's members are found by their keys.
 */
#include "base/buf.h"
#include "cbor/cbor.h"
#include "fuzz.h"

/* Write the heads and strings again, one after the other. */
static void write_again(struct bt_buf *buf, bt_str rest)
{
    while (rest.len > 0) {
        const struct bt_cbor_item item = bt_cbor_read(rest);
        const bool is_string = item.type == BT_CBOR_BYTES || item.type == BT_CBOR_TEXT;
        if (is_string) {
            bt_cbor_put_string(buf, item.type, item.content);
        } else {
            bt_cbor_put_head(buf, item.type, item.number);
        }
        const size_t end =
            (size_t)(item.content.ptr - rest.ptr) + (is_string ? item.content.len : 0);
        rest = bt_str_slice(rest, end, rest.len);
    }
}

static void members_are_found(bt_str map, const struct bt_cbor_item *item)
{
    bt_str rest = item->content;
    for (uint64_t i = 0; i < item->number; i++) {
        bt_str key;
        bt_str value;
        bt_str found;
        PROMISE(bt_cbor_next(&rest, &key));
        PROMISE(bt_cbor_next(&rest, &value));
        PROMISE(!bt_cbor_check(key));
        PROMISE(!bt_cbor_check(value));
        const struct bt_cbor_item name = bt_cbor_read(key);
        if (name.type == BT_CBOR_UNSIGNED && name.number <= INT64_MAX) {
            PROMISE(bt_cbor_find(map, (int64_t)name.number, &found));
            PROMISE(found.ptr == value.ptr && found.len == value.len);
        }
    }
    PROMISE(rest.len == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bt_str bytes = fuzz_text(data, size);
    struct bt_buf buf;
    bt_str rest = bytes;
    bt_str whole;
    if (bt_cbor_check(bytes)) {
        return 0;
    }
    PROMISE(bt_cbor_next(&rest, &whole));
    PROMISE(whole.len == bytes.len && rest.len == 0);
    bt_buf_init(&buf, FUZZ_BUF_BYTES);
    write_again(&buf, bytes);
    PROMISE(bt_str_eq(bt_buf_str(&buf), bytes));
    bt_buf_free(&buf);
    const struct bt_cbor_item item = bt_cbor_read(bytes);
    if (item.type == BT_CBOR_MAP) {
        members_are_found(bytes, &item);
        fuzz_plant_overflow(data, size);
    }
    return 0;
}
