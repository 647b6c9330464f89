/* SPDX-License-Identifier: Apache-2.0 */
/* test_check.c - the road from bytes to a verdict. */
#include "test.h"

#include <baton/check.h>

#include "engine/check.h"

enum { ARENA_BYTES = 64 << 20 };

/* One document, judged in a world of its own. */
struct judgement {
    struct bt_env env;
    struct bt_arena arena;
    struct bt_judgement judged;
    enum bt_status status;
};

static void begin(struct judgement *judgement)
{
    assert_int_equal(bt_env_init(&judgement->env), BT_OK);
    bt_arena_init(&judgement->arena, ARENA_BYTES);
}

static void judge(struct judgement *judgement, bt_str content,
                  const struct bt_check_options *options)
{
    struct bt_check_options wanted = options ? *options : (struct bt_check_options){0};
    wanted.dialect = wanted.dialect ? wanted.dialect : BT_DIALECT_JSON;
    judgement->status = bt_check_document(&judgement->env, &judgement->arena, BT_STR("x.json"),
                                          content, &wanted, &judgement->judged);
}

static void a_good_document_is_accepted_with_its_facts(void **state)
{
    (void)state;
    struct judgement it;
    begin(&it);
    judge(&it, BT_STR("{\"a\":[1,2]}"), NULL);
    assert_int_equal(it.status, BT_OK);
    assert_int_equal(it.judged.verdict, BT_VERDICT_ACCEPTED);
    assert_int_equal(bt_findings_count(it.judged.findings), 0);
    assert_str(it.judged.path, "x.json");
    assert_int_equal(it.judged.dialect, BT_DIALECT_JSON);
    assert_str(it.judged.source, "{\"a\":[1,2]}");
    assert_str(it.judged.facts, "{\"bytes\":11,\"nodes\":3}");
    bt_arena_free(&it.arena);
}

static void a_broken_document_is_rejected_at_its_place(void **state)
{
    (void)state;
    struct judgement it;
    begin(&it);
    judge(&it, BT_STR("[1,\n 2,]"), NULL);
    assert_int_equal(it.status, BT_OK);
    assert_int_equal(it.judged.verdict, BT_VERDICT_REJECTED);
    assert_int_equal(bt_findings_count(it.judged.findings), 1);
    const struct bt_finding *finding = bt_findings_at(it.judged.findings, 0);
    assert_str(finding->rule->code, "JSON_SYNTAX");
    assert_int_equal(finding->position.line, 2);
    assert_int_equal(finding->position.column, 4);
    assert_str(it.judged.facts, "{\"bytes\":8}");
    bt_arena_free(&it.arena);
}

static void the_fail_level_decides_what_a_warning_does(void **state)
{
    (void)state;
    static const struct {
        enum bt_severity fail_level;
        enum bt_verdict verdict;
    } rows[] = {
        {BT_SEVERITY_NONE, BT_VERDICT_ACCEPTED},
        {BT_SEVERITY_HARD, BT_VERDICT_ACCEPTED},
        {BT_SEVERITY_WARN, BT_VERDICT_REJECTED},
        {BT_SEVERITY_INFO, BT_VERDICT_REJECTED},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct bt_check_options options = {.fail_level = rows[i].fail_level};
        struct judgement it;
        begin(&it);
        judge(&it, BT_STR("[\"\\ud800\"]"), &options);
        assert_int_equal(it.status, BT_OK);
        assert_int_equal(it.judged.verdict, rows[i].verdict);
        assert_int_equal(bt_findings_count(it.judged.findings), 1);
        bt_arena_free(&it.arena);
    }
}

static void limits_come_from_the_world(void **state)
{
    (void)state;
    static const struct {
        const char *limit;
        const char *content;
        const char *code; /* "" when the document keeps the limit */
    } rows[] = {
        {"depth=2", "[[1]]", ""},         {"depth=2", "[[[1]]]", "JSON_TOO_DEEP"},
        {"nodes=3", "[1,{\"a\":2}]", ""}, {"nodes=2", "[1,{\"a\":2}]", "JSON_TOO_LARGE"},
        {"string_bytes=2", "\"ab\"", ""}, {"string_bytes=2", "\"abc\"", "JSON_TOO_LARGE"},
        {"document_bytes=4", "[12]", ""}, {"document_bytes=4", "[123]", "JSON_TOO_LARGE"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct judgement it;
        begin(&it);
        const enum bt_status lowered =
            bt_limits_lower(&it.env.limits, bt_str_of(rows[i].limit), NULL);
        assert_int_equal(lowered, BT_OK);
        judge(&it, bt_str_of(rows[i].content), NULL);
        assert_int_equal(it.status, BT_OK);
        const size_t count = bt_findings_count(it.judged.findings);
        assert_int_equal(count, rows[i].code[0] ? 1 : 0);
        if (count > 0) {
            const bt_str code = bt_findings_at(it.judged.findings, 0)->rule->code;
            assert_true(bt_str_eq(code, bt_str_of(rows[i].code)));
        }
        bt_arena_free(&it.arena);
    }
}

static void no_document_is_ever_passed_without_a_verdict(void **state)
{
    (void)state;
    struct judgement it;
    begin(&it);
    it.env.limits.depth = 100000; /* more than the reader allows: a mistake of the caller */
    it.judged.verdict = BT_VERDICT_NONE;
    judge(&it, BT_STR("{}"), NULL);
    assert_int_equal(it.status, BT_EINVAL);
    assert_int_equal(it.judged.verdict, BT_VERDICT_NONE);
    bt_arena_free(&it.arena);
}

/* Give the road every memory limit from nothing up, until it succeeds. */
static void running_out_of_memory_is_reported_never_passed(void **state)
{
    (void)state;
    static const struct {
        const char *dialect;
        const char *text;
    } documents[] = {
        {"json", "{\"a\":[1,{\"b\":\"\\n\"}],\"c\":\"\\ud800\",\"\\ud801\":1}"},
        {"json", "{\"a\":1,\"b\":[[[]]],\"a\":2}"},
        {"json", "[1,"},
        {"universal", "{\"handoff\":{\"version\":2,\"source\":{\"skill\":\"a\",\"x\":1e999},"
                      "\"target\":{\"skill\":\"a\"},\"payload\":{\"working\":{}},"
                      "\"meta\":{\"payload_hash\":\"\",\"handoff_chain\":[\"a\",\"b\"]}}}"},
    };
    for (size_t i = 0; i < COUNT_OF(documents); i++) {
        struct bt_env env;
        assert_int_equal(bt_env_init(&env), BT_OK);
        const struct bt_check_options options = {
            .dialect = bt_dialect_find(bt_str_of(documents[i].dialect))};
        enum bt_status status = BT_ENOMEM;
        size_t refused = 0;
        for (size_t limit = 16; status != BT_OK && limit < 1 << 20; limit += 16) {
            struct bt_arena arena;
            struct bt_judgement judged = {.verdict = BT_VERDICT_NONE};
            bt_arena_init(&arena, limit);
            status = bt_check_document(&env, &arena, BT_STR("x"), bt_str_of(documents[i].text),
                                       &options, &judged);
            assert_true(status == BT_OK || status == BT_ENOMEM);
            assert_true((status == BT_OK) == (judged.verdict != BT_VERDICT_NONE));
            refused += status == BT_ENOMEM;
            bt_arena_free(&arena);
        }
        assert_int_equal(status, BT_OK);
        assert_true(refused > 0);
    }
}

static void the_same_bytes_give_the_same_judgement(void **state)
{
    (void)state;
    static const char document[] = "{\"a\":\"\\udc00\",\"b\":[\"\\ud800\",{\"\\udbff\":0}]}";
    struct judgement once;
    struct judgement again;
    begin(&once);
    begin(&again); /* another hash seed */
    judge(&once, bt_str_of(document), NULL);
    judge(&again, bt_str_of(document), NULL);
    const size_t count = bt_findings_count(once.judged.findings);
    assert_int_equal(count, 3);
    assert_int_equal(bt_findings_count(again.judged.findings), count);
    for (size_t i = 0; i < count; i++) {
        const struct bt_finding *a = bt_findings_at(once.judged.findings, i);
        const struct bt_finding *b = bt_findings_at(again.judged.findings, i);
        assert_ptr_equal(a->rule, b->rule);
        assert_true(bt_str_eq(a->pointer, b->pointer));
        assert_true(bt_str_eq(a->message, b->message));
        assert_int_equal(a->offset, b->offset);
    }
    bt_arena_free(&once.arena);
    bt_arena_free(&again.arena);
}

static void the_version_is_that_of_the_build(void **state)
{
    (void)state;
    assert_string_equal(bt_version(), BATON_BUILD_VERSION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_document_is_accepted_with_its_facts),
        cmocka_unit_test(a_broken_document_is_rejected_at_its_place),
        cmocka_unit_test(the_fail_level_decides_what_a_warning_does),
        cmocka_unit_test(limits_come_from_the_world),
        cmocka_unit_test(no_document_is_ever_passed_without_a_verdict),
        cmocka_unit_test(running_out_of_memory_is_reported_never_passed),
        cmocka_unit_test(the_same_bytes_give_the_same_judgement),
        cmocka_unit_test(the_version_is_that_of_the_build),
    };
    return RUN_TESTS(tests);
}
