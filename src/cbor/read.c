/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - check bytes for the one encoding that CBOR items have here, and read checked items.
 */
#include <assert.h>

#include "cbor/cbor.h"

/* The lengths of a head's number, by the low bits of its first byte: 24 to 27. */
static size_t number_bytes(unsigned low)
{
    return low < 24 ? 0 : (size_t)1 << (low - 24);
}

/* Read a head. NULL, or what is wrong with it. */
static const char *read_head(bt_str bytes, struct bt_cbor_item *out)
{
    if (bytes.len == 0) {
        return "it ends too early";
    }
    const unsigned first = (unsigned char)bytes.ptr[0];
    const unsigned low = first & 31;
    if (low > 27) {
        return low == 31 ? "a length is indefinite" : "a head is reserved";
    }
    const size_t size = number_bytes(low);
    if (bytes.len - 1 < size) {
        return "it ends too early";
    }
    uint64_t number = size == 0 ? low : 0;
    for (size_t i = 0; i < size; i++) {
        number = number << 8 | (unsigned char)bytes.ptr[1 + i];
    }
    out->type = (enum bt_cbor_type)(first >> 5);
    out->number = number;
    out->content = bt_str_slice(bytes, 1 + size, bytes.len);
    if (out->type == BT_CBOR_SIMPLE) {
        return size == 0 && number >= BT_CBOR_FALSE && number <= BT_CBOR_NULL
                   ? NULL
                   : "a simple value is not false, true or null";
    }
    const uint64_t smallest = size == 0   ? 0
                              : size == 1 ? 24
                                          : UINT64_C(1) << 4 * size; /* 2^8, 2^16, 2^32 */
    return number < smallest ? "a number is not in its shortest form" : NULL;
}

static bool is_string(const struct bt_cbor_item *item)
{
    return item->type == BT_CBOR_BYTES || item->type == BT_CBOR_TEXT;
}

/* The number of items directly in this one. */
static uint64_t count_children(const struct bt_cbor_item *item)
{
    return item->type == BT_CBOR_ARRAY ? item->number
           : item->type == BT_CBOR_MAP ? 2 * item->number
           : item->type == BT_CBOR_TAG ? 1
                                       : 0;
}

/* Read a head and the content of a string. NULL, or what is wrong. */
static const char *read_item(bt_str *rest, struct bt_cbor_item *out)
{
    const char *reason = read_head(*rest, out);
    if (reason) {
        return reason;
    }
    *rest = out->content;
    if (!is_string(out)) {
        return NULL;
    }
    if (out->number > rest->len) {
        return "it ends too early";
    }
    out->content = bt_str_slice(*rest, 0, (size_t)out->number);
    *rest = bt_str_slice(*rest, (size_t)out->number, rest->len);
    return out->type == BT_CBOR_TEXT && bt_utf8_check(out->content) != out->content.len
               ? "a text is not UTF-8"
               : NULL;
}

/* An array or map that is being read. */
struct cbor_frame {
    uint64_t left; /* items that are still to come */
    bool is_map;
    bt_str last_key; /* encoded; "" before the first */
};

/* Check the order of keys: bytewise, by their encodings, each once. */
static const char *check_key(struct cbor_frame *frame, const struct bt_cbor_item *item,
                             bt_str encoded)
{
    if (item->type > BT_CBOR_TEXT) {
        return "a key is not an integer or a string";
    }
    if (bt_str_compare(frame->last_key, encoded) >= 0) {
        return "keys are not sorted, or one is repeated";
    }
    frame->last_key = encoded;
    return NULL;
}

/* Check what an array or map may have, before anything in it is read. */
static const char *check_container(const struct bt_cbor_item *item, bt_str rest, size_t depth)
{
    if (item->type == BT_CBOR_TAG) {
        return "a tag is not around the whole";
    }
    if (item->type == BT_CBOR_MAP && item->number > BT_CBOR_MEMBERS_MAX) {
        return "a map has more than 64 members";
    }
    if (item->number > rest.len) { /* every item has at least one byte */
        return "it ends too early";
    }
    return depth == BT_CBOR_DEPTH_MAX ? "it is nested deeper than 16 levels" : NULL;
}

static const char *check_items(bt_str *rest)
{
    struct cbor_frame frames[BT_CBOR_DEPTH_MAX + 1] = {{.left = 1}};
    size_t depth = 0;
    for (;;) { /* ends, because every step takes a byte or leaves a level */
        struct cbor_frame *frame = &frames[depth];
        if (frame->left == 0) {
            if (depth == 0) {
                return NULL;
            }
            depth--;
            continue;
        }
        const bt_str before = *rest;
        struct bt_cbor_item item;
        const char *reason = read_item(rest, &item);
        if (!reason && frame->is_map && frame->left % 2 == 0) {
            reason = check_key(frame, &item, bt_str_slice(before, 0, before.len - rest->len));
        }
        if (!reason && item.type >= BT_CBOR_ARRAY && item.type <= BT_CBOR_TAG) {
            reason = check_container(&item, *rest, depth);
        }
        if (reason) {
            return reason;
        }
        frame->left--;
        const uint64_t children = count_children(&item);
        if (children > 0) {
            frames[++depth] = (struct cbor_frame){
                .left = children, .is_map = item.type == BT_CBOR_MAP, .last_key = BT_STR("")};
        }
    }
}

const char *bt_cbor_check(bt_str bytes)
{
    struct bt_cbor_item tag;
    bt_str rest = bytes;
    const char *reason = read_head(bytes, &tag);
    if (!reason && tag.type == BT_CBOR_TAG) {
        rest = tag.content;
    }
    reason = reason ? reason : check_items(&rest);
    return !reason && rest.len > 0 ? "there are bytes behind its end" : reason;
}

struct bt_cbor_item bt_cbor_read(bt_str bytes)
{
    struct bt_cbor_item item = {.type = BT_CBOR_SIMPLE, .content = BT_STR("")};
    const char *reason = read_item(&bytes, &item);
    assert(!reason);
    (void)reason;
    return item;
}

bool bt_cbor_next(bt_str *rest, bt_str *out_item)
{
    assert(rest);
    assert(out_item);
    const bt_str before = *rest;
    uint64_t left = 1;
    if (rest->len == 0) {
        return false;
    }
    for (; left > 0; left--) {
        struct bt_cbor_item item;
        const char *reason = read_item(rest, &item);
        assert(!reason);
        (void)reason;
        left += count_children(&item);
    }
    *out_item = bt_str_slice(before, 0, before.len - rest->len);
    return true;
}

bool bt_cbor_find(bt_str map, int64_t key, bt_str *out_value)
{
    const struct bt_cbor_item item = bt_cbor_read(map);
    bt_str rest = item.content;
    for (uint64_t i = 0; item.type == BT_CBOR_MAP && i < item.number; i++) {
        bt_str name;
        bt_str value;
        if (!bt_cbor_next(&rest, &name) || !bt_cbor_next(&rest, &value)) {
            return false;
        }
        if (bt_cbor_is_integer(name, key)) {
            *out_value = value;
            return true;
        }
    }
    return false;
}

bool bt_cbor_read_string(bt_str bytes, enum bt_cbor_type type, bt_str *out)
{
    const struct bt_cbor_item item = bt_cbor_read(bytes);
    if (item.type != type) {
        return false;
    }
    *out = item.content;
    return true;
}

bool bt_cbor_is_integer(bt_str bytes, int64_t number)
{
    const struct bt_cbor_item item = bt_cbor_read(bytes);
    return number < 0 ? item.type == BT_CBOR_NEGATIVE && item.number == (uint64_t)(-1 - number)
                      : item.type == BT_CBOR_UNSIGNED && item.number == (uint64_t)number;
}
