/* SPDX-License-Identifier: Apache-2.0 */
/*
 * edit.c - going into an edit by pointer, and changing it there.
 */
#include "json/edit.h"

#include <assert.h>

#include "base/arena.h"
#include "json/doc.h"
#include "json/edit_node.h"
#include "json/equal.h"
#include "json/pointer.h"

void bt_json_edit_init(struct bt_json_edit *edit, const struct bt_json_doc *document, uint64_t work,
                       struct bt_arena *arena)
{
    *edit = (struct bt_json_edit){
        .arena = arena,
        .seed = bt_json_hash_combine(document->seed[0], document->seed[1]),
        .may_be_lone = bt_json_has_lone_surrogate(document),
        .work_left = work,
        .root = bt_slot_of((bt_ref){document, bt_json_root(document)}),
    };
}

void bt_json_edit_share(bt_json_edit_slot slot)
{
    if (!slot.document) {
        slot.as.node->shared = true;
    }
}

static struct bt_json_edit_member member_of(const struct bt_json_edit *edit, bt_str name,
                                            bt_json_edit_slot slot)
{
    assert(name.ptr);
    return (struct bt_json_edit_member){
        .name = name.ptr,
        .name_size = (uint32_t)name.len,
        .name_hash = bt_json_edit_hash(edit, name),
        .slot = slot,
    };
}

static enum bt_status fill_from_array(struct bt_json_edit *edit, bt_ref from,
                                      struct bt_json_edit_node *node)
{
    const size_t count = bt_json_count(from.value);
    BT_TRY(bt_json_edit_array_init(edit, &node->as.array, count));
    struct bt_json_edit_cursor cursor = {.node = node};
    for (size_t i = 0; i < count; i++) {
        bt_str name;
        *bt_json_edit_cursor_next(&cursor, &name) =
            bt_slot_of((bt_ref){from.document, &from.value->as.items[i]});
    }
    return BT_OK;
}

static enum bt_status fill_from_object(struct bt_json_edit *edit, bt_ref from,
                                       struct bt_json_edit_node *node)
{
    const size_t count = bt_json_count(from.value);
    BT_TRY(bt_json_edit_object_init(edit, &node->as.object, count));
    for (size_t i = 0; i < count; i++) {
        const struct bt_json_member *source = &from.value->as.members[i];
        const bt_json_edit_slot slot = bt_slot_of((bt_ref){from.document, &source->value});
        const struct bt_json_edit_member member = member_of(edit, bt_json_name(source), slot);
        BT_TRY(bt_json_edit_object_append(edit, &node->as.object, &member));
    }
    return BT_OK;
}

static enum bt_status fill_from_node(struct bt_json_edit *edit,
                                     const struct bt_json_edit_node *from,
                                     struct bt_json_edit_node *node)
{
    const bool is_array = node->type == BT_JSON_ARRAY;
    if (is_array) {
        BT_TRY(bt_json_edit_array_init(edit, &node->as.array, from->as.array.count));
    } else {
        BT_TRY(bt_json_edit_object_init(edit, &node->as.object, from->as.object.count));
    }
    struct bt_json_edit_cursor source = {.node = from};
    struct bt_json_edit_cursor target = {.node = node};
    bt_str name;
    const bt_json_edit_slot *slot = NULL;
    while ((slot = bt_json_edit_cursor_next(&source, &name)) != NULL) {
        bt_json_edit_share(*slot);
        if (is_array) {
            *bt_json_edit_cursor_next(&target, &name) = *slot;
        } else {
            const struct bt_json_edit_member member = member_of(edit, name, *slot);
            BT_TRY(bt_json_edit_object_append(edit, &node->as.object, &member));
        }
    }
    return BT_OK;
}

/* Turn a container into a node, if it is not one yet. BT_ENOENT: it is not a container. */
static enum bt_status open_slot(struct bt_json_edit *edit, bt_json_edit_slot *slot)
{
    if (!slot->document) {
        return BT_OK;
    }
    const bt_ref from = {slot->document, slot->as.value};
    if (from.value->type < BT_JSON_ARRAY) {
        return BT_ENOENT;
    }
    if (!bt_json_edit_use_budget(edit, 1 + bt_json_count(from.value))) {
        return BT_ELIMIT;
    }
    struct bt_json_edit_node *node = BT_NEW(edit->arena, struct bt_json_edit_node);
    if (!node) {
        return BT_ENOMEM;
    }
    node->type = bt_json_type(from.value);
    BT_TRY(node->type == BT_JSON_ARRAY ? fill_from_array(edit, from, node)
                                       : fill_from_object(edit, from, node));
    *slot = (bt_json_edit_slot){.document = NULL, .as = {.node = node}};
    return BT_OK;
}

/* Make a container a node that stands here only, so that it may be changed. */
static enum bt_status own_slot(struct bt_json_edit *edit, bt_json_edit_slot *slot)
{
    BT_TRY(open_slot(edit, slot));
    const struct bt_json_edit_node *from = slot->as.node;
    if (!from->shared) {
        return BT_OK;
    }
    if (!bt_json_edit_use_budget(edit, 1 + bt_json_edit_node_count(from))) {
        return BT_ELIMIT;
    }
    struct bt_json_edit_node *node = BT_NEW(edit->arena, struct bt_json_edit_node);
    if (!node) {
        return BT_ENOMEM;
    }
    node->type = from->type;
    BT_TRY(fill_from_node(edit, from, node));
    slot->as.node = node;
    return BT_OK;
}

static enum bt_status find_member(struct bt_json_edit *edit, const struct bt_json_edit_node *node,
                                  bt_str name, struct bt_json_edit_member **out)
{
    return bt_json_edit_object_find(edit, &node->as.object, name, bt_json_edit_hash(edit, name),
                                    out);
}

static enum bt_status find_child(struct bt_json_edit *edit, const struct bt_json_edit_node *node,
                                 bt_str token, bt_json_edit_slot **out)
{
    if (node->type == BT_JSON_ARRAY) {
        size_t index = 0;
        if (!bt_json_pointer_index(token, &index) || index >= node->as.array.count) {
            return BT_ENOENT;
        }
        *out = bt_json_edit_array_at(&node->as.array, index);
        return BT_OK;
    }
    bt_str name;
    BT_TRY(bt_json_pointer_unescape(token, edit->arena, &name));
    struct bt_json_edit_member *member = NULL;
    BT_TRY(find_member(edit, node, name, &member));
    if (!member) {
        return BT_ENOENT;
    }
    *out = &member->slot;
    return BT_OK;
}

enum bt_status bt_json_edit_find(struct bt_json_edit *edit, bt_str pointer, bt_json_edit_slot *out)
{
    bt_json_edit_slot *slot = &edit->root;
    bt_str token;
    while (bt_json_pointer_next(&pointer, &token)) {
        BT_TRY(open_slot(edit, slot));
        BT_TRY(find_child(edit, slot->as.node, token, &slot));
    }
    *out = *slot;
    return BT_OK;
}

/* The container that the last token of `pointer`, which is not "", speaks about, ready to be
 * changed, and that token. */
static enum bt_status find_parent(struct bt_json_edit *edit, bt_str pointer,
                                  struct bt_json_edit_node **out_node, bt_str *out_token)
{
    bt_json_edit_slot *slot = &edit->root;
    bt_str token;
    const bool some = bt_json_pointer_next(&pointer, &token);
    assert(some);
    while (some) {
        BT_TRY(own_slot(edit, slot));
        if (pointer.len == 0) {
            break;
        }
        BT_TRY(find_child(edit, slot->as.node, token, &slot));
        (void)bt_json_pointer_next(&pointer, &token);
    }
    *out_node = slot->as.node;
    *out_token = token;
    return BT_OK;
}

static enum bt_status insert_item(struct bt_json_edit *edit, struct bt_json_edit_array *array,
                                  bt_str token, bt_json_edit_slot slot)
{
    size_t index = array->count;
    if (!bt_str_eq(token, BT_STR("-")) && !bt_json_pointer_index(token, &index)) {
        return BT_ENOENT;
    }
    return index > array->count ? BT_ENOENT : bt_json_edit_array_insert(edit, array, index, slot);
}

enum bt_status bt_json_edit_add(struct bt_json_edit *edit, bt_str pointer, bt_json_edit_slot slot)
{
    if (pointer.len == 0) {
        edit->root = slot;
        return BT_OK;
    }
    struct bt_json_edit_node *parent = NULL;
    bt_str token;
    BT_TRY(find_parent(edit, pointer, &parent, &token));
    if (parent->type == BT_JSON_ARRAY) {
        return insert_item(edit, &parent->as.array, token, slot);
    }
    bt_str name;
    BT_TRY(bt_json_pointer_unescape(token, edit->arena, &name));
    struct bt_json_edit_member *member = NULL;
    BT_TRY(find_member(edit, parent, name, &member));
    if (member) {
        member->slot = slot;
        return BT_OK;
    }
    const struct bt_json_edit_member added = member_of(edit, name, slot);
    return bt_json_edit_object_append(edit, &parent->as.object, &added);
}

enum bt_status bt_json_edit_replace(struct bt_json_edit *edit, bt_str pointer,
                                    bt_json_edit_slot slot)
{
    if (pointer.len == 0) {
        edit->root = slot;
        return BT_OK;
    }
    struct bt_json_edit_node *parent = NULL;
    bt_str token;
    BT_TRY(find_parent(edit, pointer, &parent, &token));
    bt_json_edit_slot *place = NULL;
    BT_TRY(find_child(edit, parent, token, &place));
    *place = slot;
    return BT_OK;
}

enum bt_status bt_json_edit_remove(struct bt_json_edit *edit, bt_str pointer,
                                   bt_json_edit_slot *out)
{
    assert(pointer.len > 0);
    struct bt_json_edit_node *parent = NULL;
    bt_str token;
    BT_TRY(find_parent(edit, pointer, &parent, &token));
    if (parent->type == BT_JSON_ARRAY) {
        size_t index = 0;
        if (!bt_json_pointer_index(token, &index) || index >= parent->as.array.count) {
            return BT_ENOENT;
        }
        *out = bt_json_edit_array_remove(&parent->as.array, index);
        return BT_OK;
    }
    bt_str name;
    BT_TRY(bt_json_pointer_unescape(token, edit->arena, &name));
    struct bt_json_edit_member *member = NULL;
    BT_TRY(find_member(edit, parent, name, &member));
    if (!member) {
        return BT_ENOENT;
    }
    *out = member->slot;
    return bt_json_edit_object_remove(edit, &parent->as.object, member);
}
