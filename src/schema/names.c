/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.c - a perfect hash table of names: a multiplier is sought that gives each its own slot.
 *
 * The table has at least two slots per name and grows up to sixteen per name while no multiplier
 * is found. Names whose 32-bit hashes are equal can never be told apart so, and for them a
 * search looks at several slots, one behind the other; there are as many spare slots behind the
 * last.
 */
#include "schema/names.h"

#include <assert.h>

#define NO_PROPERTY UINT32_MAX /* a free slot */

enum {
    TRIES = 64,      /* multipliers for each size of the table */
    BITS_MIN = 2,    /* so that a shift by 32 never happens */
    GROW_MAX = 3,    /* doublings beyond the first size */
    PROBES_MAX = 64, /* spare slots, and the most equal hashes that are put side by side */
};

static uint32_t multiplier_of(uint32_t try)
{
    /* Odd, and unlike each other: the golden ratio's multiples. */
    return UINT32_C(0x9e3779b1) * (2 * try + 1);
}

void bt_property_name(struct bt_property *property, bt_str name)
{
    unsigned char bytes[32] = {0};
    const size_t size = name.len < 16 ? name.len : 16;
    memcpy(bytes, name.ptr, size);
    memset(bytes + 16, 0xff, size);
    memcpy(property->words, bytes, 16);
    memcpy(property->masks, bytes + 16, 16);
    property->name = name.ptr;
    property->name_size = (uint32_t)name.len;
}

static void clear(struct bt_slot *slots, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        slots[i] = (struct bt_slot){0, NO_PROPERTY};
    }
}

/* Put every name into the first free slot of up to `probes`. False when one finds none. */
static bool fill(struct bt_slot *slots, const uint32_t *hashes, uint32_t count,
                 const struct bt_names *names)
{
    clear(slots, ((size_t)1 << (32 - names->shift)) + names->probes);
    for (uint32_t i = 0; i < count; i++) {
        struct bt_slot *slot = &slots[(hashes[i] * names->multiplier) >> names->shift];
        uint32_t step = 0;
        while (step < names->probes && slot[step].index != NO_PROPERTY) {
            step++;
        }
        if (step == names->probes) {
            return false;
        }
        slot[step] = (struct bt_slot){hashes[i], i};
    }
    return true;
}

enum bt_status bt_names_make(struct bt_arena *arena, const uint32_t *hashes, uint32_t count,
                             struct bt_names *out)
{
    assert(count < UINT32_C(1) << 26);
    uint32_t bits = BITS_MIN;
    while ((UINT32_C(1) << bits) < 2 * count) {
        bits++;
    }
    const size_t room = ((size_t)1 << (bits + GROW_MAX)) + PROBES_MAX;
    struct bt_slot *slots = bt_arena_alloc(arena, room * sizeof(*slots));
    if (!slots) {
        return BT_ENOMEM;
    }
    struct bt_names names = {.slots = slots};
    bool done = false;
    for (uint32_t probes = 1; !done && probes <= PROBES_MAX; probes *= 2) {
        names.probes = (uint8_t)probes;
        for (uint32_t size = bits; !done && size <= bits + GROW_MAX; size++) {
            names.shift = (uint8_t)(32 - size);
            /* Large sets have no perfect multiplier; trying them all would take too long. */
            const uint32_t tries = count <= 64 ? TRIES : 2;
            for (uint32_t try = 0; !done && try < tries; try++) {
                names.multiplier = multiplier_of(try);
                done = fill(slots, hashes, count, &names);
            }
        }
    }
    if (!done) {
        return BT_ELIMIT; /* more than 64 names with one hash: somebody chose them */
    }
    for (size_t i = 0; i < ((size_t)1 << (32 - names.shift)) + names.probes; i++) {
        slots[i].index = slots[i].index == NO_PROPERTY ? 0 : slots[i].index;
    }
    bt_arena_shrink(arena, slots,
                    (((size_t)1 << (32 - names.shift)) + names.probes) * sizeof(*slots));
    *out = names;
    return BT_OK;
}
