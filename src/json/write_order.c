/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write_order.c - the order in which the canonical forms write the members of an object.
 *
 * RFC 8785 sorts names by UTF-16 code units. Bytes of UTF-8 compare like code points, which differs
 * in one place: U+E000 to U+FFFF (first byte EE or EF) stand behind what UTF-16 writes with
 * surrogates (first byte F0 and above). So moving these two bytes to the end makes bytes compare
 * like code units; they are first bytes only.
 *
 * JavaScript lists names that are array indices first, in rising order, then all others as they
 * came.
 */
#include "json/write.h"

#include <assert.h>

#include "base/str.h"

static unsigned utf16_rank(char byte)
{
    const unsigned char value = (unsigned char)byte;
    return value == 0xee || value == 0xef ? value + 0x10U : value;
}

static int compare_utf16(bt_str a, bt_str b)
{
    const size_t shared = a.len < b.len ? a.len : b.len;
    for (size_t i = 0; i < shared; i++) {
        if (a.ptr[i] != b.ptr[i]) {
            return utf16_rank(a.ptr[i]) < utf16_rank(b.ptr[i]) ? -1 : 1;
        }
    }
    return (a.len > b.len) - (a.len < b.len);
}

/* The first four bytes decide most comparisons; a name that ends before them counts as zeros. */
static uint32_t utf16_key(bt_str name)
{
    uint32_t key = 0;
    for (size_t i = 0; i < 4; i++) {
        key = key << 8 | (i < name.len ? utf16_rank(name.ptr[i]) : 0);
    }
    return key;
}

/* An array index, 0 to 2^32-2 without leading zeros, or 2^32-1 for every other name. */
static uint32_t index_key(bt_str name)
{
    uint64_t index = 0;
    const bool other = name.len > 10 || (name.len > 1 && name.ptr[0] == '0') ||
                       bt_str_to_u64(name, &index) != BT_OK || index > UINT32_MAX;
    return other ? UINT32_MAX : (uint32_t)index;
}

static bool is_sorted(const struct bt_json_member_key *keys, size_t count,
                      const struct bt_json_member *members, bt_json_name_order_fn *order)
{
    for (size_t i = 1; i < count; i++) {
        if (keys[i - 1].key > keys[i].key) {
            return false;
        }
        if (order && keys[i - 1].key == keys[i].key &&
            order(bt_json_name(&members[i - 1]), bt_json_name(&members[i])) > 0) {
            return false;
        }
    }
    return true;
}

/* The value of the first member whose name holds a lone surrogate, or NULL. */
static const bt_json_value *find_lone_name(const bt_json_value *object)
{
    const struct bt_json_member *members = object->as.members;
    for (size_t i = 0; i < bt_json_count(object); i++) {
        if (bt_utf8_check(bt_json_name(&members[i])) != members[i].name_size) {
            return &members[i].value;
        }
    }
    return NULL;
}

enum bt_status bt_json_writer_order(struct bt_json_writer *writer,
                                    const struct bt_json_doc *document)
{
    struct bt_json_write_frame *frame = writer->top;
    assert(frame->value->type == BT_JSON_OBJECT);
    const struct bt_json_member *members = frame->value->as.members;
    const size_t count = bt_json_count(frame->value);
    const bool canonical = writer->form == BT_JSON_FORM_CANONICAL;
    if (!canonical && writer->form != BT_JSON_FORM_STRINGIFY) {
        return BT_OK;
    }
    if (canonical && bt_json_has_lone_surrogate(document)) {
        writer->culprit = find_lone_name(frame->value);
        BT_TRY(bt_json_writer_status(writer));
    }
    frame->keys = bt_json_scratch_reserve(&frame->room, writer->arena, count, sizeof(*frame->keys));
    if (!frame->keys) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        const bt_str name = bt_json_name(&members[i]);
        frame->keys[i].key = canonical ? utf16_key(name) : index_key(name);
        frame->keys[i].index = (uint32_t)i;
    }
    bt_json_name_order_fn *order = canonical ? compare_utf16 : NULL;
    frame->reordered = !is_sorted(frame->keys, count, members, order);
    if (!frame->reordered) {
        return BT_OK;
    }
    struct bt_json_member_key *spare =
        bt_json_scratch_reserve(&writer->spare, writer->arena, count, sizeof(*spare));
    if (!spare) {
        return BT_ENOMEM;
    }
    bt_json_members_sort(frame->keys, spare, count, members, order);
    return BT_OK;
}
