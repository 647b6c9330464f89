/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_growth.c - ten times the rows take about ten times the work; counted, not timed.
 */
#include "plan_test.h"

#include "dialect/plan/footprint.h"

static const uint64_t seed[2] = {1, 2};

/* Work of placing `count` paths that all lie below one folder. */
static uint64_t work_of_paths(size_t count)
{
    struct bt_arena arena;
    bt_arena_init(&arena, (size_t)1 << 30);
    struct bt_plan_path_tree *tree = bt_plan_path_tree_new(&arena, seed);
    assert_non_null(tree);
    for (size_t i = 0; i < count; i++) {
        bt_str path;
        const struct bt_plan_placed_step placed = {1 + i % 7, i};
        assert_int_equal(bt_arena_printf(&arena, &path, "src/part/file%zu.c", i), BT_OK);
        (void)bt_plan_path_tree_conflict(tree, path, true);
        assert_int_equal(bt_plan_path_tree_add(tree, path, true, placed), BT_OK);
    }
    const uint64_t work = bt_plan_path_tree_work(tree);
    bt_arena_free(&arena);
    return work;
}

static void the_work_of_a_path_does_not_depend_on_how_many_there_are(void **state)
{
    (void)state;
    assert_true(work_of_paths(10000) <= 11 * work_of_paths(1000));
}

static void a_path_touches_itself_what_is_above_and_what_is_below(void **state)
{
    (void)state;
    static const struct row {
        const char *placed;
        const char *asked;
        bool touches;
    } rows[] = {
        {"a/b", "a/b", true},  {"a", "a/b", true},  {"a/b", "a", true},  {"src", "src2/a", false},
        {"a/b", "a/c", false}, {"", "a/b/c", true}, {"a/b/c", "", true}, {"a/b", "a/bc", false},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_arena arena;
        bt_arena_init(&arena, 1 << 20);
        struct bt_plan_path_tree *tree = bt_plan_path_tree_new(&arena, seed);
        const struct bt_plan_placed_step placed = {3, 5};
        assert_int_equal(bt_plan_path_tree_add(tree, bt_str_of(rows[i].placed), true, placed),
                         BT_OK);
        const struct bt_plan_placed_step found =
            bt_plan_path_tree_conflict(tree, bt_str_of(rows[i].asked), false);
        assert_int_equal(found.wave, rows[i].touches ? 3 : 0);
        bt_arena_free(&arena);
    }
}

static bt_str make_plan(struct bt_arena *arena, size_t rows)
{
    struct bt_buf buf;
    bt_str text;
    bt_buf_init(&buf, 8 << 20);
    bt_buf_put_text(&buf, "step,agent,action,inputs,outputs,status,notes,depends_on\n");
    for (size_t i = 1; i <= rows; i++) {
        bt_buf_printf(&buf, "%zu,@a,do,in/%zu.md,out/%zu.md,,,%zu\n", i, i % 97, i,
                      i > 9 ? i - 9 : 0);
    }
    for (size_t i = 0; i + 2 < buf.len; i++) {
        if (buf.ptr[i] == ',' && buf.ptr[i + 1] == '0' && buf.ptr[i + 2] == '\n') {
            buf.ptr[i + 1] = '-';
        }
    }
    assert_int_equal(bt_buf_copy(&buf, arena, &text), BT_OK);
    bt_buf_free(&buf);
    return text;
}

/* Bytes that judging a plan of so many rows takes from the arena: what is all pairs shows. */
static size_t memory_of(size_t rows, bool waves)
{
    struct world world;
    struct bt_plan_result result;
    world_begin(&world);
    const struct bt_plan_input input = {BT_STR("p"), make_plan(&world.arena, rows), NULL};
    assert_int_equal(waves ? bt_plan_waves(world.plans, &world.arena, &input, false, &result)
                           : bt_plan_audit(world.plans, &world.arena, &input, &result),
                     BT_OK);
    assert_true(result.members.len > 0);
    const size_t taken = world.arena.taken;
    world_end(&world);
    return taken;
}

static void audit_and_waves_grow_with_the_rows(void **state)
{
    (void)state;
    /* Chunks double, so ten times the rows may take twenty times the memory; pairs take hundred. */
    assert_true(memory_of(20000, false) <= 25 * memory_of(2000, false));
    assert_true(memory_of(20000, true) <= 25 * memory_of(2000, true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_work_of_a_path_does_not_depend_on_how_many_there_are),
        cmocka_unit_test(a_path_touches_itself_what_is_above_and_what_is_below),
        cmocka_unit_test(audit_and_waves_grow_with_the_rows),
    };
    return RUN_TESTS(tests);
}
