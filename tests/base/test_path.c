/* SPDX-License-Identifier: Apache-2.0 */
/* test_path.c - paths as names. */
#include "test.h"

#include "base/arena.h"
#include "base/path.h"

static void dots_are_resolved_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        const char *resolved;
    } rows[] = {{"/a/b", "/a/b"},     {"/a//b/", "/a/b"}, {"/a/./b/..", "/a"},
                {"/../a", "/a"},      {"/", ""},          {"", ""},
                {"/a/../../b", "/b"}, {"a/b", "/a/b"},    {"/a/...", "/a/..."}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_arena arena;
        bt_str out;
        bt_arena_init(&arena, 1 << 16);
        assert_int_equal(bt_path_resolve(&arena, bt_str_of(rows[i].path), &out), BT_OK);
        assert_true(bt_str_eq(out, bt_str_of(rows[i].resolved)));
        assert_int_equal(out.ptr[out.len], '\0');
        bt_arena_free(&arena);
    }
}

static void parts_and_parents_are_found(void **state)
{
    (void)state;
    size_t at = 0;
    bt_str part;
    assert_true(bt_path_next(BT_STR("//a/b/"), &at, &part));
    assert_str(part, "a");
    assert_true(bt_path_next(BT_STR("//a/b/"), &at, &part));
    assert_str(part, "b");
    assert_false(bt_path_next(BT_STR("//a/b/"), &at, &part));
    assert_str(bt_path_parent(BT_STR("/a/b")), "/a");
    assert_str(bt_path_parent(BT_STR("/a")), "");
    assert_str(bt_path_parent(BT_STR("a")), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dots_are_resolved_by_name),
        cmocka_unit_test(parts_and_parents_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
