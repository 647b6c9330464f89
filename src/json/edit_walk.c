/* SPDX-License-Identifier: Apache-2.0 */
/*
 * edit_walk.c - going through a whole edit: comparing it, writing it.
 */
#include "json/edit_node.h"

#include <assert.h>

#include "base/arena.h"
#include "json/equal.h"

static bt_json_edit_slot *next_item(struct bt_json_edit_cursor *cursor)
{
    const struct bt_json_edit_array *array = &cursor->node->as.array;
    while (cursor->outer < array->run_count) {
        const struct bt_json_edit_run *run = &array->runs[cursor->outer];
        if (cursor->inner < run->count) {
            return &run->slots[cursor->inner++];
        }
        cursor->outer++;
        cursor->inner = 0;
    }
    return NULL;
}

bt_json_edit_slot *bt_json_edit_cursor_next(struct bt_json_edit_cursor *cursor, bt_str *out_name)
{
    *out_name = BT_STR("");
    if (cursor->node->type == BT_JSON_ARRAY) {
        return next_item(cursor);
    }
    const struct bt_json_edit_object *object = &cursor->node->as.object;
    while (cursor->outer < object->used) {
        struct bt_json_edit_member *member = &object->members[cursor->outer++];
        if (member->name) {
            *out_name = (bt_str){member->name, member->name_size};
            return &member->slot;
        }
    }
    return NULL;
}

/* A node and a value that are still to be compared. */
struct json_edit_walk_pending {
    struct json_edit_walk_pending *next;
    const struct bt_json_edit_node *node;
    const bt_json_value *value;
};

struct json_edit_walk_comparison {
    struct bt_json_edit *edit;
    const struct bt_json_doc *document;
    struct json_edit_walk_pending *pending;
    bool equal;
};

/* Compare at once, or put a node on the list. */
static enum bt_status compare_slot(struct json_edit_walk_comparison *comparison,
                                   bt_json_edit_slot slot, const bt_json_value *value)
{
    struct bt_arena *arena = comparison->edit->arena;
    if (slot.document) {
        return bt_ref_equal((bt_ref){slot.document, slot.as.value},
                            (bt_ref){comparison->document, value}, arena, &comparison->equal);
    }
    if (slot.as.node->type != bt_json_type(value) ||
        bt_json_edit_node_count(slot.as.node) != bt_json_count(value)) {
        comparison->equal = false;
        return BT_OK;
    }
    struct json_edit_walk_pending *pending = BT_NEW(arena, struct json_edit_walk_pending);
    if (!pending) {
        return BT_ENOMEM;
    }
    *pending = (struct json_edit_walk_pending){comparison->pending, slot.as.node, value};
    comparison->pending = pending;
    return BT_OK;
}

static enum bt_status compare_items(struct json_edit_walk_comparison *comparison,
                                    const struct json_edit_walk_pending *pair)
{
    struct bt_json_edit_cursor cursor = {.node = pair->node};
    for (size_t i = 0; comparison->equal && i < bt_json_count(pair->value); i++) {
        bt_str name;
        const bt_json_edit_slot *slot = bt_json_edit_cursor_next(&cursor, &name);
        assert(slot);
        BT_TRY(compare_slot(comparison, *slot, &pair->value->as.items[i]));
    }
    return BT_OK;
}

static enum bt_status compare_members(struct json_edit_walk_comparison *comparison,
                                      const struct json_edit_walk_pending *pair)
{
    struct bt_json_edit *edit = comparison->edit;
    for (size_t i = 0; comparison->equal && i < bt_json_count(pair->value); i++) {
        const struct bt_json_member *wanted = &pair->value->as.members[i];
        const bt_str name = bt_json_name(wanted);
        struct bt_json_edit_member *found = NULL;
        BT_TRY(bt_json_edit_object_find(edit, &pair->node->as.object, name,
                                        bt_json_edit_hash(edit, name), &found));
        if (!found) {
            comparison->equal = false;
            return BT_OK;
        }
        BT_TRY(compare_slot(comparison, found->slot, &wanted->value));
    }
    return BT_OK;
}

static enum bt_status compare_all(struct json_edit_walk_comparison *comparison)
{
    while (comparison->equal && comparison->pending) {
        const struct json_edit_walk_pending *pair = comparison->pending;
        comparison->pending = pair->next;
        BT_TRY(pair->node->type == BT_JSON_ARRAY ? compare_items(comparison, pair)
                                                 : compare_members(comparison, pair));
    }
    return BT_OK;
}

enum bt_status bt_json_edit_equal(struct bt_json_edit *edit, bt_json_edit_slot slot, bt_ref value,
                                  bool *out_equal)
{
    struct json_edit_walk_comparison comparison = {edit, value.document, NULL, true};
    const struct bt_arena_mark mark = bt_arena_mark(edit->arena);
    enum bt_status status = compare_slot(&comparison, slot, value.value);
    if (status == BT_OK) {
        status = compare_all(&comparison);
    }
    bt_arena_rewind(edit->arena, mark);
    if (status == BT_OK) {
        *out_equal = comparison.equal;
    }
    return status;
}

/* A node that is being written. Kept for the next one of the same depth. */
struct json_edit_walk_frame {
    struct json_edit_walk_frame *outer;
    struct json_edit_walk_frame *inner;
    struct bt_json_edit_cursor cursor;
    bool begun; /* a child has been written */
};

static struct json_edit_walk_frame *push_frame(const struct bt_json_edit *edit,
                                               struct json_edit_walk_frame *outer,
                                               const struct bt_json_edit_node *node)
{
    if (!outer->inner) {
        outer->inner = BT_NEW(edit->arena, struct json_edit_walk_frame);
        if (!outer->inner) {
            return NULL;
        }
        outer->inner->outer = outer;
    }
    outer->inner->cursor = (struct bt_json_edit_cursor){.node = node};
    outer->inner->begun = false;
    return outer->inner;
}

/* Close the frames that have no more children; the next child of the one that has, or NULL. */
static const bt_json_edit_slot *take_child(const struct bt_json_edit *edit,
                                           struct bt_json_writer *writer,
                                           struct bt_json_builder *builder,
                                           struct json_edit_walk_frame **top)
{
    for (; (*top)->outer; *top = (*top)->outer) {
        struct json_edit_walk_frame *frame = *top;
        bt_str name;
        const bt_json_edit_slot *slot = bt_json_edit_cursor_next(&frame->cursor, &name);
        if (slot) {
            bt_json_writer_next(writer, !frame->begun);
            frame->begun = true;
            if (frame->cursor.node->type == BT_JSON_OBJECT) {
                bt_json_writer_name(writer, name, edit->may_be_lone);
                if (builder) {
                    bt_json_builder_name(builder, name);
                }
            }
            return slot;
        }
        bt_json_writer_close(writer, frame->cursor.node->type, !frame->begun);
        if (builder) {
            bt_json_builder_close(builder);
        }
    }
    return NULL;
}

enum bt_status bt_json_edit_write(const struct bt_json_edit *edit, struct bt_json_writer *writer,
                                  struct bt_json_builder *builder)
{
    struct json_edit_walk_frame bottom = {0};
    struct json_edit_walk_frame *top = &bottom;
    const bt_json_edit_slot *slot = &edit->root;
    while (slot) {
        if (slot->document) {
            const bt_ref ref = {slot->document, slot->as.value};
            BT_TRY(bt_json_writer_put(writer, ref));
            if (builder) {
                bt_json_builder_add(builder, ref, NULL);
            }
        } else {
            bt_json_writer_open(writer, slot->as.node->type);
            if (builder) {
                bt_json_builder_open(builder, slot->as.node->type);
            }
            top = push_frame(edit, top, slot->as.node);
            if (!top) {
                return BT_ENOMEM;
            }
        }
        BT_TRY(bt_json_writer_status(writer));
        slot = take_child(edit, writer, builder, &top);
    }
    return bt_json_writer_status(writer);
}
