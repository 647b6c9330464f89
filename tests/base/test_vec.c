/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_vec.c - growing arrays against plain arrays that are large enough.
 */
#include "test.h"

#include "base/arena.h"
#include "base/vec.h"

enum { ITEMS = 5000, ARENA_BYTES = 1 << 20 };

struct vec_pair {
    uint64_t first;
    char second;
};

static void items_stay_in_their_order(void **state)
{
    (void)state;
    struct bt_arena arena;
    BT_VEC(struct vec_pair) pairs = {NULL, 0, 0};
    bt_arena_init(&arena, ARENA_BYTES);
    for (size_t i = 0; i < ITEMS; i++) {
        assert_int_equal(bt_vec_push(&arena, &pairs, (struct vec_pair){i * i, (char)i}), BT_OK);
        assert_int_equal(pairs.count, i + 1);
        assert_true(pairs.capacity >= pairs.count && pairs.capacity <= 16 + 2 * pairs.count);
    }
    for (size_t i = 0; i < ITEMS; i++) {
        assert_int_equal(pairs.items[i].first, i * i);
        assert_int_equal(pairs.items[i].second, (char)i);
    }
    bt_arena_free(&arena);
}

static void new_room_is_zeroed(void **state)
{
    (void)state;
    struct bt_arena arena;
    BT_VEC(uint32_t) numbers = {NULL, 0, 0};
    bt_arena_init(&arena, ARENA_BYTES);
    memset(bt_arena_alloc(&arena, 4096), 0xa5, 4096);
    bt_arena_reset(&arena); /* the chunk is used again, with what was written to it */
    for (size_t more = 1; more <= 100; more += 33) {
        assert_int_equal(bt_vec_reserve(&arena, &numbers, more), BT_OK);
        assert_true(numbers.capacity - numbers.count >= more);
        for (size_t i = numbers.count; i < numbers.capacity; i++) {
            assert_int_equal(numbers.items[i], 0);
            numbers.items[i] = UINT32_MAX;
        }
        numbers.count = numbers.capacity;
    }
    for (size_t i = 0; i < numbers.count; i++) {
        assert_int_equal(numbers.items[i], UINT32_MAX);
    }
    bt_arena_free(&arena);
}

static void a_reservation_that_fits_changes_nothing(void **state)
{
    (void)state;
    struct bt_arena arena;
    BT_VEC(char) bytes = {NULL, 0, 0};
    bt_arena_init(&arena, ARENA_BYTES);
    assert_int_equal(bt_vec_reserve(&arena, &bytes, 0), BT_OK);
    assert_null(bytes.items);
    assert_int_equal(bt_vec_reserve(&arena, &bytes, 100), BT_OK);
    assert_int_equal(bytes.capacity, 100);
    const char *before = bytes.items;
    for (size_t i = 0; i < 100; i++) {
        assert_int_equal(bt_vec_push(&arena, &bytes, 'x'), BT_OK);
        assert_ptr_equal(bytes.items, before);
        assert_int_equal(bt_vec_grow(&arena, (void *)&bytes.items, bytes.count, &bytes.capacity,
                                     100 - bytes.count, 1),
                         BT_OK);
    }
    assert_int_equal(bytes.capacity, 100);
    bt_arena_free(&arena);
}

static void without_memory_everything_stays(void **state)
{
    (void)state;
    for (size_t limit = 16; limit < 1 << 14; limit += 48) {
        struct bt_arena arena;
        BT_VEC(uint64_t) numbers = {NULL, 0, 0};
        bt_arena_init(&arena, limit);
        enum bt_status status = BT_OK;
        while (status == BT_OK) {
            const size_t count = numbers.count;
            const size_t capacity = numbers.capacity;
            const uint64_t *items = numbers.items;
            status = bt_vec_push(&arena, &numbers, count);
            if (status != BT_OK) {
                assert_int_equal(status, BT_ENOMEM);
                assert_int_equal(numbers.count, count);
                assert_int_equal(numbers.capacity, capacity);
                assert_ptr_equal(numbers.items, items);
            }
        }
        for (size_t i = 0; i < numbers.count; i++) {
            assert_int_equal(numbers.items[i], i);
        }
        bt_arena_free(&arena);
    }
}

static void sizes_that_overflow_are_refused(void **state)
{
    (void)state;
    struct bt_arena arena;
    struct vec_pair *items = NULL;
    size_t capacity = 0;
    bt_arena_init(&arena, SIZE_MAX / 2);
    assert_int_equal(bt_vec_grow(&arena, (void *)&items, 0, &capacity, SIZE_MAX, 16), BT_ELIMIT);
    assert_int_equal(bt_vec_grow(&arena, (void *)&items, 0, &capacity, BT_VEC_COUNT_MAX + 1, 16),
                     BT_ELIMIT);
    assert_int_equal(bt_vec_grow(&arena, (void *)&items, 0, &capacity, 2, SIZE_MAX / 2 + 1),
                     BT_ENOMEM);
    assert_null(items);
    assert_int_equal(capacity, 0);
    BT_VEC(char) full = {NULL, BT_VEC_COUNT_MAX, BT_VEC_COUNT_MAX};
    assert_int_equal(bt_vec_push(&arena, &full, 'x'), BT_ELIMIT);
    assert_int_equal(full.count, BT_VEC_COUNT_MAX);
    bt_arena_free(&arena);
}

static void a_maximum_is_never_exceeded(void **state)
{
    (void)state;
    struct bt_arena arena;
    BT_VEC(bt_str) texts = {NULL, 0, 0};
    bt_arena_init(&arena, ARENA_BYTES);
    for (size_t i = 0; i < 40; i++) {
        const enum bt_status status = bt_vec_push_max(&arena, &texts, 33, BT_STR("text"));
        assert_int_equal(status, i < 33 ? BT_OK : BT_ELIMIT);
    }
    assert_int_equal(texts.count, 33);
    bt_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_stay_in_their_order),
        cmocka_unit_test(new_room_is_zeroed),
        cmocka_unit_test(a_reservation_that_fits_changes_nothing),
        cmocka_unit_test(without_memory_everything_stays),
        cmocka_unit_test(sizes_that_overflow_are_refused),
        cmocka_unit_test(a_maximum_is_never_exceeded),
    };
    return RUN_TESTS(tests);
}
