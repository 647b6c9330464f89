/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.c - a perfect hash table of names: a multiplier is sought that gives each its own slot.
 *
 * The table has at least two slots per name and grows up to sixteen per name while no multiplier
 * is found. Names of equal keys can never be told apart so, and for them a search looks at several
 * slots, one behind the other; there are as many spare slots behind the last.
 */
#include "schema/names.h"

#include <assert.h>

enum {
    TRIES = 64,      /* multipliers for each size of the table */
    BITS_MIN = 2,    /* so that a shift by 64 never happens */
    GROW_MAX = 3,    /* doublings beyond the first size */
    PROBES_MAX = 64, /* spare slots, and the most equal keys that are put side by side */
};

static uint64_t multiplier_of(uint32_t try)
{
    /* Odd, and unlike each other: the golden ratio's multiples. */
    return UINT64_C(0x9e3779b97f4a7c15) * (2 * try + 1);
}

static size_t slots_of(const struct bt_schema_names *names)
{
    return ((size_t)1 << (64 - names->shift)) + names->probes;
}

void bt_schema_property_name(struct bt_schema_property *property, bt_str name, uint32_t hash)
{
    const bool is_long = name.len > sizeof(property->head);
    memset(property->head, 0xff, sizeof(property->head)); /* a byte that UTF-8 does not have */
    memset(property->beyond, is_long ? 0 : 0xff, sizeof(property->beyond));
    if (!is_long) {
        memcpy(property->head, name.ptr, name.len);
        memset(property->beyond, 0, name.len);
    }
    property->key = bt_name_key((uint32_t)name.len, hash);
}

/* Put every name into the first free slot of up to `probes`. False when one finds none. */
static bool place_names(const struct bt_schema_property **slots,
                        const struct bt_schema_property *properties, uint32_t count,
                        const struct bt_schema_names *names)
{
    const struct bt_schema_property *vacant = &properties[count];
    for (size_t i = 0; i < slots_of(names); i++) {
        slots[i] = vacant;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct bt_schema_property **slot =
            &slots[bt_schema_names_place(names, properties[i].key)];
        uint32_t step = 0;
        while (step < names->probes && slot[step] != vacant) {
            step++;
        }
        if (step == names->probes) {
            return false;
        }
        slot[step] = &properties[i];
    }
    return true;
}

enum bt_status bt_schema_names_make(struct bt_arena *arena,
                                    const struct bt_schema_property *properties, uint32_t count,
                                    struct bt_schema_names *out)
{
    assert(properties[count].key == BT_NO_KEY);
    assert(count < UINT32_C(1) << 26);
    uint32_t bits = BITS_MIN;
    while ((UINT32_C(1) << bits) < 2 * count) {
        bits++;
    }
    const size_t room = ((size_t)1 << (bits + GROW_MAX)) + PROBES_MAX;
    const struct bt_schema_property **slots =
        bt_arena_alloc(arena, room * sizeof(const struct bt_schema_property *));
    if (!slots) {
        return BT_ENOMEM;
    }
    struct bt_schema_names names = {.slots = slots};
    bool done = false;
    for (uint32_t probes = 1; !done && probes <= PROBES_MAX; probes *= 2) {
        names.probes = (uint8_t)probes;
        for (uint32_t size = bits; !done && size <= bits + GROW_MAX; size++) {
            names.shift = (uint8_t)(64 - size);
            /* Large sets have no perfect multiplier; trying them all would take too long. */
            const uint32_t tries = count <= 64 ? TRIES : 2;
            for (uint32_t try = 0; !done && try < tries; try++) {
                names.multiplier = multiplier_of(try);
                done = place_names(slots, properties, count, &names);
            }
        }
    }
    if (!done) {
        return BT_ELIMIT; /* more than 64 names with one key: they were chosen on purpose */
    }
    bt_arena_shrink_last(arena, slots,
                         slots_of(&names) * sizeof(const struct bt_schema_property *));
    *out = names;
    return BT_OK;
}

const struct bt_schema_property *bt_schema_names_find_any(const struct bt_schema_object *object,
                                                          const struct bt_json_member *member,
                                                          uint64_t key)
{
    const size_t place = bt_schema_names_place(&object->names, key);
    for (uint32_t i = 0; i < object->names.probes; i++) {
        const struct bt_schema_property *property = object->names.slots[place + i];
        if (property->key != key) {
            continue;
        }
        const bt_str *name = &object->texts[property - object->properties];
        if (bt_name_equal(name->ptr, member->name, name->len)) {
            return property;
        }
    }
    return NULL;
}
