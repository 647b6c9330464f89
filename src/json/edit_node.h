/* SPDX-License-Identifier: Apache-2.0 */
/*
 * edit_node.h - the arrays and objects of an edit: children that can be changed.
 */
#ifndef BATON_SRC_JSON_EDIT_NODE_H
#define BATON_SRC_JSON_EDIT_NODE_H

#include "json/edit.h"
#include "json/text_hash.h"

/* Some neighbouring items of an array. */
struct bt_json_edit_run {
    bt_json_edit_slot *slots;
    uint32_t count;
    uint32_t capacity;
};

/*
 * Items in runs of bounded length: inserting moves the items of one run, finding an index adds up
 * the lengths of runs, and both stay small for a million items.
 */
struct bt_json_edit_array {
    struct bt_json_edit_run *runs;
    size_t run_count;
    size_t run_capacity;
    size_t count;
};

struct bt_json_edit_member {
    const char *name; /* NULL: it was removed */
    uint32_t name_size;
    uint32_t name_hash;
    bt_json_edit_slot slot;
};

/* Members in order, and, unless there are few, a hash table of their indexes plus one. */
struct bt_json_edit_object {
    struct bt_json_edit_member *members;
    size_t used; /* removed ones included */
    size_t capacity;
    size_t count;
    uint32_t *table;
    uint32_t table_mask;
};

struct bt_json_edit_node {
    enum bt_json_type type; /* array or object */
    bool shared;
    union {
        struct bt_json_edit_array array;
        struct bt_json_edit_object object;
    } as;
};

/* Take `units` from the allowance; false when it does not hold them. */
static inline bool bt_json_edit_use_budget(struct bt_json_edit *edit, uint64_t units)
{
    const bool enough = units <= edit->work_left;
    edit->work_left = enough ? edit->work_left - units : 0;
    return enough;
}

/* Make an array of `count` items, which the caller then sets. */
BT_MUST_USE enum bt_status bt_json_edit_array_init(struct bt_json_edit *edit,
                                                   struct bt_json_edit_array *array, size_t count);
/* The item at `index`, which is below `count`. */
bt_json_edit_slot *bt_json_edit_array_at(const struct bt_json_edit_array *array, size_t index);
/* Insert before the item at `index`, which is at most `count`. */
BT_MUST_USE enum bt_status bt_json_edit_array_insert(struct bt_json_edit *edit,
                                                     struct bt_json_edit_array *array, size_t index,
                                                     bt_json_edit_slot slot);
/* Take out the item at `index`, which is below `count`. */
bt_json_edit_slot bt_json_edit_array_remove(struct bt_json_edit_array *array, size_t index);

/* Make room for `count` members, none of them there yet. */
BT_MUST_USE enum bt_status bt_json_edit_object_init(struct bt_json_edit *edit,
                                                    struct bt_json_edit_object *object,
                                                    size_t count);
static inline uint32_t bt_json_edit_hash(const struct bt_json_edit *edit, bt_str name)
{
    return (uint32_t)bt_json_hash_text(edit->seed, name);
}

/* The member called `name`, which has this hash; *out is NULL when there is none. */
BT_MUST_USE enum bt_status bt_json_edit_object_find(struct bt_json_edit *edit,
                                                    const struct bt_json_edit_object *object,
                                                    bt_str name, uint32_t hash,
                                                    struct bt_json_edit_member **out);
/* Append a member whose name the object does not have. */
BT_MUST_USE enum bt_status bt_json_edit_object_append(struct bt_json_edit *edit,
                                                      struct bt_json_edit_object *object,
                                                      const struct bt_json_edit_member *member);
/* Take out a member that bt_json_edit_object_find() found. */
BT_MUST_USE enum bt_status bt_json_edit_object_remove(struct bt_json_edit *edit,
                                                      struct bt_json_edit_object *object,
                                                      struct bt_json_edit_member *member);

/* A walk over the children of a node, in order. */
struct bt_json_edit_cursor {
    const struct bt_json_edit_node *node;
    size_t outer; /* run or member */
    size_t inner; /* item of the run */
};

/* The next child, or NULL; the name of a member goes to *out_name. */
bt_json_edit_slot *bt_json_edit_cursor_next(struct bt_json_edit_cursor *cursor, bt_str *out_name);

static inline size_t bt_json_edit_node_count(const struct bt_json_edit_node *node)
{
    return node->type == BT_JSON_ARRAY ? node->as.array.count : node->as.object.count;
}

#endif
