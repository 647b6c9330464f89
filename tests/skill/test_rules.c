/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_rules.c - every rule about skills can be broken and kept, by its own examples.
 */
#include "made.h"

/* Whether lint finds the rule among all that it says of the catalogue. */
static bool is_linted(const struct bt_rule *rule, struct bt_arena *arena,
                      const struct bt_skill_catalogue *catalogue)
{
    struct bt_report *report = bt_report_new(arena);
    bool found = false;
    assert_non_null(report);
    assert_int_equal(bt_skill_catalogue_lint(catalogue, report), BT_OK);
    for (size_t i = 0; i < bt_report_count(report); i++) {
        const struct bt_judgement *judged = bt_report_at(report, i);
        /* The companions are not at issue: one of them is of the older protocol. */
        const bool is_probe = i >= COUNT_OF(companions);
        for (size_t k = 0; is_probe && k < bt_findings_count(judged->findings); k++) {
            found = found || bt_findings_at(judged->findings, k)->rule == rule;
        }
    }
    return found;
}

static bool breaks_as_skill(const struct bt_rule *rule, bt_str example, struct bt_arena *arena)
{
    struct bt_skill_catalogue catalogue;
    assert_int_equal(make_catalogue(arena, example, BT_STR(""), &catalogue), BT_OK);
    return is_linted(rule, arena, &catalogue);
}

static bool breaks_as_registry(const struct bt_rule *rule, bt_str example, struct bt_arena *arena)
{
    struct bt_skill_catalogue catalogue;
    assert_int_equal(make_catalogue(arena, BT_STR(""), example, &catalogue), BT_OK);
    return is_linted(rule, arena, &catalogue);
}

/* The example is the path of a file, and what the scan makes of its name. */
static bool breaks_as_name(const struct bt_rule *rule, bt_str example, struct bt_arena *arena)
{
    struct bt_skill_catalogue catalogue;
    assert_int_equal(
        make_catalogue(arena, BT_STR("---\nname: probe\n---\n"), BT_STR(""), &catalogue), BT_OK);
    catalogue.files[COUNT_OF(companions)].is_misnamed =
        !bt_str_ends_with(example, BT_STR("/SKILL.md"));
    return is_linted(rule, arena, &catalogue);
}

/* The example's members take the place of those of a handoff from one companion to another. */
static bool breaks_as_handoff(const struct bt_rule *rule, bt_str example, struct bt_arena *arena)
{
    struct bt_skill_catalogue catalogue;
    struct bt_json_read_result part = {0};
    struct bt_json_read_result whole = {0};
    bt_str text;
    assert_int_equal(make_catalogue(arena, BT_STR(""), BT_STR(""), &catalogue), BT_OK);
    assert_int_equal(bt_json_read(arena, example, NULL, &part), BT_OK);
    const bt_json_value *root = bt_json_root(part.document);
    const bt_json_value *source = bt_json_resolve(part.document, root, BT_STR("/source/skill"));
    const bt_json_value *target = bt_json_resolve(part.document, root, BT_STR("/target/skill"));
    const bt_json_value *prompt =
        bt_json_resolve(part.document, root, BT_STR("/context/original_prompt"));
    const bool has_prompt = !prompt || bt_json_type(prompt) == BT_JSON_STRING;
    assert_int_equal(bt_arena_printf(arena, &text, "{\"handoff\":{\"context\":{%s}}}",
                                     has_prompt ? "\"original_prompt\":\"x\"" : ""),
                     BT_OK);
    assert_int_equal(bt_json_read(arena, text, NULL, &whole), BT_OK);
    struct bt_findings *findings = bt_findings_new(arena);
    const struct bt_skill_edge edge = {
        .document = whole.document,
        .handoff = bt_json_get(whole.document, bt_json_root(whole.document), BT_STR("handoff")),
        .source = source ? bt_json_text(source) : BT_STR("release-planner"),
        .target = target ? bt_json_text(target) : BT_STR("patch-builder"),
        .version = BT_STR("3.0"),
    };
    bool found = false;
    assert_int_equal(bt_skill_check_edge(&catalogue, &edge, findings), BT_OK);
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        found = found || bt_findings_at(findings, i)->rule == rule;
    }
    return found;
}

static bool breaks(const struct bt_rule *rule, bt_str example)
{
    struct bt_arena arena;
    bool found = false;
    bt_arena_init(&arena, MADE_BYTES_MAX);
    if (bt_str_starts_with(rule->code, BT_STR("TARGET_"))) {
        found = breaks_as_handoff(rule, example, &arena);
    } else if (bt_str_starts_with(rule->code, BT_STR("REGISTRY_"))) {
        found = breaks_as_registry(rule, example, &arena);
    } else if (bt_str_eq(rule->code, BT_STR("SKILL_FILE_NAME"))) {
        found = breaks_as_name(rule, example, &arena);
    } else {
        found = breaks_as_skill(rule, example, &arena);
    }
    bt_arena_free(&arena);
    return found;
}

static void every_rule_is_broken_by_its_bad_example_and_kept_by_its_good_one(void **state)
{
    (void)state;
    size_t shown = 0;
    for (size_t i = 0; i < bt_rules_count(); i++) {
        const struct bt_rule *rule = bt_rules_at(i);
        const bool is_about_skills = bt_str_eq(rule->dialect, BT_STR("skill"));
        const bool is_governance =
            bt_str_eq(rule->dialect, BT_STR("universal")) && rule->stage == BT_STAGE_GOVERNANCE;
        if (rule->bad.len == 0 || !(is_about_skills || is_governance)) {
            continue;
        }
        shown++;
        if (!breaks(rule, rule->bad)) {
            fail_msg("%.*s: its bad example does not break it", BT_STR_ARG(rule->code));
        }
        if (breaks(rule, rule->good)) {
            fail_msg("%.*s: its good example breaks it", BT_STR_ARG(rule->code));
        }
        assert_int_equal(rule->stage, BT_STAGE_GOVERNANCE);
    }
    assert_int_equal(shown, 17);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_is_broken_by_its_bad_example_and_kept_by_its_good_one),
    };
    return RUN_TESTS(tests);
}
