/* SPDX-License-Identifier: Apache-2.0 */
/* cursor.c - find values by pointers that come in the order of the document. */
#include "json/cursor.h"

#include <assert.h>

#include "base/str.h"
#include "json/pointer.h"

void bt_json_cursor_init(struct bt_json_cursor *cursor, const struct bt_json_doc *document)
{
    *cursor = (struct bt_json_cursor){.document = document};
    bt_buf_init(&cursor->pointer, SIZE_MAX);
}

void bt_json_cursor_free(struct bt_json_cursor *cursor)
{
    bt_buf_free(&cursor->pointer);
}

void bt_json_cursor_set_document(struct bt_json_cursor *cursor, const struct bt_json_doc *document)
{
    cursor->document = document;
    cursor->holder = NULL;
}

/* Without memory for its pointer, a holder is found anew each time. */
static bool is_at(const struct bt_json_cursor *cursor, bt_str pointer)
{
    return cursor->holder && cursor->pointer.status == BT_OK &&
           bt_str_eq(bt_buf_str(&cursor->pointer), pointer);
}

static void enter_holder(struct bt_json_cursor *cursor, bt_str pointer)
{
    if (!is_at(cursor, pointer)) {
        cursor->holder = bt_json_resolve(cursor->document, bt_json_root(cursor->document), pointer);
        cursor->next = 0;
        bt_buf_clear(&cursor->pointer);
        bt_buf_put(&cursor->pointer, pointer);
    }
}

static const bt_json_value *find_member(struct bt_json_cursor *cursor, bt_str token)
{
    const size_t count = bt_json_count(cursor->holder);
    for (size_t i = 0; i < count; i++) {
        const size_t index = (cursor->next + i) % count;
        const struct bt_json_member *member = &bt_json_members(cursor->holder)[index];
        if (bt_json_pointer_token_equals(token, bt_json_name(member))) {
            cursor->next = index + 1;
            return &member->value;
        }
    }
    return NULL;
}

const bt_json_value *bt_json_cursor_find(struct bt_json_cursor *cursor, bt_str pointer)
{
    assert(cursor->document);
    if (pointer.len == 0) {
        return bt_json_root(cursor->document);
    }
    const bt_str token = bt_str_after_last(pointer, '/');
    enter_holder(cursor, bt_str_slice(pointer, 0, pointer.len - token.len - 1));
    if (!cursor->holder) {
        return NULL;
    }
    if (bt_json_type(cursor->holder) == BT_JSON_OBJECT) {
        return find_member(cursor, token);
    }
    size_t index = 0;
    if (!bt_json_pointer_index(token, &index) || index >= bt_json_count(cursor->holder)) {
        return NULL;
    }
    cursor->next = index + 1;
    return &bt_json_items(cursor->holder)[index];
}
