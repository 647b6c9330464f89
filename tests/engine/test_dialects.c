/* SPDX-License-Identifier: Apache-2.0 */
/* test_dialects.c - the table of dialects and recognition. */
#include "test.h"

#include <baton/check.h>

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

static void a_walk_takes_handoffs_by_their_name_alone(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dialects_have_a_name_and_a_line_about_them),
        cmocka_unit_test(what_cannot_be_checked_has_a_name_and_is_not_found),
        cmocka_unit_test(names_of_dialects_are_taken_literally),
        cmocka_unit_test(a_walk_takes_handoffs_by_their_name_alone),
        cmocka_unit_test(a_member_is_found_wherever_it_stands),
        cmocka_unit_test(a_document_is_known_by_its_name_then_by_its_content),
    };
    return RUN_TESTS(tests);
}
