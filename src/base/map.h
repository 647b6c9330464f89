/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map.h - a hash map in an arena, from texts, numbers or both to a pointer or a number.
 *
 * Entries stand in one array in the order of their insertion, so that the number of an entry may
 * serve as the number of its key. A table of twice as many slots finds them. Keys are hashed with
 * the caller's seed: an attacker who does not know it cannot choose keys that collide. A map does
 * not copy the bytes of its keys; they must stay as long as it is used.
 */
#ifndef BATON_SRC_BASE_MAP_H
#define BATON_SRC_BASE_MAP_H

#include <baton/base.h>

/* A text, a number (with an empty text), or a text that is unique for this number only. */
struct bt_map_key {
    bt_str text;
    uint64_t number;
};

static inline struct bt_map_key bt_map_text(bt_str text)
{
    return (struct bt_map_key){.text = text};
}

static inline struct bt_map_key bt_map_number(uint64_t number)
{
    return (struct bt_map_key){.text = BT_STR_INIT(""), .number = number};
}

struct bt_map_entry {
    struct bt_map_key key;
    union { /* the caller's; all zero in a new entry */
        void *pointer;
        uint64_t number;
    } value;
    uint32_t hash;
};

struct bt_map {
    struct bt_arena *arena;
    uint64_t seed[2];
    struct bt_map_entry *entries; /* `count` of them */
    uint32_t *slots;              /* the number of an entry plus one, or 0; twice `capacity` */
    uint32_t count;
    uint32_t capacity; /* a power of two, or 0 */
};

/* An empty map. `seed` is that of bt_env. Nothing is allocated yet. */
void bt_map_init(struct bt_map *map, struct bt_arena *arena, const uint64_t seed[2]);

/* Make room for `count` entries in all: until there are as many, no addition fails and no entry
 * moves. BT_ENOMEM, BT_ELIMIT (2^30 entries): the map is as it was. */
BT_MUST_USE enum bt_status bt_map_reserve(struct bt_map *map, size_t count);

/* The entry of a key, or NULL. It may move when another entry is added. */
struct bt_map_entry *bt_map_find(const struct bt_map *map, struct bt_map_key key);

/*
 * The entry of a key, which is added if there is none. A new entry has a value of zero, and
 * map->count has grown by one. BT_ENOMEM, BT_ELIMIT: the map is as it was. *out may move when
 * another entry is added.
 */
BT_MUST_USE enum bt_status bt_map_add(struct bt_map *map, struct bt_map_key key,
                                      struct bt_map_entry **out);

/* The number of an entry: 0 for the first that was added. */
static inline uint32_t bt_map_index(const struct bt_map *map, const struct bt_map_entry *entry)
{
    return (uint32_t)(entry - map->entries);
}

#endif
