/* SPDX-License-Identifier: Apache-2.0 */
/* test_select.c - files -> the settings that choose findings. */
#include "test.h"

#include <baton/json.h>

#include "config/config_internal.h"
#include "json/emit.h"
#include "report/rules.h"
#include "select/select.h"

enum { BYTES_MAX = 32 << 20 };

struct world {
    struct bt_arena arena;
    struct bt_config_merge merge;
    const struct bt_config *config;
    struct bt_select select;
};

static void begin(struct world *world)
{
    *world = (struct world){.merge = {.use = BT_CONFIG_JUDGES}};
    bt_arena_init(&world->arena, BYTES_MAX);
}

static void add(struct world *world, enum bt_config_kind kind, const char *text)
{
    struct bt_findings *findings = bt_findings_new(&world->arena);
    const struct bt_config_source source = {
        .path = BT_STR("f.yaml"), .text = bt_str_of(text), .store = BT_STR(""), .kind = kind};
    assert_int_equal(bt_config_read(&world->arena, &source, findings, &world->merge.files[kind]),
                     BT_OK);
    assert_non_null(world->merge.files[kind]);
}

static void finish(struct world *world, enum bt_config_use use)
{
    const struct bt_config_select where = {BT_STR("/w"), BT_STR("2026-11-17")};
    struct bt_findings *findings = bt_findings_new(&world->arena);
    world->merge.use = use;
    world->select = (struct bt_select){0};
    assert_int_equal(
        bt_config_merge(&world->arena, &world->merge, findings, findings, &world->config), BT_OK);
    assert_non_null(world->config);
    assert_int_equal(bt_config_select(world->config, &where, &world->arena, &world->select), BT_OK);
}

/* The severity of a finding in force, or "off". */
static bt_str level_of(struct world *world, unsigned code, const char *path)
{
    struct bt_findings *findings = bt_findings_new(&world->arena);
    const struct bt_finding finding = bt_finding_from_rule(&bt_rules[bt_rules_first[code]]);
    struct bt_select_result result;
    assert_int_equal(bt_findings_add(findings, &finding), BT_OK);
    assert_int_equal(
        bt_select_apply(&world->select, &world->arena, bt_str_of(path), findings, &result), BT_OK);
    return bt_findings_count(result.findings) == 0
               ? BT_STR("off")
               : bt_severity_name(bt_findings_at(result.findings, 0)->severity);
}

static void rules_merge_by_code_and_the_first_file_that_has_a_code_counts(void **state)
{
    (void)state;
    struct world world;
    struct bt_buf buf;
    struct bt_emit emit;
    begin(&world);
    add(&world, BT_CONFIG_SYSTEM, "rules: {TOKENS_DRIFT: error, SCHEMA_ENUM: warning}\n");
    add(&world, BT_CONFIG_USER, "rules: {TOKENS_DRIFT: info, REF_UNRESOLVED: off}\n");
    add(&world, BT_CONFIG_PROJECT, "rules: {'REF_*': Error}\n");
    finish(&world, BT_CONFIG_JUDGES);
    assert_str(level_of(&world, BT_CODE_SCHEMA_ENUM, ""), "WARN");
    assert_str(level_of(&world, BT_CODE_TOKENS_DRIFT, ""), "INFO");
    assert_str(level_of(&world, BT_CODE_REF_UNRESOLVED, ""), "HARD");
    bt_buf_init(&buf, 1 << 20);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_config_emit(world.config, &emit);
    bt_emit_end(&emit);
    bt_buf_put_char(&buf, '\0');
    assert_non_null(strstr(buf.ptr, "\"rules\":{\"REF_*\":\"HARD\",\"TOKENS_DRIFT\":\"INFO\","
                                    "\"REF_UNRESOLVED\":\"off\",\"SCHEMA_ENUM\":\"WARN\"}"));
    assert_non_null(strstr(buf.ptr, "\"rules\":\"project\""));
    bt_buf_free(&buf);
    finish(&world, BT_CONFIG_DECIDES); /* which does not use that of the project */
    assert_str(level_of(&world, BT_CODE_REF_UNRESOLVED, ""), "off");
    bt_arena_free(&world.arena);
}

static void entries_of_paths_and_ignore_become_settings(void **state)
{
    (void)state;
    struct world world;
    begin(&world);
    add(&world, BT_CONFIG_PROJECT,
        "rules: {TOKENS_DRIFT: info}\n"
        "paths:\n"
        "  - {match: 'in/*.json', as: universal, rules: {TOKENS_DRIFT: error},\n"
        "     check: {tokens: chars4, budget: 50, fail_level: Warning}}\n"
        "  - {match: [in/, out/], check: {budget: 70}}\n"
        "ignore:\n"
        "  - {code: SCHEMA_ENUM, paths: [in/], reason: x, until: 2026-11-17}\n"
        "  - {code: SELF_LOOP, paths: [in/], reason: x, until: 2026-11-16}\n");
    finish(&world, BT_CONFIG_JUDGES);
    const struct bt_select_path path = bt_select_for_path(&world.select, BT_STR("/w/in/a.json"));
    assert_int_equal(path.as, BT_DIALECT_UNIVERSAL);
    assert_int_equal(path.budget, 70);
    assert_int_equal(path.fail_level, BT_SEVERITY_WARN);
    assert_str(path.tokens, "chars4");
    assert_str(level_of(&world, BT_CODE_TOKENS_DRIFT, "/w/in/a.json"), "HARD");
    assert_str(level_of(&world, BT_CODE_TOKENS_DRIFT, "/w/out/a.json"), "INFO");
    assert_str(level_of(&world, BT_CODE_SCHEMA_ENUM, "/w/in/a.json"), "off");
    assert_str(level_of(&world, BT_CODE_SCHEMA_ENUM, "/w/out/a.json"), "HARD");
    assert_str(level_of(&world, BT_CODE_SELF_LOOP, "/w/in/a.json"), "HARD"); /* it has expired */
    bt_arena_free(&world.arena);
}

static void without_choices_nothing_is_chosen(void **state)
{
    (void)state;
    struct world world;
    const struct bt_config *strict = NULL;
    begin(&world);
    add(&world, BT_CONFIG_PROJECT,
        "include: [a]\nexclude: [b]\ngitignore: false\nrules: {TOKENS_DRIFT: off}\n"
        "baseline: b.json\npaths: [{match: a, as: plan}]\ncheck: {budget: 50}\n"
        "ignore: [{code: SCHEMA_ENUM, paths: [a], reason: x, until: 2026-12-31}]\n");
    finish(&world, BT_CONFIG_JUDGES);
    assert_str(level_of(&world, BT_CODE_TOKENS_DRIFT, ""), "off"); /* the control */
    assert_int_equal(bt_config_without_choices(world.config, &world.arena, &strict), BT_OK);
    static const char *const keys[] = {"include", "exclude", "gitignore", "rules",
                                       "ignore",  "paths",   "baseline"};
    for (size_t i = 0; i < COUNT_OF(keys); i++) {
        assert_true(bt_config_has(world.config, keys[i]));
        assert_false(bt_config_has(strict, keys[i]));
    }
    assert_int_equal(bt_config_u64(strict, "check.budget"), 50);
    const struct bt_config_select where = {BT_STR("/w"), BT_STR("2026-11-17")};
    world.select = (struct bt_select){0};
    assert_int_equal(bt_config_select(strict, &where, &world.arena, &world.select), BT_OK);
    assert_str(level_of(&world, BT_CODE_TOKENS_DRIFT, "/w/a"), "WARN");
    assert_int_equal(world.select.path_count + world.select.ignore_count, 0);
    bt_arena_free(&world.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_merge_by_code_and_the_first_file_that_has_a_code_counts),
        cmocka_unit_test(entries_of_paths_and_ignore_become_settings),
        cmocka_unit_test(without_choices_nothing_is_chosen),
    };
    return RUN_TESTS(tests);
}
