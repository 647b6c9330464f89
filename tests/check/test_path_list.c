/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "base/arena.h"
#include "check/path_list.h"

struct lists {
    struct bt_arena arena;
    struct check_path_list list;
};

static void begin(struct lists *lists)
{
    *lists = (struct lists){.list = {NULL, 0, 0}};
    bt_arena_init(&lists->arena, 1 << 20);
}

static void expect_paths(const struct lists *lists, const char *const *wanted, size_t count)
{
    assert_int_equal(lists->list.count, count);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(lists->list.items[i].path, wanted[i]);
        assert_false(lists->list.items[i].is_stdin);
    }
}

static void each_line_is_a_path(void **state)
{
    (void)state;
    static const char *const wanted[] = {"a.json", "b c.json", "./-", " d", "e\r"};
    struct lists lists;
    begin(&lists);
    assert_int_equal(check_path_list_add_lines(&lists.arena, &lists.list,
                                               BT_STR("a.json\n\nb c.json\n-\n d\ne\r"), false),
                     BT_OK);
    expect_paths(&lists, wanted, 5);
    bt_arena_free(&lists.arena);
}

static void with_nul_bytes_a_path_may_have_line_ends(void **state)
{
    (void)state;
    static const char *const wanted[] = {"a\nb", "c"};
    static const char text[] = "a\nb\0\0c";
    struct lists lists;
    begin(&lists);
    const bt_str whole = {text, sizeof(text) - 1};
    assert_int_equal(check_path_list_add_lines(&lists.arena, &lists.list, whole, true), BT_OK);
    expect_paths(&lists, wanted, 2);
    assert_int_equal(check_path_list_add_lines(&lists.arena, &lists.list, whole, false), BT_EINVAL);
    expect_paths(&lists, wanted, 2);
    bt_arena_free(&lists.arena);
}

static void an_operand_can_be_standard_input(void **state)
{
    (void)state;
    struct lists lists;
    begin(&lists);
    assert_int_equal(check_path_list_add(&lists.arena, &lists.list, "-"), BT_OK);
    assert_int_equal(check_path_list_add(&lists.arena, &lists.list, "./-"), BT_OK);
    assert_true(lists.list.items[0].is_stdin);
    assert_false(lists.list.items[1].is_stdin);
    bt_arena_free(&lists.arena);
}

static void without_memory_nothing_is_added_halfway(void **state)
{
    (void)state;
    enum bt_status status = BT_ENOMEM;
    for (size_t limit = 16; status != BT_OK && limit < 1 << 16; limit += 16) {
        struct lists lists;
        begin(&lists);
        bt_arena_init(&lists.arena, limit);
        status = check_path_list_add_lines(&lists.arena, &lists.list, BT_STR("a\nb\nc\n"), false);
        assert_true(status == BT_OK || status == BT_ENOMEM);
        assert_true(lists.list.count <= 3);
        bt_arena_free(&lists.arena);
    }
    assert_int_equal(status, BT_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_line_is_a_path),
        cmocka_unit_test(with_nul_bytes_a_path_may_have_line_ends),
        cmocka_unit_test(an_operand_can_be_standard_input),
        cmocka_unit_test(without_memory_nothing_is_added_halfway),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
