/* SPDX-License-Identifier: Apache-2.0 */
/*
 * location_cache.c - two slots for each key, in a table that is at most half full for as long as it
 * may grow.
 */
#include "store/location_cache.h"

#include <assert.h>

enum {
    SLOTS_PER_DOCUMENT = 4,
    SLOTS_MIN = 1 << 12,
    SLOTS_MAX = 1 << 22, /* 32 MiB */
    SECOND_SHIFT = 24,   /* a second slot, selected by other bits of the key */
};

void bt_store_location_cache_init(struct bt_store_location_cache *places)
{
    assert(places);
    *places = (struct bt_store_location_cache){.slots = NULL};
    bt_arena_init(&places->arena, SLOTS_MAX * sizeof(uint64_t) + (1 << 16));
}

void bt_store_location_cache_free(struct bt_store_location_cache *places)
{
    assert(places);
    bt_arena_free(&places->arena);
    places->slots = NULL;
    places->count = 0;
}

void bt_store_location_cache_reserve(struct bt_store_location_cache *places, uint64_t documents)
{
    assert(places);
    size_t count = SLOTS_MIN;
    while (count / SLOTS_PER_DOCUMENT < documents && count < SLOTS_MAX) {
        count *= 2;
    }
    bt_store_location_cache_free(places);
    bt_store_location_cache_init(places);
    places->slots = BT_NEW_ARRAY(&places->arena, uint64_t, count);
    places->count = places->slots ? count : 0;
}

static void choose_slots(const struct bt_store_location_cache *places, uint64_t mark,
                         size_t out[BT_PLACES_GUESSES])
{
    out[0] = (size_t)mark & (places->count - 1);
    out[1] = (size_t)(mark >> SECOND_SHIFT) & (places->count - 1);
}

void bt_store_location_cache_add(struct bt_store_location_cache *places, uint64_t mark,
                                 uint64_t number)
{
    assert(places);
    size_t slots[BT_PLACES_GUESSES];
    if (!places->slots) {
        return;
    }
    choose_slots(places, mark, slots);
    places->slots[places->slots[slots[0]] == 0 ? slots[0] : slots[1]] = number + 1;
}

size_t bt_store_location_cache_find(const struct bt_store_location_cache *places, uint64_t mark,
                                    uint64_t out[BT_PLACES_GUESSES])
{
    assert(places);
    assert(out);
    size_t slots[BT_PLACES_GUESSES];
    size_t count = 0;
    if (!places->slots) {
        return 0;
    }
    choose_slots(places, mark, slots);
    for (size_t i = 0; i < BT_PLACES_GUESSES; i++) {
        const uint64_t number = places->slots[slots[i]];
        if (number > 0) {
            out[count++] = number - 1;
        }
    }
    return count;
}
