/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_map.c - the hash map against a list that is searched from its beginning.
 */
#include "test.h"

#include <stdio.h>

#include "base/arena.h"
#include "base/keyed_hash.h"
#include "base/map.h"

enum { ARENA_BYTES = 1 << 22, KEYS = 300, STEPS = 20000 };

static const uint64_t seed[2] = {0, 0};

/* A key of the list, and the value that the map must have for it. */
struct map_row {
    struct bt_map_key key;
    uint64_t value;
};

struct map_list {
    struct map_row rows[KEYS];
    size_t count;
};

static struct map_row *find_row(struct map_list *list, struct bt_map_key key)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->rows[i].key.number == key.number && bt_str_eq(list->rows[i].key.text, key.text)) {
            return &list->rows[i];
        }
    }
    return NULL;
}

static uint32_t next_random(uint32_t *random)
{
    *random = *random * 1664525U + 1013904223U;
    return *random >> 8;
}

/* One of KEYS keys: texts of many lengths, numbers, and both. */
static struct bt_map_key make_key(uint32_t number, char text[64])
{
    memset(text, 'a', 64);
    (void)snprintf(text + number % 40, 24, "%u", number / 3);
    const bt_str name = number % 3 == 1 ? BT_STR("") : bt_str_of(text);
    return (struct bt_map_key){.text = name, .number = number % 3 == 0 ? 0 : 1 + number / 7};
}

static void compare_all(const struct bt_map *map, struct map_list *list)
{
    assert_int_equal(map->count, list->count);
    for (uint32_t i = 0; i < map->count; i++) {
        const struct map_row *row = find_row(list, map->entries[i].key);
        assert_true(row && map->entries[i].value.number == row->value);
    }
}

static void random_steps_give_what_a_list_gives(void **state)
{
    (void)state;
    static char texts[KEYS][64];
    static struct map_list list;
    struct bt_arena arena;
    struct bt_map map;
    uint32_t random = 1;
    bt_arena_init(&arena, ARENA_BYTES);
    bt_map_init(&map, &arena, seed);
    for (uint32_t step = 0; step < STEPS; step++) {
        const uint32_t number = next_random(&random) % KEYS;
        const struct bt_map_key key = make_key(number, texts[number]);
        struct map_row *row = find_row(&list, key);
        struct bt_map_entry *entry = bt_map_find(&map, key);
        assert_int_equal(entry != NULL, row != NULL);
        const uint32_t count = map.count;
        assert_int_equal(bt_map_add(&map, key, &entry), BT_OK);
        assert_int_equal(map.count, count + (row ? 0 : 1));
        assert_int_equal(entry->value.number, row ? row->value : 0);
        if (!row) {
            row = &list.rows[list.count++];
            row->key = key;
        }
        entry->value.number = row->value = step + 1;
        if (step % 64 == 0) {
            compare_all(&map, &list);
        }
    }
    compare_all(&map, &list);
    bt_arena_free(&arena);
}

static void entries_are_numbered_in_the_order_of_their_insertion(void **state)
{
    (void)state;
    struct bt_arena arena;
    struct bt_map map;
    struct bt_map_entry *entry = NULL;
    bt_arena_init(&arena, ARENA_BYTES);
    bt_map_init(&map, &arena, seed);
    assert_null(bt_map_find(&map, bt_map_number(7)));
    for (uint64_t i = 0; i < 1000; i++) {
        assert_int_equal(bt_map_add(&map, bt_map_number(i * i), &entry), BT_OK);
        assert_int_equal(bt_map_index(&map, entry), i);
    }
    for (uint64_t i = 0; i < 1000; i++) {
        assert_int_equal(map.entries[i].key.number, i * i);
        assert_ptr_equal(bt_map_find(&map, bt_map_number(i * i)), &map.entries[i]);
    }
    assert_null(bt_map_find(&map, bt_map_number(2)));
    bt_arena_free(&arena);
}

static void texts_with_equal_beginnings_are_different_keys(void **state)
{
    (void)state;
    static const bt_str texts[] = {
        BT_STR_INIT(""),
        BT_STR_INIT("a"),
        BT_STR_INIT("a\0"),
        BT_STR_INIT("aaaaaaaaaaaaaaaa"),
        BT_STR_INIT("aaaaaaaaaaaaaaaaa"),
        BT_STR_INIT("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
        BT_STR_INIT("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
    };
    const size_t count = sizeof(texts) / sizeof(texts[0]);
    struct bt_arena arena;
    struct bt_map map;
    struct bt_map_entry *entry = NULL;
    bt_arena_init(&arena, ARENA_BYTES);
    bt_map_init(&map, &arena, seed);
    for (uint64_t number = 0; number < 3; number++) {
        for (size_t i = 0; i < count; i++) {
            assert_null(bt_map_find(&map, (struct bt_map_key){texts[i], number}));
            assert_int_equal(bt_map_add(&map, (struct bt_map_key){texts[i], number}, &entry),
                             BT_OK);
        }
    }
    assert_int_equal(map.count, 3 * count);
    assert_int_equal(bt_map_add(&map, bt_map_text((bt_str){NULL, 0}), &entry), BT_OK);
    assert_int_equal(bt_map_index(&map, entry), 0);
    bt_arena_free(&arena);
}

static void keys_that_hash_alike_are_kept_apart(void **state)
{
    (void)state;
    struct bt_arena arena;
    struct bt_map map;
    struct bt_map_entry *entry = NULL;
    bt_arena_init(&arena, ARENA_BYTES);
    bt_map_init(&map, &arena, seed);
    assert_int_equal(bt_map_reserve(&map, 64), BT_OK);
    /* Numbers whose home is the last slot: they go around the end of the table. */
    uint64_t numbers[20];
    size_t found = 0;
    for (uint64_t i = 1; found < 20; i++) {
        if ((bt_hash_words(map.seed, 0, i, 0) & 127) == 127) {
            numbers[found++] = i;
        }
    }
    for (size_t i = 0; i < found; i++) {
        assert_int_equal(bt_map_add(&map, bt_map_number(numbers[i]), &entry), BT_OK);
    }
    for (size_t i = 0; i < found; i++) {
        assert_ptr_equal(bt_map_find(&map, bt_map_number(numbers[i])), &map.entries[i]);
    }
    assert_int_equal(map.count, found);
    bt_arena_free(&arena);
}

static void reserved_entries_do_not_move(void **state)
{
    (void)state;
    struct bt_arena arena;
    struct bt_map map;
    struct bt_map_entry *entry = NULL;
    bt_arena_init(&arena, ARENA_BYTES);
    bt_map_init(&map, &arena, seed);
    assert_int_equal(bt_map_reserve(&map, 100), BT_OK);
    const struct bt_map_entry *entries = map.entries;
    arena.limit = 0; /* nothing more is taken */
    for (uint64_t i = 0; i < 100; i++) {
        assert_int_equal(bt_map_add(&map, bt_map_number(i), &entry), BT_OK);
        assert_ptr_equal(entry, &entries[i]);
    }
    assert_int_equal(bt_map_reserve(&map, (size_t)1 << 31), BT_ELIMIT);
    bt_arena_free(&arena);
}

static void without_memory_the_map_stays_as_it_was(void **state)
{
    (void)state;
    for (size_t limit = 16; limit < 1 << 16; limit += 400) {
        struct bt_arena arena;
        struct bt_map map;
        struct bt_map_entry *entry = NULL;
        bt_arena_init(&arena, limit);
        bt_map_init(&map, &arena, seed);
        enum bt_status status = BT_OK;
        uint64_t count = 0;
        for (; status == BT_OK; count++) {
            entry = NULL;
            status = bt_map_add(&map, bt_map_number(count), &entry);
        }
        count--;
        assert_int_equal(status, BT_ENOMEM);
        assert_null(entry);
        assert_int_equal(map.count, count);
        for (uint64_t i = 0; i <= count; i++) {
            assert_int_equal(bt_map_find(&map, bt_map_number(i)) != NULL, i < count);
        }
        bt_arena_free(&arena);
    }
}

static void the_seed_changes_where_keys_go(void **state)
{
    (void)state;
    struct bt_arena arena;
    struct bt_map maps[2];
    struct bt_map_entry *entries[2] = {NULL, NULL};
    const uint64_t seeds[2][2] = {{1, 2}, {3, 4}};
    size_t same = 0;
    bt_arena_init(&arena, ARENA_BYTES);
    for (size_t k = 0; k < 2; k++) {
        bt_map_init(&maps[k], &arena, seeds[k]);
    }
    for (uint64_t i = 1; i <= 1000; i++) {
        for (size_t k = 0; k < 2; k++) {
            assert_int_equal(bt_map_add(&maps[k], bt_map_number(i), &entries[k]), BT_OK);
        }
        same += entries[0]->hash % 64 == entries[1]->hash % 64;
    }
    assert_true(same < 100);
    bt_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_steps_give_what_a_list_gives),
        cmocka_unit_test(entries_are_numbered_in_the_order_of_their_insertion),
        cmocka_unit_test(texts_with_equal_beginnings_are_different_keys),
        cmocka_unit_test(keys_that_hash_alike_are_kept_apart),
        cmocka_unit_test(reserved_entries_do_not_move),
        cmocka_unit_test(without_memory_the_map_stays_as_it_was),
        cmocka_unit_test(the_seed_changes_where_keys_go),
    };
    return RUN_TESTS(tests);
}
