/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cbor.h - CBOR in its deterministic encoding (RFC 8949 section 4.2.1), read and written.
 */
#ifndef BATON_SRC_CBOR_CBOR_H
#define BATON_SRC_CBOR_CBOR_H

#include <baton/base.h>

enum { BT_CBOR_DEPTH_MAX = 16, BT_CBOR_MEMBERS_MAX = 64 };

/* The major types, with their numbers. */
enum bt_cbor_type {
    BT_CBOR_UNSIGNED = 0,
    BT_CBOR_NEGATIVE,
    BT_CBOR_BYTES,
    BT_CBOR_TEXT,
    BT_CBOR_ARRAY,
    BT_CBOR_MAP,
    BT_CBOR_TAG,
    BT_CBOR_SIMPLE,
};

enum { BT_CBOR_FALSE = 20, BT_CBOR_TRUE = 21, BT_CBOR_NULL = 22 };

/* ---- Reading --------------------------------------------------------------------------------- */

struct bt_cbor_item {
    enum bt_cbor_type type;
    /* the integer (of a negative one: -1 minus it), the length of a string, the number of items of
     * an array or of members of a map, the tag, or the simple value */
    uint64_t number;
    bt_str content; /* of a string: its bytes; otherwise everything behind the head */
};

/* NULL when the bytes are one item in the deterministic encoding, and nothing else; otherwise what
 * is wrong with them. The functions below are for bytes that passed. */
BT_MUST_USE const char *bt_cbor_check(bt_str bytes);

/* Read the head of the first item. */
struct bt_cbor_item bt_cbor_read(bt_str bytes);
/* Split the first item, with all that it contains, off the bytes. False at the end. */
BT_MUST_USE bool bt_cbor_next(bt_str *rest, bt_str *out_item);
/* Find the value of a map's member with an integer as its key. False: not a map, or no member. */
BT_MUST_USE bool bt_cbor_find(bt_str map, int64_t key, bt_str *out_value);
/* Read a string of this type, BT_CBOR_BYTES or BT_CBOR_TEXT. False: another item. */
BT_MUST_USE bool bt_cbor_read_string(bt_str item, enum bt_cbor_type type, bt_str *out);
/* True when the item is this integer. */
bool bt_cbor_is_integer(bt_str item, int64_t number);

/* ---- Writing --------------------------------------------------------------------------------- */

/* Put a head; see struct bt_cbor_item for the number. Failures stick to the buffer. */
void bt_cbor_put_head(struct bt_buf *buf, enum bt_cbor_type type, uint64_t number);
void bt_cbor_put_integer(struct bt_buf *buf, int64_t number);
void bt_cbor_put_string(struct bt_buf *buf, enum bt_cbor_type type, bt_str content);

#endif
