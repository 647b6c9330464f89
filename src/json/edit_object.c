/* SPDX-License-Identifier: Apache-2.0 */
/*
 * edit_object.c - an object that takes new members last and finds any member at once.
 *
 * A removed member leaves its place empty until the object is made anew, so the indexes of the
 * others stay right. Names that collide on purpose cost work from the allowance.
 */
#include "json/edit_node.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"

enum {
    FEW_MEMBERS = 8, /* are found without a table */
};

static enum bt_status add_to_table(struct bt_json_edit *edit, struct bt_json_edit_object *object,
                                   size_t index)
{
    if (!object->table) {
        return BT_OK;
    }
    uint32_t place = object->members[index].name_hash & object->table_mask;
    while (object->table[place] != 0) {
        if (!bt_json_edit_use_budget(edit, 1)) {
            return BT_ELIMIT;
        }
        place = (place + 1) & object->table_mask;
    }
    object->table[place] = (uint32_t)index + 1;
    return BT_OK;
}

enum bt_status bt_json_edit_object_init(struct bt_json_edit *edit,
                                        struct bt_json_edit_object *object, size_t count)
{
    /* Some more, so that the first new members do not make it anew at once. */
    const size_t capacity = count + count / 8 + FEW_MEMBERS / 2;
    assert(capacity < UINT32_MAX / 4);
    *object = (struct bt_json_edit_object){.capacity = capacity};
    object->members = BT_NEW_ARRAY(edit->arena, struct bt_json_edit_member, capacity);
    if (!object->members) {
        return BT_ENOMEM;
    }
    if (capacity <= FEW_MEMBERS) {
        return BT_OK;
    }
    size_t places = FEW_MEMBERS;
    while (places < 2 * capacity) {
        places *= 2;
    }
    object->table = BT_NEW_ARRAY(edit->arena, uint32_t, places);
    object->table_mask = (uint32_t)(places - 1);
    return object->table ? BT_OK : BT_ENOMEM;
}

static bool is_called(const struct bt_json_edit_member *member, bt_str name, uint32_t hash)
{
    return member->name && member->name_hash == hash &&
           bt_str_eq((bt_str){member->name, member->name_size}, name);
}

enum bt_status bt_json_edit_object_find(struct bt_json_edit *edit,
                                        const struct bt_json_edit_object *object, bt_str name,
                                        uint32_t hash, struct bt_json_edit_member **out)
{
    struct bt_json_edit_member *found = NULL;
    if (!object->table) {
        for (size_t i = 0; i < object->used && !found; i++) {
            found = is_called(&object->members[i], name, hash) ? &object->members[i] : NULL;
        }
        *out = found;
        return BT_OK;
    }
    uint32_t place = hash & object->table_mask;
    while (object->table[place] != 0 && !found) {
        if (!bt_json_edit_use_budget(edit, 1)) {
            return BT_ELIMIT;
        }
        struct bt_json_edit_member *member = &object->members[object->table[place] - 1];
        found = is_called(member, name, hash) ? member : NULL;
        place = (place + 1) & object->table_mask;
    }
    *out = found;
    return BT_OK;
}

static enum bt_status put_last(struct bt_json_edit *edit, struct bt_json_edit_object *object,
                               const struct bt_json_edit_member *member)
{
    assert(object->used < object->capacity);
    object->members[object->used] = *member;
    BT_TRY(add_to_table(edit, object, object->used));
    object->used++;
    object->count++;
    return BT_OK;
}

/* Rebuild the object with room for twice as many members, and without the slots of removed ones. */
static enum bt_status rebuild_object(struct bt_json_edit *edit, struct bt_json_edit_object *object)
{
    struct bt_json_edit_object renewed;
    BT_TRY(bt_json_edit_object_init(edit, &renewed, 2 * object->count + FEW_MEMBERS));
    for (size_t i = 0; i < object->used; i++) {
        if (object->members[i].name) {
            BT_TRY(put_last(edit, &renewed, &object->members[i]));
        }
    }
    *object = renewed;
    return BT_OK;
}

enum bt_status bt_json_edit_object_append(struct bt_json_edit *edit,
                                          struct bt_json_edit_object *object,
                                          const struct bt_json_edit_member *member)
{
    if (object->used == object->capacity) {
        BT_TRY(rebuild_object(edit, object));
    }
    return put_last(edit, object, member);
}

/* Take a member's index out of the table, and move up those behind it that were kept from their
 * own place, so that no search ends too early. */
static enum bt_status remove_from_table(struct bt_json_edit *edit,
                                        struct bt_json_edit_object *object,
                                        const struct bt_json_edit_member *member)
{
    const uint32_t mask = object->table_mask;
    const uint32_t entry = (uint32_t)(member - object->members) + 1;
    uint32_t hole = member->name_hash & mask;
    while (object->table[hole] != entry) {
        assert(object->table[hole] != 0);
        hole = (hole + 1) & mask; /* the search that found the member has paid for this */
    }
    for (uint32_t place = (hole + 1) & mask; object->table[place] != 0;
         place = (place + 1) & mask) {
        if (!bt_json_edit_use_budget(edit, 1)) {
            return BT_ELIMIT;
        }
        const uint32_t home = object->members[object->table[place] - 1].name_hash & mask;
        if (((place - home) & mask) >= ((place - hole) & mask)) {
            object->table[hole] = object->table[place];
            hole = place;
        }
    }
    object->table[hole] = 0;
    return BT_OK;
}

enum bt_status bt_json_edit_object_remove(struct bt_json_edit *edit,
                                          struct bt_json_edit_object *object,
                                          struct bt_json_edit_member *member)
{
    assert(member->name);
    if (object->table) {
        BT_TRY(remove_from_table(edit, object, member));
    }
    member->name = NULL;
    object->count--;
    return BT_OK;
}
