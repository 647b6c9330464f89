/* SPDX-License-Identifier: Apache-2.0 */
/*
 * edit_array.c - an array that takes insertions anywhere at small cost.
 */
#include "json/edit_node.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/vec.h"

enum {
    RUN_SLOTS_MAX = 512,
    RUN_SLOTS_MIN = 8,
};

/* Where an item stands. */
struct json_edit_array_position {
    size_t run;
    uint32_t offset;
};

/* Make room for `count` more runs. */
static enum bt_status reserve_runs(struct bt_json_edit *edit, struct bt_json_edit_array *array,
                                   size_t count)
{
    return bt_vec_grow(edit->arena, (void *)&array->runs, array->run_count, &array->run_capacity,
                       count, sizeof(*array->runs));
}

enum bt_status bt_json_edit_array_init(struct bt_json_edit *edit, struct bt_json_edit_array *array,
                                       size_t count)
{
    *array = (struct bt_json_edit_array){0};
    if (count == 0) {
        return BT_OK;
    }
    bt_json_edit_slot *slots = BT_NEW_ARRAY(edit->arena, bt_json_edit_slot, count);
    if (!slots) {
        return BT_ENOMEM;
    }
    BT_TRY(reserve_runs(edit, array, (count + RUN_SLOTS_MAX - 1) / RUN_SLOTS_MAX));
    for (size_t first = 0; first < count; first += RUN_SLOTS_MAX) {
        const size_t left = count - first;
        const uint32_t size = (uint32_t)(left < RUN_SLOTS_MAX ? left : RUN_SLOTS_MAX);
        array->runs[array->run_count++] = (struct bt_json_edit_run){slots + first, size, size};
    }
    array->count = count;
    return BT_OK;
}

/* The run that holds the item at `index`, or, when inserting, the first that may end with it. */
static struct json_edit_array_position find_position(const struct bt_json_edit_array *array,
                                                     size_t index, bool inserting)
{
    size_t run = 0;
    while (run < array->run_count && index >= array->runs[run].count + (size_t)inserting) {
        index -= array->runs[run].count;
        run++;
    }
    assert(run < array->run_count);
    return (struct json_edit_array_position){run, (uint32_t)index};
}

bt_json_edit_slot *bt_json_edit_array_at(const struct bt_json_edit_array *array, size_t index)
{
    assert(index < array->count);
    const struct json_edit_array_position position = find_position(array, index, false);
    return &array->runs[position.run].slots[position.offset];
}

static enum bt_status grow_run(struct bt_json_edit *edit, struct bt_json_edit_run *run)
{
    uint32_t capacity = run->capacity < RUN_SLOTS_MIN / 2 ? RUN_SLOTS_MIN : run->capacity * 2;
    capacity = capacity < RUN_SLOTS_MAX ? capacity : RUN_SLOTS_MAX;
    bt_json_edit_slot *slots = BT_NEW_ARRAY(edit->arena, bt_json_edit_slot, capacity);
    if (!slots) {
        return BT_ENOMEM;
    }
    if (run->count > 0) {
        memcpy(slots, run->slots, run->count * sizeof(*slots));
    }
    run->slots = slots;
    run->capacity = capacity;
    return BT_OK;
}

/* Move the second half of a full run to a new run behind it. */
static enum bt_status split_run(struct bt_json_edit *edit, struct bt_json_edit_array *array,
                                size_t index)
{
    BT_TRY(reserve_runs(edit, array, 1));
    bt_json_edit_slot *slots = BT_NEW_ARRAY(edit->arena, bt_json_edit_slot, RUN_SLOTS_MAX);
    if (!slots) {
        return BT_ENOMEM;
    }
    struct bt_json_edit_run *run = &array->runs[index];
    const uint32_t kept = run->count / 2;
    const uint32_t moved = run->count - kept;
    memcpy(slots, run->slots + kept, moved * sizeof(*slots));
    memmove(run + 2, run + 1, (array->run_count - index - 1) * sizeof(*run));
    run[1] = (struct bt_json_edit_run){slots, moved, RUN_SLOTS_MAX};
    run->count = kept;
    array->run_count++;
    return BT_OK;
}

enum bt_status bt_json_edit_array_insert(struct bt_json_edit *edit,
                                         struct bt_json_edit_array *array, size_t index,
                                         bt_json_edit_slot slot)
{
    assert(index <= array->count);
    if (array->run_count == 0) {
        BT_TRY(reserve_runs(edit, array, 1));
        array->runs[array->run_count++] = (struct bt_json_edit_run){0};
    }
    struct json_edit_array_position position = find_position(array, index, true);
    struct bt_json_edit_run *run = &array->runs[position.run];
    if (run->count == run->capacity && run->capacity < RUN_SLOTS_MAX) {
        BT_TRY(grow_run(edit, run));
    } else if (run->count == run->capacity) {
        BT_TRY(split_run(edit, array, position.run));
        position = find_position(array, index, true);
        run = &array->runs[position.run];
    }
    memmove(run->slots + position.offset + 1, run->slots + position.offset,
            (run->count - position.offset) * sizeof(*run->slots));
    run->slots[position.offset] = slot;
    run->count++;
    array->count++;
    return BT_OK;
}

bt_json_edit_slot bt_json_edit_array_remove(struct bt_json_edit_array *array, size_t index)
{
    assert(index < array->count);
    const struct json_edit_array_position position = find_position(array, index, false);
    struct bt_json_edit_run *run = &array->runs[position.run];
    const bt_json_edit_slot removed = run->slots[position.offset];
    run->count--;
    memmove(run->slots + position.offset, run->slots + position.offset + 1,
            (run->count - position.offset) * sizeof(*run->slots));
    array->count--;
    return removed;
}
