/* SPDX-License-Identifier: Apache-2.0 */
/* test_fix.c - all fixes of a document, and the fix of one finding alone, as edits. */
#include "test.h"

#include "engine/fix.h"

static const char handoff[] =
    "{\"handoff\":{\"version\":\"3.0\", \"schema_type\":\"universal\",\n"
    " \"timestamp\":\"2026-04-14T10:30:00+02:00\",\"trace_id\":\"6a0f2c1d-8b3e-4c57-9d21-"
    "5e7f90ab13c4\","
    "\"source\":{\"skill\":\"a\",\"workflow_id\":\"r\",\"session_path\":\"w\",\"phase\":\"P\"},"
    "\"target\":{\"skill\":\"b\"},\"contxt\":{\"summary\":\"s\",\"problem_type\":\"Research\"},"
    "\"payload\":{\"working\":{}},\"meta\":{\"token_count\":1,\"confidence\":\"high\"}}}";

struct fix_world {
    struct bt_env env;
    struct bt_arena arena;
    struct bt_check_options options;
};

static void open_world(struct fix_world *world, enum bt_dialect_id dialect)
{
    assert_int_equal(bt_env_init(&world->env), BT_OK);
    bt_arena_init(&world->arena, 64 << 20);
    world->options =
        (struct bt_check_options){.dialect = dialect, .checker = bt_checker_create(&world->env)};
    assert_non_null(world->options.checker);
}

static void close_world(struct fix_world *world)
{
    bt_checker_destroy(world->options.checker);
    bt_arena_free(&world->arena);
}

static struct bt_fix_result fix_text(struct fix_world *world, const char *text,
                                     struct bt_fix_choice choice)
{
    const struct bt_fix_input input = {.env = &world->env,
                                       .path = BT_STR("x"),
                                       .content = bt_str_of(text),
                                       .options = &world->options,
                                       .choice = choice};
    struct bt_fix_result result;
    bt_str edited = BT_STR("");
    assert_int_equal(bt_fix(&input, &world->arena, &result), BT_OK);
    assert_int_equal(bt_edit_list_apply(&result.edits, input.content, &world->arena, &edited),
                     BT_OK);
    assert_true(bt_str_eq(edited, result.text));
    assert_non_null(result.judged.changes);
    return result;
}

/* The finding of this code and pointer about a text. */
static const struct bt_finding *find_finding(struct fix_world *world, const char *text,
                                             const char *code, const char *pointer)
{
    struct bt_judgement judged;
    assert_int_equal(bt_check_document(&world->env, &world->arena, BT_STR("x"), bt_str_of(text),
                                       &world->options, &judged),
                     BT_OK);
    for (size_t i = 0; i < bt_findings_count(judged.findings); i++) {
        const struct bt_finding *finding = bt_findings_at(judged.findings, i);
        if (bt_str_eq(finding->rule->code, bt_str_of(code)) &&
            bt_str_eq(finding->pointer, bt_str_of(pointer))) {
            return finding;
        }
    }
    fail_msg("no %s at %s", code, pointer);
    return NULL;
}

static void one_finding_is_fixed_alone_and_the_count_stays(void **state)
{
    (void)state;
    static const struct {
        const char *code;
        const char *pointer;
        const char *removed;
        const char *text;
    } rows[] = {
        {"TIMESTAMP_NOT_UTC", "/handoff/timestamp", "\"2026-04-14T10:30:00+02:00\"",
         "\"2026-04-14T08:30:00Z\""},
        {"SCHEMA_UNEVALUATED_PROPERTIES", "/handoff/contxt", "contxt", "context"},
        {"SCHEMA_REQUIRED", "/handoff", "contxt", "context"},
    };
    struct fix_world world;
    open_world(&world, BT_DIALECT_UNIVERSAL);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct bt_finding *only =
            find_finding(&world, handoff, rows[i].code, rows[i].pointer);
        const struct bt_fix_result fixed =
            fix_text(&world, handoff, (struct bt_fix_choice){.only = only});
        assert_int_equal(fixed.edits.count, 1);
        const struct bt_edit *edit = &fixed.edits.items[0];
        assert_true(bt_str_eq(bt_str_slice(bt_str_of(handoff), edit->begin, edit->end),
                              bt_str_of(rows[i].removed)));
        assert_true(bt_str_eq(edit->text, bt_str_of(rows[i].text)));
    }
    close_world(&world);
}

static void a_finding_about_the_count_changes_the_count(void **state)
{
    (void)state;
    struct fix_world world;
    open_world(&world, BT_DIALECT_UNIVERSAL);
    const struct bt_finding *drift =
        find_finding(&world, handoff, "TOKENS_DRIFT", "/handoff/meta/token_count");
    const struct bt_fix_result fixed =
        fix_text(&world, handoff, (struct bt_fix_choice){.only = drift});
    assert_int_equal(fixed.edits.count, 1);
    assert_str(
        bt_str_slice(bt_str_of(handoff), fixed.edits.items[0].begin, fixed.edits.items[0].end),
        "1");
    close_world(&world);
}

static void all_fixes_are_edits_of_the_given_text(void **state)
{
    (void)state;
    struct fix_world world;
    open_world(&world, BT_DIALECT_UNIVERSAL);
    const struct bt_fix_result safe = fix_text(&world, handoff, (struct bt_fix_choice){0});
    assert_int_equal(safe.edits.count, 2); /* the time and the count */
    const struct bt_fix_result all =
        fix_text(&world, handoff, (struct bt_fix_choice){.unsafe = true});
    assert_int_equal(all.edits.count, 4); /* the name and the word in another case as well */
    assert_int_equal(all.judged.verdict, BT_VERDICT_ACCEPTED);
    assert_int_equal(all.judged.fixed, 3);
    assert_int_equal(all.judged.changes->count, 4);
    assert_int_equal(all.judged.changes->items[0].position.line, 2);
    close_world(&world);
}

static void plans_are_fixed_row_by_row(void **state)
{
    (void)state;
    static const char plan[] = "step_id,agent\n1,a,\n2,b,,\n";
    struct fix_world world;
    open_world(&world, BT_DIALECT_PLAN);
    const struct bt_finding *second = find_finding(&world, plan, "CSV_RAGGED_ROW", "/2");
    assert_str(fix_text(&world, plan, (struct bt_fix_choice){.only = second}).text,
               "step_id,agent\n1,a,\n2,b\n");
    assert_str(fix_text(&world, plan, (struct bt_fix_choice){0}).text, "step_id,agent\n1,a\n2,b\n");
    close_world(&world);
}

static void a_dialect_without_fixes_is_only_judged(void **state)
{
    (void)state;
    struct fix_world world;
    open_world(&world, BT_DIALECT_JSON);
    const struct bt_fix_result fixed =
        fix_text(&world, "[1,", (struct bt_fix_choice){.unsafe = true});
    assert_int_equal(fixed.edits.count, 0);
    assert_int_equal(fixed.judged.verdict, BT_VERDICT_REJECTED);
    close_world(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_finding_is_fixed_alone_and_the_count_stays),
        cmocka_unit_test(a_finding_about_the_count_changes_the_count),
        cmocka_unit_test(all_fixes_are_edits_of_the_given_text),
        cmocka_unit_test(plans_are_fixed_row_by_row),
        cmocka_unit_test(a_dialect_without_fixes_is_only_judged),
    };
    return RUN_TESTS(tests);
}
