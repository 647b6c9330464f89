/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map.c - a hash map in an arena: open addressing with linear probing, at most half full.
 */
#include "base/map.h"

#include <assert.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/keyed_hash.h"

enum { CAPACITY_FIRST = 8, CAPACITY_MAX = 1 << 30 };

void bt_map_init(struct bt_map *map, struct bt_arena *arena, const uint64_t seed[2])
{
    assert(map);
    assert(arena);
    *map = (struct bt_map){.arena = arena};
    bt_hash_begin(seed, map->seed);
}

/* The number is mixed in by a multiplication with what depends on the seed. If it were only added
 * to the text, pairs that collide could be chosen without knowing the seed. */
static uint32_t hash_key(const struct bt_map *map, const struct bt_map_key *key)
{
    const uint32_t hash =
        key->text.len > 0 ? bt_hash_bytes(map->seed, key->text.ptr, key->text.len) : 0;
    return key->number == 0 ? hash : bt_hash_words(map->seed, hash, key->number, 0);
}

static bool is_entry_of(const struct bt_map_entry *entry, const struct bt_map_key *key,
                        uint32_t hash)
{
    return entry->hash == hash && entry->key.number == key->number &&
           bt_str_eq(entry->key.text, key->text);
}

static uint32_t slot_mask(const struct bt_map *map)
{
    return 2 * map->capacity - 1;
}

/* The slot of the key's entry, or the empty one that it would have. */
static uint32_t find_slot(const struct bt_map *map, const struct bt_map_key *key, uint32_t hash)
{
    const uint32_t mask = slot_mask(map);
    uint32_t slot = hash & mask;
    while (map->slots[slot] != 0 && !is_entry_of(&map->entries[map->slots[slot] - 1], key, hash)) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

/* Enter all entries into the empty slots. No two have the same key. */
static void fill_slots(struct bt_map *map)
{
    const uint32_t mask = slot_mask(map);
    for (uint32_t i = 0; i < map->count; i++) {
        uint32_t slot = map->entries[i].hash & mask;
        while (map->slots[slot] != 0) {
            slot = (slot + 1) & mask;
        }
        map->slots[slot] = i + 1;
    }
}

enum bt_status bt_map_reserve(struct bt_map *map, size_t count)
{
    assert(map);
    if (count <= map->capacity) {
        return BT_OK;
    }
    if (count > CAPACITY_MAX) {
        return BT_ELIMIT;
    }
    uint32_t capacity = CAPACITY_FIRST;
    while (capacity < count) {
        capacity *= 2;
    }
    struct bt_map_entry *entries = BT_NEW_ARRAY(map->arena, struct bt_map_entry, capacity);
    uint32_t *slots = entries ? BT_NEW_ARRAY(map->arena, uint32_t, (size_t)2 * capacity) : NULL;
    if (!slots) {
        return BT_ENOMEM;
    }
    if (map->count > 0) {
        memcpy(entries, map->entries, map->count * sizeof(*entries));
    }
    map->entries = entries;
    map->slots = slots;
    map->capacity = capacity;
    fill_slots(map);
    return BT_OK;
}

struct bt_map_entry *bt_map_find(const struct bt_map *map, struct bt_map_key key)
{
    assert(map);
    if (map->count == 0) {
        return NULL;
    }
    const uint32_t slot = find_slot(map, &key, hash_key(map, &key));
    return map->slots[slot] != 0 ? &map->entries[map->slots[slot] - 1] : NULL;
}

enum bt_status bt_map_add(struct bt_map *map, struct bt_map_key key, struct bt_map_entry **out)
{
    assert(map);
    assert(out);
    const uint32_t hash = hash_key(map, &key);
    uint32_t slot = map->capacity > 0 ? find_slot(map, &key, hash) : 0;
    if (map->capacity > 0 && map->slots[slot] != 0) {
        *out = &map->entries[map->slots[slot] - 1];
        return BT_OK;
    }
    if (map->count == map->capacity) {
        BT_TRY(bt_map_reserve(map, (size_t)map->count + 1));
        slot = find_slot(map, &key, hash);
    }
    struct bt_map_entry *entry = &map->entries[map->count++];
    *entry = (struct bt_map_entry){.key = key, .hash = hash};
    map->slots[slot] = map->count;
    *out = entry;
    return BT_OK;
}
