/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_catalogue.c - names, lookups, and memory that runs out.
 */
#include "made.h"

static void names_are_compared_without_case_and_white_space(void **state)
{
    (void)state;
    static const struct {
        const char *a;
        const char *b;
        bool same;
    } rows[] = {
        {"a", "a", true},        {"A", "a", true},
        {" a\t", "\r\na", true}, {"a b", "a  b", false},
        {"a", "b", false},       {"a", "ab", false},
        {"", " ", true},         {"\xc3\x84", "\xc3\xa4", false},
        {"[", "{", false},       {"@", "`", false},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(bt_skill_name_equal(bt_str_of(rows[i].a), bt_str_of(rows[i].b)),
                         rows[i].same);
        const int order = bt_skill_name_compare(bt_str_of(rows[i].a), bt_str_of(rows[i].b));
        const int other = bt_skill_name_compare(bt_str_of(rows[i].b), bt_str_of(rows[i].a));
        assert_true((order < 0) == (other > 0));
    }
}

static void a_skill_is_found_however_it_is_spelled(void **state)
{
    (void)state;
    struct bt_arena arena;
    struct bt_skill_catalogue catalogue;
    bt_arena_init(&arena, MADE_BYTES_MAX);
    assert_int_equal(make_catalogue(&arena, BT_STR("---\nname: Mute\n---\n"),
                                    BT_STR("workflows: [{name: far, handoff: {accepts_from: []}}]"),
                                    &catalogue),
                     BT_OK);
    assert_str(bt_skill_catalogue_find(&catalogue, BT_STR(" PATCH-builder"))->name,
               "patch-builder");
    assert_str(bt_skill_catalogue_find(&catalogue, BT_STR("far"))->name, "far");
    assert_null(bt_skill_catalogue_find(&catalogue, BT_STR("near")));
    assert_null(bt_skill_catalogue_find(&catalogue, BT_STR("")));
    const struct bt_skill *mute = bt_skill_catalogue_find(&catalogue, BT_STR("mute"));
    assert_non_null(mute);
    assert_false(mute->is_discoverable);
    assert_int_equal(bt_skill_catalogue_count(&catalogue), 4);
    assert_str(bt_skill_catalogue_at(&catalogue, 0)->name, "far");
    assert_str(bt_skill_catalogue_at(&catalogue, 3)->name, "release-planner");
    bt_arena_free(&arena);
}

/* Everything that a catalogue can be asked, in one arena. */
static enum bt_status ask_everything(struct bt_arena *arena)
{
    struct bt_skill_catalogue catalogue;
    const struct bt_skill_query wanted = {
        .source = BT_STR("release-planner"), .version = BT_STR("3.0"), .top = 5};
    const struct bt_skill_candidate *candidates = NULL;
    struct bt_skill_registry_result sync;
    size_t count = 0;
    BT_TRY(make_catalogue(arena, BT_STR("---\nname: old-hand\n---\n"),
                          BT_STR("workflows: [{name: far, meta: {a: [1]}}]"), &catalogue));
    struct bt_findings *findings = bt_findings_new(arena);
    struct bt_report *report = bt_report_new(arena);
    if (!findings || !report) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_skill_catalogue_add_findings(&catalogue, findings));
    BT_TRY(bt_skill_catalogue_lint(&catalogue, report));
    BT_TRY(bt_skill_discover(&catalogue, &wanted, arena, &candidates, &count));
    assert_int_equal(count, 1);
    BT_TRY(bt_skill_registry_sync(&catalogue, (bt_instant){0, 0}, arena, &sync));
    assert_int_equal(sync.total, 3);
    return BT_OK;
}

static void running_out_of_memory_is_a_status(void **state)
{
    (void)state;
    enum bt_status status = BT_ENOMEM;
    size_t failed = 0;
    for (size_t limit = 64; status != BT_OK && limit < MADE_BYTES_MAX; limit += 512) {
        struct bt_arena arena;
        bt_arena_init(&arena, limit);
        status = ask_everything(&arena);
        assert_true(status == BT_OK || status == BT_ENOMEM);
        failed += status != BT_OK;
        bt_arena_free(&arena);
    }
    assert_int_equal(status, BT_OK);
    assert_true(failed > 3);
}

static void a_broken_registry_is_never_synced(void **state)
{
    (void)state;
    struct bt_arena arena;
    struct bt_skill_catalogue catalogue;
    struct bt_skill_registry_result sync;
    bt_arena_init(&arena, MADE_BYTES_MAX);
    assert_int_equal(make_catalogue(&arena, BT_STR(""), BT_STR("workflows: 1"), &catalogue), BT_OK);
    assert_true(bt_skill_catalogue_has_unreadable_registry(&catalogue));
    assert_int_equal(bt_skill_registry_sync(&catalogue, (bt_instant){0, 0}, &arena, &sync),
                     BT_EINVAL);
    assert_int_equal(make_catalogue(&arena, BT_STR(""), BT_STR("workflows: []"), &catalogue),
                     BT_OK);
    assert_int_equal(bt_skill_registry_sync(&catalogue, (bt_instant){0, 0}, &arena, &sync), BT_OK);
    bt_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_compared_without_case_and_white_space),
        cmocka_unit_test(a_skill_is_found_however_it_is_spelled),
        cmocka_unit_test(running_out_of_memory_is_a_status),
        cmocka_unit_test(a_broken_registry_is_never_synced),
    };
    return RUN_TESTS(tests);
}
