/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_rules.c - every rule about messages and organisms that has an example is broken by its bad
 * one and kept by its good one.
 */
#include "test.h"

#include <baton/check.h>

#include "dialect/xml/message_check.h"
#include "engine/check.h"
#include "organism/organism.h"

enum { ARENA_BYTES = 64 << 20 };

/* Whether the rule is among the findings about a document of this dialect. */
static bool breaks(const struct bt_rule *rule, const char *dialect, bt_str text)
{
    struct bt_env env;
    struct bt_arena arena;
    struct bt_judgement judged;
    bool found = false;
    assert_int_equal(bt_env_init(&env), BT_OK);
    bt_arena_init(&arena, ARENA_BYTES);
    const struct bt_check_options options = {.dialect = bt_dialect_find(bt_str_of(dialect))};
    assert_int_equal(bt_check_document(&env, &arena, BT_STR("example"), text, &options, &judged),
                     BT_OK);
    assert_int_equal(judged.dialect, BT_DIALECT_XML);
    for (size_t i = 0; i < bt_findings_count(judged.findings); i++) {
        found = found || bt_findings_at(judged.findings, i)->rule == rule;
    }
    bt_arena_free(&arena);
    return found;
}

/* Rules about messages have codes XML_..., the others of the dialect are about organisms. */
static void judge_examples(const char *dialect, bool about_messages)
{
    size_t shown = 0;
    for (size_t i = 0; i < bt_rules_count(); i++) {
        const struct bt_rule *rule = bt_rules_at(i);
        if (rule->bad.len == 0 || !bt_str_eq(rule->dialect, BT_STR("xml")) ||
            bt_str_starts_with(rule->code, BT_STR("XML_")) != about_messages) {
            continue;
        }
        shown++;
        if (!breaks(rule, dialect, rule->bad)) {
            fail_msg("%.*s: its bad example does not break it", BT_STR_ARG(rule->code));
        }
        if (breaks(rule, dialect, rule->good)) {
            fail_msg("%.*s: its good example breaks it", BT_STR_ARG(rule->code));
        }
    }
    assert_true(shown > 10);
}

static void rules_about_organisms_can_be_broken_and_kept(void **state)
{
    (void)state;
    judge_examples("organism", false);
}

static void rules_about_messages_can_be_broken_and_kept(void **state)
{
    (void)state;
    judge_examples("xml", true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_about_organisms_can_be_broken_and_kept),
        cmocka_unit_test(rules_about_messages_can_be_broken_and_kept),
    };
    return RUN_TESTS(tests);
}
