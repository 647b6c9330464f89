/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "base/arena.h"

static void allocations_are_aligned_and_apart(void **state)
{
    (void)state;
    struct bt_arena arena;
    bt_arena_init(&arena, 1 << 20);
    char *last = NULL;
    for (size_t size = 0; size < 200; size++) {
        char *memory = bt_arena_alloc(&arena, size);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % 16, 0);
        memset(memory, (int)size, size);
        if (last && size > 1) {
            assert_int_equal(last[0], (char)(size - 1));
        }
        last = memory;
    }
    bt_arena_free(&arena);
}

static void the_limit_is_never_exceeded(void **state)
{
    (void)state;
    for (size_t limit = 0; limit < 20000; limit += 16) {
        struct bt_arena arena;
        bt_arena_init(&arena, limit);
        while (bt_arena_alloc(&arena, 100)) {
            assert_true(arena.taken <= limit);
        }
        assert_true(arena.taken <= limit);
        assert_null(bt_arena_alloc(&arena, limit));
        bt_arena_free(&arena);
        assert_int_equal(arena.taken, 0);
    }
}

static void sizes_that_overflow_are_refused(void **state)
{
    (void)state;
    struct bt_arena arena;
    bt_arena_init(&arena, SIZE_MAX);
    assert_null(bt_arena_alloc(&arena, SIZE_MAX));
    assert_null(bt_arena_alloc(&arena, SIZE_MAX - 15));
    assert_null(bt_arena_calloc(&arena, SIZE_MAX / 2, 3));
    bt_str out = {0};
    assert_int_equal(bt_arena_copy(&arena, (bt_str){"x", SIZE_MAX}, &out), BT_ENOMEM);
    bt_arena_free(&arena);
}

static void calloc_gives_zeroes_after_a_reset(void **state)
{
    (void)state;
    struct bt_arena arena;
    bt_arena_init(&arena, 1 << 16);
    char *dirty = bt_arena_alloc(&arena, 512);
    assert_non_null(dirty);
    memset(dirty, 0xff, 512);
    bt_arena_reset(&arena);
    const char *clean = bt_arena_calloc(&arena, 8, 64);
    assert_non_null(clean);
    for (size_t i = 0; i < 512; i++) {
        assert_int_equal(clean[i], 0);
    }
    bt_arena_free(&arena);
}

static void a_reset_keeps_one_chunk(void **state)
{
    (void)state;
    struct bt_arena arena;
    bt_arena_init(&arena, 1 << 20);
    for (int i = 0; i < 100; i++) {
        assert_non_null(bt_arena_alloc(&arena, 1000));
    }
    const size_t before = arena.taken;
    bt_arena_reset(&arena);
    assert_true(arena.taken > 0);
    assert_true(arena.taken < before);
    const size_t kept = arena.taken;
    assert_non_null(bt_arena_alloc(&arena, 1000));
    assert_int_equal(arena.taken, kept);
    bt_arena_free(&arena);
}

static void a_rewind_forgets_what_came_after_the_mark(void **state)
{
    (void)state;
    struct bt_arena arena;
    bt_arena_init(&arena, 1 << 20);
    char *kept = bt_arena_alloc(&arena, 10);
    assert_non_null(kept);
    memcpy(kept, "123456789", 10);
    const struct bt_arena_mark mark = bt_arena_mark(&arena);
    const size_t taken = arena.taken;
    const char *first = bt_arena_alloc(&arena, 8);
    for (int i = 0; i < 50; i++) {
        assert_non_null(bt_arena_alloc(&arena, 3000));
    }
    bt_arena_rewind(&arena, mark);
    assert_int_equal(arena.taken, taken);
    assert_ptr_equal(bt_arena_alloc(&arena, 8), first);
    assert_string_equal(kept, "123456789");
    bt_arena_free(&arena);
}

static void text_is_copied_and_formatted(void **state)
{
    (void)state;
    struct bt_arena arena;
    bt_arena_init(&arena, 1 << 20);
    bt_str copy = {0};
    assert_int_equal(bt_arena_copy(&arena, BT_STR("abc"), &copy), BT_OK);
    assert_str(copy, "abc");
    assert_int_equal(copy.ptr[3], 0);
    assert_int_equal(bt_arena_printf(&arena, &copy, "%d-%s", 7, "x"), BT_OK);
    assert_str(copy, "7-x");
    for (int width = 1; width < 400; width++) {
        assert_int_equal(bt_arena_printf(&arena, &copy, "%*d|", width, 7), BT_OK);
        assert_int_equal(copy.len, (size_t)width + 1);
        assert_true(bt_str_ends_with(copy, BT_STR("7|")));
        assert_int_equal(copy.ptr[copy.len], 0);
    }
    bt_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_are_aligned_and_apart),
        cmocka_unit_test(the_limit_is_never_exceeded),
        cmocka_unit_test(sizes_that_overflow_are_refused),
        cmocka_unit_test(calloc_gives_zeroes_after_a_reset),
        cmocka_unit_test(a_reset_keeps_one_chunk),
        cmocka_unit_test(a_rewind_forgets_what_came_after_the_mark),
        cmocka_unit_test(text_is_copied_and_formatted),
    };
    return RUN_TESTS(tests);
}
