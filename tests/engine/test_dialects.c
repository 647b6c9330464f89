/* SPDX-License-Identifier: Apache-2.0 */
/* test_dialects.c - the table of dialects and recognition. */
#include "test.h"

#include <baton/check.h>

#include "engine/recognise.h"
#include "report/report.h"

static void dialects_have_a_name_and_a_line_about_them(void **state)
{
    (void)state;
    for (enum bt_dialect_id dialect = 1; dialect < BT_DIALECT__CHECKABLE_MAX; dialect++) {
        assert_true(bt_dialect_name(dialect).len > 0);
        assert_true(bt_dialect_summary(dialect).len > 0);
        assert_int_equal(bt_dialect_find(bt_dialect_name(dialect)), dialect);
    }
    assert_str(bt_dialect_name(BT_DIALECT_NONE), "");
}

/* Entries and reports name them, but nobody can ask for a check as one of them. */
static void what_cannot_be_checked_has_a_name_and_is_not_found(void **state)
{
    (void)state;
    for (enum bt_dialect_id dialect = BT_DIALECT__CHECKABLE_MAX; dialect < BT_DIALECT__MAX;
         dialect++) {
        assert_true(bt_dialect_name(dialect).len > 0);
        assert_int_equal(bt_dialect_find(bt_dialect_name(dialect)), BT_DIALECT_NONE);
    }
}

static void names_of_dialects_are_taken_literally(void **state)
{
    (void)state;
    static const char *const others[] = {"", "jso", "JSON", "json ", "yaml"};
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        assert_int_equal(bt_dialect_find(bt_str_of(others[i])), BT_DIALECT_NONE);
    }
}

static void a_path_alone_may_show_a_dialect(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        bool taken;
    } rows[] = {
        {"a.handoff.json", true},        {"x/b.handoff.json", true}, {"handoffs/c.json", true},
        {"x/handoffs/d.json", true},     {"package.json", false},    {"handoffs/readme.md", false},
        {"handoffs/x/deep.json", false}, {"handoff.json", false},    {"", false},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if ((bt_dialect_for_path(bt_str_of(rows[i].path)) != BT_DIALECT_NONE) != rows[i].taken) {
            fail_msg("'%s' is%s taken", rows[i].path, rows[i].taken ? " not" : "");
        }
    }
}

static void a_member_is_found_wherever_it_stands(void **state)
{
    (void)state;
    for (int pad = 0; pad < 40; pad++) {
        char text[128];
        const int length = snprintf(text, sizeof(text), "{\"x\":\"%*s\",\"handoff\":{%*s", pad, "",
                                    40 - pad, "\"handof\":0}");
        for (int cut = 0; cut < length; cut++) {
            const bt_str content = {text, (size_t)(length - cut)};
            const bool is_there = content.len > (size_t)pad + strlen("{\"x\":\"\",\"handoff\":");
            assert_int_equal(bt_dialect_recognise(BT_STR("a"), content) != BT_DIALECT_NONE,
                             is_there);
        }
    }
}

static void a_document_is_known_by_its_name_then_by_its_content(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        const char *content;
        const char *dialect; /* "": not recognised */
    } rows[] = {
        {"handoffs/a-to-b.json", "no JSON", "universal"},
        {"x/handoffs/a-to-b.json", "{}", "universal"},
        {"a.json", "{\"handoff\":{}}", "universal"},
        {"<stdin>", " {\"x\":[1,\"}\\\"\"],\r\n\"handoff\" :\t{", "universal"},
        {"a.json", "{\"handoff\":[]}", ""},
        {"a.json", "{\"x\":{\"handoff\":{}}}", ""},
        {"a.json", "[{\"handoff\":{}}]", ""},
        {"a.json", "{\"handoff", ""},
        {"a.json", "{\"handoff\"", ""},
        {"a.json", "{\"handoff\":", ""},
        {"a.json", "{\"a\":1 \"handoff\":{}}", ""},
        {"a.json", "{\"a\":\"\\", ""},
        {"a.handoff.json", "anything", "universal"},
        {"handoffs/x.json", "", "universal"},
        {"package.json", "{}", ""},
        {"x/prompt-manifest.json", "no JSON", "manifest"},
        {"prompt-lock.json", "", "lock"},
        {"a.json", "{\"taxonomy\":1,\"domains\":2,\"archetypes\":3}", "manifest"},
        {"a.json", "{\"lockfileVersion\":1,\"prompts\":[]}", "lock"},
        {"a.json", "{\"lockfileVersion\":1,\"packages\":[]}", ""},
        {"baton.yml", "", "config"},
        {"a.system.prompt.md", "", "prompt"},
        {"organism.yml", "", "organism"},
        {"a.yaml", "organism:\n  name: x\nlisteners: []\n", "organism"},
        {"a.yaml", "organism:\n  listeners: []\n", ""},
        {"a.handoff.json", "{\"handoff_id\":1,\"source_agent\":{}}", "governed"},
        {"handoffs/a-to-b.json", "{\"response_id\":1,\"agent\":{}}", "response"},
        {"a.txt", "<!-- x --><m:message xmlns:m='https://xml-pipeline.org/ns/envelope/v1'/>",
         "xml"},
        {"a.xml", "anything", "xml"},
        {"notes", " <p/>", "xml"},
        {"notes", "anything", ""},
        {"", "", ""},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const enum bt_dialect_id dialect =
            bt_dialect_recognise(bt_str_of(rows[i].path), bt_str_of(rows[i].content));
        const bt_str name = bt_dialect_name(dialect);
        if (!bt_str_eq(name, bt_str_of(rows[i].dialect))) {
            fail_msg("row %zu: '%.*s'", i, BT_STR_ARG(name));
        }
    }
}

static void a_walk_judges_by_content_and_by_few_names(void **state)
{
    (void)state;
    static const char message[] = "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\"/>";
    static const struct {
        const char *path;
        const char *head;
        enum bt_walk_choice choice;
        const char *dialect;
    } rows[] = {
        {"/x/a.json", "{\"handoff\":{", BT_WALK_JUDGE, "universal"},
        {"/x/a.json", "{}", BT_WALK_PASS, ""},
        {"/x/a.handoff.json", "{", BT_WALK_JUDGE, "universal"},
        {"/handoffs/a-to-b.json", "{", BT_WALK_JUDGE, "universal"},
        {"/handoffs/a.json", "{", BT_WALK_PASS, ""},
        {"/x/a.steps.csv", "", BT_WALK_JUDGE, "plan"},
        {"/x/organism.yaml", "", BT_WALK_JUDGE, "organism"},
        {"/x/baton.yaml", "", BT_WALK_PASS, ""},
        {"/x/a.contract.md", "prose\n", BT_WALK_NO_BLOCK, ""},
        {"/x/a.contract.md", "```agent_contract_handoff\n", BT_WALK_JUDGE, "contract"},
        {"/x/a.md", "x\n```agent_contract_handoff\n", BT_WALK_JUDGE, "contract"},
        {"/x/a.xml", "<project/>", BT_WALK_NO_ENVELOPE, ""},
        {"/x/a.xml", "<message xmlns=\"other\"/>", BT_WALK_NO_ENVELOPE, ""},
        {"/x/a.xml", message, BT_WALK_JUDGE, "xml"},
        {"/x/prompt-lock.json", "{\"lockfileVersion\":1,\"prompts\":{}}", BT_WALK_JUDGE, "lock"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        enum bt_dialect_id dialect = BT_DIALECT_NONE;
        const enum bt_walk_choice choice =
            bt_walk_choose(bt_str_of(rows[i].path), bt_str_of(rows[i].head), BT_STR(""), &dialect);
        if (choice != rows[i].choice ||
            !bt_str_eq(bt_dialect_name(dialect), bt_str_of(rows[i].dialect))) {
            fail_msg("row %zu: %d %.*s", i, (int)choice, BT_STR_ARG(bt_dialect_name(dialect)));
        }
    }
}

static void only_the_ends_of_a_document_are_looked_at(void **state)
{
    (void)state;
    enum { LENGTH = 3 * BT_RECOGNISE_BYTES };
    static const char block[] = "\n```agent_contract_handoff\n";
    static char text[LENGTH];
    const bt_str content = {text, LENGTH};
    memset(text, 'a', LENGTH);
    memcpy(text + LENGTH / 2, block, sizeof(block) - 1);
    assert_int_equal(bt_dialect_recognise(BT_STR("a.md"), content), BT_DIALECT_NONE);
    memcpy(text + LENGTH - 1000, block, sizeof(block) - 1);
    assert_int_equal(bt_dialect_recognise(BT_STR("a.md"), content), BT_DIALECT_CONTRACT);
    assert_int_equal(bt_dialect_recognise(BT_STR("a.json"), content), BT_DIALECT_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dialects_have_a_name_and_a_line_about_them),
        cmocka_unit_test(what_cannot_be_checked_has_a_name_and_is_not_found),
        cmocka_unit_test(names_of_dialects_are_taken_literally),
        cmocka_unit_test(a_path_alone_may_show_a_dialect),
        cmocka_unit_test(a_member_is_found_wherever_it_stands),
        cmocka_unit_test(a_document_is_known_by_its_name_then_by_its_content),
        cmocka_unit_test(a_walk_judges_by_content_and_by_few_names),
        cmocka_unit_test(only_the_ends_of_a_document_are_looked_at),
    };
    return RUN_TESTS(tests);
}
