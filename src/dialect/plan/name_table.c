/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name_table.c - a table from names to numbers: open addressing, at most half full.
 */
#include "dialect/plan/name_table.h"

#include <assert.h>

enum bt_status bt_plan_name_table_init(struct bt_plan_name_table *names, struct bt_arena *arena,
                                       size_t count, uint64_t seed)
{
    size_t slots = 8;
    while (slots / 2 < count) {
        slots *= 2;
    }
    *names = (struct bt_plan_name_table){.names = BT_NEW_ARRAY(arena, bt_str, slots),
                                         .numbers = BT_NEW_ARRAY(arena, size_t, slots),
                                         .mask = slots - 1,
                                         .seed = seed};
    return names->names && names->numbers ? BT_OK : BT_ENOMEM;
}

/* Multiply and fold, byte by byte, from a seed that nobody outside knows. */
static size_t hash_name(uint64_t seed, bt_str name)
{
    uint64_t state = seed ^ (name.len * UINT64_C(0x9e3779b97f4a7c15));
    for (size_t i = 0; i < name.len; i++) {
        state = (state ^ (unsigned char)name.ptr[i]) * UINT64_C(0xd6e8feb86659fd93);
        state ^= state >> 32;
    }
    return (size_t)(state ^ state >> 29);
}

static size_t slot_of(const struct bt_plan_name_table *names, bt_str name)
{
    size_t slot = hash_name(names->seed, name) & names->mask;
    while (names->names[slot].ptr && !bt_str_eq(names->names[slot], name)) {
        slot = (slot + 1) & names->mask;
    }
    return slot;
}

size_t bt_plan_name_table_find(const struct bt_plan_name_table *names, bt_str name)
{
    assert(names);
    const size_t slot = slot_of(names, name);
    return names->names[slot].ptr ? names->numbers[slot] : BT_NO_NUMBER;
}

size_t bt_plan_name_table_add(struct bt_plan_name_table *names, bt_str name, size_t number)
{
    assert(names);
    assert(name.ptr);
    const size_t slot = slot_of(names, name);
    if (!names->names[slot].ptr) {
        names->names[slot] = name;
        names->numbers[slot] = number;
    }
    return names->numbers[slot];
}
