/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pointer.c - JSON Pointers: which value a text names, and texts that name values (RFC 6901).
 */
#include "json/pointer.h"

#include <assert.h>
#include <string.h>

#include <baton/json.h>

#include "base/buf.h"
#include "base/str.h"

bool bt_json_pointer_is_valid(bt_str pointer)
{
    if (pointer.len == 0) {
        return true;
    }
    if (pointer.ptr[0] != '/') {
        return false;
    }
    size_t tilde = bt_str_find_byte(pointer, '~', 0);
    while (tilde < pointer.len) {
        const char next = tilde + 1 < pointer.len ? pointer.ptr[tilde + 1] : '\0';
        if (next != '0' && next != '1') {
            return false;
        }
        tilde = bt_str_find_byte(pointer, '~', tilde + 2);
    }
    return true;
}

bool bt_json_pointer_next(bt_str *pointer, bt_str *out_token)
{
    if (pointer->len == 0) {
        return false;
    }
    assert(pointer->ptr[0] == '/');
    const size_t end = bt_str_find_byte(*pointer, '/', 1);
    *out_token = bt_str_slice(*pointer, 1, end);
    *pointer = bt_str_slice(*pointer, end, pointer->len);
    return true;
}

/* The byte that the token means at `*from`, which moves behind it. */
static char next_byte(bt_str token, size_t *from)
{
    const char byte = token.ptr[(*from)++];
    if (byte != '~') {
        return byte;
    }
    assert(*from < token.len);
    return token.ptr[(*from)++] == '0' ? '~' : '/';
}

bool bt_json_pointer_token_equals(bt_str token, bt_str name)
{
    size_t from = 0;
    size_t i = 0;
    while (from < token.len && i < name.len) {
        if (next_byte(token, &from) != name.ptr[i++]) {
            return false;
        }
    }
    return from == token.len && i == name.len;
}

enum bt_status bt_json_pointer_unescape(bt_str token, struct bt_arena *arena, bt_str *out)
{
    if (bt_str_find_byte(token, '~', 0) == token.len) {
        *out = token;
        return BT_OK;
    }
    char *text = bt_arena_alloc(arena, token.len);
    if (!text) {
        return BT_ENOMEM;
    }
    size_t from = 0;
    size_t size = 0;
    while (from < token.len) {
        text[size++] = next_byte(token, &from);
    }
    *out = (bt_str){text, size};
    return BT_OK;
}

bool bt_json_pointer_index(bt_str token, size_t *out_index)
{
    uint64_t index = 0;
    if ((token.len > 1 && token.ptr[0] == '0') || bt_str_to_u64(token, &index) != BT_OK ||
        index > SIZE_MAX) {
        return false;
    }
    *out_index = (size_t)index;
    return true;
}

static const bt_json_value *child_named(const struct bt_json_doc *document,
                                        const bt_json_value *object, bt_str token)
{
    if (bt_str_find_byte(token, '~', 0) == token.len) {
        return bt_json_get(document, object, token);
    }
    const struct bt_json_member *members = object->as.members;
    for (size_t i = 0; i < bt_json_count(object); i++) {
        if (bt_json_pointer_token_equals(token, bt_json_name(&members[i]))) {
            return &members[i].value;
        }
    }
    return NULL;
}

static const bt_json_value *find_child(const struct bt_json_doc *document,
                                       const bt_json_value *parent, bt_str token)
{
    if (parent->type == BT_JSON_OBJECT) {
        return child_named(document, parent, token);
    }
    size_t index = 0;
    if (parent->type != BT_JSON_ARRAY || !bt_json_pointer_index(token, &index) ||
        index >= bt_json_count(parent)) {
        return NULL;
    }
    return &parent->as.items[index];
}

const bt_json_value *bt_json_resolve(const struct bt_json_doc *document, const bt_json_value *from,
                                     bt_str pointer)
{
    assert(document);
    assert(from);
    if (!bt_json_pointer_is_valid(pointer)) {
        return NULL;
    }
    const bt_json_value *value = from;
    bt_str token = BT_STR("");
    while (value && bt_json_pointer_next(&pointer, &token)) {
        value = find_child(document, value, token);
    }
    return value;
}

void bt_json_pointer_put(struct bt_buf *buf, bt_str token)
{
    bt_buf_put_char(buf, '/');
    size_t done = 0;
    for (size_t i = 0; i < token.len; i++) {
        if (token.ptr[i] == '~' || token.ptr[i] == '/') {
            bt_buf_put(buf, bt_str_slice(token, done, i));
            bt_buf_put(buf, token.ptr[i] == '~' ? BT_STR("~0") : BT_STR("~1"));
            done = i + 1;
        }
    }
    bt_buf_put(buf, bt_str_slice(token, done, token.len));
}

void bt_json_pointer_put_index(struct bt_buf *buf, size_t index)
{
    bt_buf_put_char(buf, '/');
    bt_buf_put_u64(buf, index);
}
