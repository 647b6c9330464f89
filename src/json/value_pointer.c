/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value_pointer.c - the pointer of a value, found by its place in the source.
 *
 * Children stand in the source in the order in which they stand in memory, so on each level the one
 * that holds the value is the last that begins at or before it.
 */
#include "json/value_pointer.h"

#include <assert.h>

#include "base/buf.h"
#include "json/walk.h"

static size_t child_with(const struct bt_json_doc *document, const bt_json_value *container,
                         size_t offset)
{
    size_t low = 0;
    size_t high = bt_json_count(container);
    assert(high > 0);
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (bt_json_span(document, bt_json_child(container, middle)).begin <= offset) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

void bt_json_put_value_pointer(struct bt_buf *buf, const struct bt_json_doc *document,
                               const bt_json_value *value)
{
    const size_t offset = bt_json_span(document, value).begin;
    const bt_json_value *at = bt_json_root(document);
    while (at != value) {
        const size_t index = child_with(document, at, offset);
        if (bt_json_type(at) == BT_JSON_ARRAY) {
            bt_json_pointer_put_index(buf, index);
        } else {
            bt_json_pointer_put(buf, bt_json_name(&at->as.members[index]));
        }
        at = bt_json_child(at, index);
    }
}

enum bt_status bt_json_value_pointer(const struct bt_json_doc *document, const bt_json_value *value,
                                     struct bt_arena *arena, bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    bt_json_put_value_pointer(&buf, document, value);
    return bt_buf_finish(&buf, arena, out);
}
