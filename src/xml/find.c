/* SPDX-License-Identifier: Apache-2.0 */
/*
 * find.c - looking at a tree: children, text, paths.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "xml/chars.h"
#include "xml/xml.h"

static struct bt_xml_node *element_from(struct bt_xml_node *node)
{
    while (node && node->is_text) {
        node = node->next;
    }
    return node;
}

struct bt_xml_node *bt_xml_first(const struct bt_xml_node *element)
{
    assert(element);
    return element_from(element->first);
}

struct bt_xml_node *bt_xml_next(const struct bt_xml_node *element)
{
    assert(element);
    return element_from(element->next);
}

bool bt_xml_is(const struct bt_xml_node *element, bt_str space, bt_str name)
{
    assert(element);
    return bt_str_eq(element->name, name) && bt_str_eq(element->space, space);
}

struct bt_xml_node *bt_xml_next_element(const struct bt_xml_node *node,
                                        const struct bt_xml_node *top)
{
    assert(node);
    if (node->first) {
        return node->first;
    }
    while (node != top && !node->next) {
        node = node->parent;
    }
    return node == top ? NULL : node->next;
}

bool bt_xml_is_blank(bt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (!bt_xml_blank(text.ptr[i])) {
            return false;
        }
    }
    return true;
}

bt_str bt_xml_trim(bt_str text)
{
    size_t from = 0;
    size_t to = text.len;
    while (from < to && bt_xml_blank(text.ptr[from])) {
        from++;
    }
    while (to > from && bt_xml_blank(text.ptr[to - 1])) {
        to--;
    }
    return bt_str_slice(text, from, to);
}

enum bt_status bt_xml_text(struct bt_arena *arena, const struct bt_xml_node *element, bt_str *out)
{
    assert(element);
    assert(out);
    size_t runs = 0;
    size_t length = 0;
    bt_str only = BT_STR("");
    for (const struct bt_xml_node *node = element->first; node; node = node->next) {
        if (node->is_text) {
            only = node->name;
            runs++;
            length += node->name.len;
        }
    }
    if (runs < 2) {
        *out = only;
        return BT_OK;
    }
    char *text = bt_arena_alloc(arena, length);
    BT_TRY(text ? BT_OK : BT_ENOMEM);
    size_t at = 0;
    for (const struct bt_xml_node *node = element->first; node; node = node->next) {
        if (node->is_text) {
            memcpy(text + at, node->name.ptr, node->name.len);
            at += node->name.len;
        }
    }
    *out = (bt_str){text, length};
    return BT_OK;
}

/* By name, then by place. */
static int compare_nodes(const void *a, const void *b)
{
    const struct bt_xml_node *const *left = a;
    const struct bt_xml_node *const *right = b;
    const int order = bt_str_compare((*left)->name, (*right)->name);
    return order != 0 ? order
                      : ((*left)->offset > (*right)->offset) - ((*left)->offset < (*right)->offset);
}

/* Give every child its ordinal. Done once for an element, so that many paths cost little. */
static enum bt_status number_children(struct bt_arena *arena, struct bt_xml_node *parent)
{
    size_t count = 0;
    for (struct bt_xml_node *node = bt_xml_first(parent); node; node = bt_xml_next(node)) {
        count++;
    }
    const struct bt_arena_mark mark = bt_arena_mark(arena);
    struct bt_xml_node **children = BT_NEW_ARRAY(arena, struct bt_xml_node *, count);
    BT_TRY(children ? BT_OK : BT_ENOMEM);
    size_t i = 0;
    for (struct bt_xml_node *node = bt_xml_first(parent); node; node = bt_xml_next(node)) {
        children[i++] = node;
    }
    qsort(children, count, sizeof(struct bt_xml_node *), compare_nodes);
    for (i = 1; i < count; i++) {
        if (bt_str_eq(children[i]->name, children[i - 1]->name)) {
            children[i - 1]->ordinal += children[i - 1]->ordinal == 0;
            children[i]->ordinal = children[i - 1]->ordinal + 1;
        }
    }
    bt_arena_rewind(arena, mark);
    parent->is_numbered = true;
    return BT_OK;
}

enum bt_status bt_xml_put_path(struct bt_buf *buf, struct bt_arena *arena,
                               const struct bt_xml_node *element)
{
    const struct bt_xml_node *steps[BT_XML_DEPTH_MAX];
    size_t count = 0;
    for (const struct bt_xml_node *node = element; node; node = node->parent) {
        assert(count < BT_XML_DEPTH_MAX);
        if (node->parent && !node->parent->is_numbered) {
            BT_TRY(number_children(arena, node->parent));
        }
        steps[count++] = node;
    }
    while (count > 0) {
        const struct bt_xml_node *node = steps[--count];
        bt_buf_put_char(buf, '/');
        bt_buf_put(buf, node->name);
        if (node->ordinal > 0) {
            bt_buf_put_char(buf, '[');
            bt_buf_put_u64(buf, node->ordinal);
            bt_buf_put_char(buf, ']');
        }
    }
    return buf->status;
}
