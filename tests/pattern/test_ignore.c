/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "base/arena.h"
#include "pattern/ignore.h"

struct lists {
    struct bt_arena arena;
    struct bt_ignore_list top;
    struct bt_ignore_list inner; /* of a folder below */
};

static void begin(struct lists *lists, const char *top, const char *inner)
{
    *lists = (struct lists){.top = {.folder = BT_STR_INIT("/r")}};
    lists->inner = (struct bt_ignore_list){.parent = &lists->top, .folder = BT_STR("/r/in")};
    bt_arena_init(&lists->arena, 1 << 20);
    assert_int_equal(bt_ignore_add_lines(&lists->arena, &lists->top, bt_str_of(top)), BT_OK);
    assert_int_equal(bt_ignore_add_lines(&lists->arena, &lists->inner, bt_str_of(inner)), BT_OK);
}

static bool is_ignored(const struct bt_ignore_list *list, const char *path)
{
    bt_str text = bt_str_of(path);
    const bool is_folder = bt_str_ends_with(text, BT_STR("/"));
    text.len -= is_folder;
    const struct bt_ignore_pattern *found = bt_ignore_find(list, text, is_folder);
    return found && !found->is_negated;
}

static void one_pattern_matches_what_git_says(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        const char *path; /* a slash at its end: a folder */
        bool ignored;
    } rows[] = {
        {"a.json", "/r/a.json", true},
        {"a.json", "/r/x/y/a.json", true},
        {"a.json", "/r/ba.json", false},
        {"/a.json", "/r/a.json", true},
        {"/a.json", "/r/x/a.json", false},
        {"x/a.json", "/r/x/a.json", true},
        {"x/a.json", "/r/y/x/a.json", false},
        {"build/", "/r/build/", true},
        {"build/", "/r/build", false},
        {"build/", "/r/x/build/", true},
        {"x/build/", "/r/x/build/", true},
        {"*.json", "/r/x/a.json", true},
        {"*.json", "/r/x/a.jso", false},
        {"x/*.json", "/r/x/y/a.json", false},
        {"**/a", "/r/a", true},
        {"**/a", "/r/x/y/a", true},
        {"x/**", "/r/x/y/z", true},
        {"x/**", "/r/x/", false},
        {"x/**/z", "/r/x/z", true},
        {"x/**/z", "/r/x/a/b/z", true},
        {"x/**/z", "/r/x/a/b/y", false},
        {"a?c", "/r/abc", true},
        {"a?c", "/r/ac", false},
        {"a[bx]c", "/r/axc", true},
        {"a[!bx]c", "/r/axc", false},
        {"a[!bx]c", "/r/ayc", true},
        {"a[a-f]c", "/r/aec", true},
        {"a[a-f]c", "/r/agc", false},
        {"a[]]c", "/r/a]c", true},
        {"a[bc", "/r/a[bc", false},
        {"a\\[bc", "/r/a[bc", true},
        {"a\xff", "/r/a\xff", false},
        {"a\\*c", "/r/a*c", true},
        {"a\\*c", "/r/abc", false},
        {"# a", "/r/# a", false},
        {"\\#a", "/r/#a", true},
        {"a  ", "/r/a", true},
        {"a\r", "/r/a", true},
        {"", "/r/a", false},
        {"/", "/r/a", false},
        {"*a*a*a*a*a*b", "/r/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac", false},
        {"a", "/s/a", false},
        {"a", "/ra", false},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct lists lists;
        begin(&lists, rows[i].pattern, "");
        if (is_ignored(&lists.top, rows[i].path) != rows[i].ignored) {
            fail_msg("%s is%s ignored by %s", rows[i].path, rows[i].ignored ? " not" : "",
                     rows[i].pattern);
        }
        bt_arena_free(&lists.arena);
    }
}

static void the_last_match_decides_and_deeper_files_come_later(void **state)
{
    (void)state;
    struct lists lists;
    begin(&lists, "*.tmp\n!keep.tmp\n/in/x\n", "!a.tmp\nkeep.tmp\n");
    assert_true(is_ignored(&lists.top, "/r/a.tmp"));
    assert_false(is_ignored(&lists.top, "/r/keep.tmp"));
    assert_true(is_ignored(&lists.inner, "/r/in/b.tmp"));
    assert_false(is_ignored(&lists.inner, "/r/in/a.tmp"));
    assert_true(is_ignored(&lists.inner, "/r/in/keep.tmp"));
    assert_true(is_ignored(&lists.inner, "/r/in/x"));
    bt_arena_free(&lists.arena);
}

static void a_pattern_covers_what_lies_below_what_it_matches(void **state)
{
    (void)state;
    struct lists lists;
    begin(&lists, "x\n!x/keep\n", "");
    assert_true(bt_ignore_cover(&lists.top, BT_STR("/r/x/y/z.json")));
    assert_false(bt_ignore_cover(&lists.top, BT_STR("/r/x/keep/z.json")));
    assert_false(bt_ignore_cover(&lists.top, BT_STR("/r/y/z.json")));
    bt_arena_free(&lists.arena);
}

static void a_pattern_names_the_folders_on_its_way(void **state)
{
    (void)state;
    struct lists lists;
    begin(&lists, ".github/hooks/*.json\n", "");
    assert_true(bt_ignore_name(&lists.top, BT_STR("/r/.github")));
    assert_true(bt_ignore_name(&lists.top, BT_STR("/r/.github/hooks")));
    assert_false(bt_ignore_name(&lists.top, BT_STR("/r/.git")));
    bt_arena_free(&lists.arena);
}

static void a_pattern_that_is_too_long_is_refused_and_skipped_in_a_file(void **state)
{
    (void)state;
    struct lists lists;
    char text[BT_IGNORE_PATTERN_BYTES_MAX + 8];
    memset(text, 'a', sizeof(text));
    begin(&lists, "", "");
    const bt_str longest = {text, BT_IGNORE_PATTERN_BYTES_MAX};
    const bt_str over = {text, BT_IGNORE_PATTERN_BYTES_MAX + 1};
    assert_int_equal(bt_ignore_add(&lists.arena, &lists.top, longest), BT_OK);
    assert_int_equal(bt_ignore_add(&lists.arena, &lists.top, over), BT_ELIMIT);
    assert_int_equal(bt_ignore_add_lines(&lists.arena, &lists.top, over), BT_OK);
    assert_int_equal(lists.top.count, 1);
    bt_arena_free(&lists.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_pattern_matches_what_git_says),
        cmocka_unit_test(the_last_match_decides_and_deeper_files_come_later),
        cmocka_unit_test(a_pattern_covers_what_lies_below_what_it_matches),
        cmocka_unit_test(a_pattern_names_the_folders_on_its_way),
        cmocka_unit_test(a_pattern_that_is_too_long_is_refused_and_skipped_in_a_file),
    };
    return RUN_TESTS(tests);
}
