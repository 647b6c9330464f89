/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_map.c - a byte for the memory limit, then steps: a byte for the operation and the length of
 * the key's text, a byte for the key's number, and the text.
 *
 * Promises: a map finds what a linear search of a list finds; a step that fails because memory runs
 * out changes nothing; entries keep their order.
 */
#include "base/map.h"
#include "fuzz.h"

enum { ROWS_MAX = 512, LIMIT_UNIT = 1024, STEP_ADD = 0, STEP_FIND, STEP_RESERVE = 3 };

struct fuzz_row {
    struct bt_map_key key;
    uint64_t value;
};

struct fuzz_list {
    struct fuzz_row rows[ROWS_MAX];
    size_t count;
};

static struct fuzz_row *find_row(struct fuzz_list *list, struct bt_map_key key)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->rows[i].key.number == key.number && bt_str_eq(list->rows[i].key.text, key.text)) {
            return &list->rows[i];
        }
    }
    return NULL;
}

static void add_key(struct bt_map *map, struct fuzz_list *list, struct bt_map_key key,
                    uint64_t value)
{
    struct fuzz_row *row = find_row(list, key);
    struct bt_map_entry *entry = NULL;
    const enum bt_status status = bt_map_add(map, key, &entry);
    if (status != BT_OK) {
        PROMISE(status == BT_ENOMEM);
        PROMISE(!row);
        PROMISE(!entry);
        return;
    }
    PROMISE(entry->value.number == (row ? row->value : 0));
    if (!row) {
        row = &list->rows[list->count++];
        row->key = key;
        PROMISE(bt_map_index(map, entry) == list->count - 1);
    }
    row->value = value;
    entry->value.number = value;
}

static void map_equals_list(const struct bt_map *map, struct fuzz_list *list)
{
    PROMISE(map->count == list->count);
    for (size_t i = 0; i < list->count; i++) {
        const struct bt_map_entry *entry = bt_map_find(map, list->rows[i].key);
        PROMISE(entry);
        PROMISE(entry->value.number == list->rows[i].value);
        PROMISE(entry == &map->entries[i]);
    }
}

static void take_step(struct bt_map *map, struct fuzz_list *list, unsigned step,
                      struct bt_map_key key, uint64_t value)
{
    PROMISE(!bt_map_find(map, key) == !find_row(list, key));
    if (step == STEP_ADD && list->count < ROWS_MAX) {
        add_key(map, list, key, value);
    } else if (step == STEP_RESERVE) {
        const enum bt_status status = bt_map_reserve(map, key.number);
        PROMISE(status == BT_ENOMEM || (status == BT_OK && map->capacity >= key.number));
        map_equals_list(map, list);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint64_t seed[2] = {1, 2};
    struct bt_arena arena;
    struct bt_map map;
    struct fuzz_list list = {.count = 0};
    bt_arena_init(&arena, size > 0 ? (size_t)(1 + data[0]) * LIMIT_UNIT : LIMIT_UNIT);
    bt_map_init(&map, &arena, seed);
    for (size_t at = 1; at + 2 <= size;) {
        const unsigned step = data[at] & 3;
        const size_t wanted = data[at] >> 2;
        const uint64_t number = data[at + 1];
        const size_t left = size - at - 2;
        const size_t length = wanted < left ? wanted : left;
        const bt_str text = fuzz_text(data + at + 2, length);
        take_step(&map, &list, step, (struct bt_map_key){text, number}, at);
        at += 2 + length;
    }
    map_equals_list(&map, &list);
    bt_arena_free(&arena);
    return 0;
}
