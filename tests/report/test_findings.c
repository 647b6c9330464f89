/* SPDX-License-Identifier: Apache-2.0 */
#include "params.h"
#include "test.h"

#include <baton/report.h>

#include "report/add.h"
#include "report/findings.h"
#include "report/rules.h"

static const struct bt_rule read_b = {
    .code = BT_STR_INIT("B"), .severity = BT_SEVERITY_HARD, .stage = BT_STAGE_READ};
static const struct bt_rule schema_a = {
    .code = BT_STR_INIT("A"), .severity = BT_SEVERITY_HARD, .stage = BT_STAGE_SCHEMA};
static const struct bt_rule schema_b = {
    .code = BT_STR_INIT("B"), .severity = BT_SEVERITY_WARN, .stage = BT_STAGE_SCHEMA};
static const struct bt_rule deliver_a = {
    .code = BT_STR_INIT("A"), .severity = BT_SEVERITY_INFO, .stage = BT_STAGE_DELIVER};

struct list {
    struct bt_arena arena;
    struct bt_findings *findings;
};

static int open_list(void **state)
{
    struct list *list = malloc(sizeof(*list));
    assert_non_null(list);
    bt_arena_init(&list->arena, SIZE_MAX);
    list->findings = bt_findings_new(&list->arena);
    assert_non_null(list->findings);
    *state = list;
    return 0;
}

static int close_list(void **state)
{
    struct list *list = *state;
    bt_arena_free(&list->arena);
    free(list);
    return 0;
}

static void add(struct bt_findings *findings, const struct bt_rule *rule, size_t offset,
                const char *pointer, const char *message)
{
    struct bt_finding finding = bt_finding_from_rule(rule);
    finding.offset = offset;
    finding.pointer = bt_str_of(pointer);
    finding.message = bt_str_of(message);
    assert_int_equal(bt_findings_add(findings, &finding), BT_OK);
}

static void a_hard_finding_is_found_from_an_index_on(void **state)
{
    struct list *list = *state;
    assert_false(bt_findings_have_hard(list->findings, 0));
    add(list->findings, &schema_b, 0, "", "a warning");
    assert_false(bt_findings_have_hard(list->findings, 0));
    add(list->findings, &read_b, 0, "", "m");
    add(list->findings, &deliver_a, 0, "", "m");
    assert_true(bt_findings_have_hard(list->findings, 0));
    assert_true(bt_findings_have_hard(list->findings, 1));
    assert_false(bt_findings_have_hard(list->findings, 2));
    assert_false(bt_findings_have_hard(list->findings, 3));
}

static void a_copy_outlives_the_list_with_its_positions(void **state)
{
    struct list *list = *state;
    struct bt_arena arena;
    struct bt_findings *copy = NULL;
    bt_arena_init(&arena, SIZE_MAX);
    add(list->findings, &schema_b, 3, "/a", "found");
    add(list->findings, &schema_a, 0, "/b", "m");
    assert_int_equal(bt_findings_finish(list->findings, BT_STR("1\n23")), BT_OK);
    assert_int_equal(bt_findings_copy(list->findings, &arena, &copy), BT_OK);
    bt_arena_reset(&list->arena);
    memset(bt_arena_alloc(&list->arena, 1024), 'x', 1024);
    assert_int_equal(bt_findings_count(copy), 2);
    assert_str(bt_findings_at(copy, 0)->pointer, "/b");
    const struct bt_finding *last = bt_findings_at(copy, 1);
    assert_str(last->pointer, "/a");
    assert_str(last->message, "found");
    assert_int_equal(last->position.line, 2);
    assert_int_equal(last->position.column, 2);
    bt_arena_free(&arena);
}

static void findings_beyond_the_limit_of_their_code_are_counted(void **state)
{
    struct list *list = *state;
    const struct bt_rule *rules[] = {&bt_rules[0], &bt_rules[BT_RULES_COUNT - 1]};
    add(list->findings, rules[0], 0, "/before", "m");
    bt_findings_limit_codes(list->findings, 2);
    add(list->findings, rules[0], 1, "/a", "m");
    add(list->findings, rules[1], 2, "/b", "m");
    add(list->findings, rules[1], 3, "/c", "m");
    struct bt_finding finding = bt_finding_from_rule(rules[0]);
    finding.pointer = BT_STR("/d");
    test_set_params(&finding, &list->arena, BT_STR("{\"x\":1}"));
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(bt_findings_add(list->findings, &finding), BT_OK);
    }
    assert_int_equal(bt_findings_count(list->findings), 5);
    assert_int_equal(bt_findings_count_of_code(list->findings, rules[0]->id), 5);
    bt_findings_count_omitted(list->findings, rules[1]->id, 7);
    assert_int_equal(bt_findings_finish(list->findings, BT_STR("")), BT_OK);
    assert_int_equal(bt_findings_count(list->findings), 5);
    for (size_t i = 0; i < 5; i++) {
        const struct bt_finding *kept = bt_findings_at(list->findings, i);
        const bool is_a = bt_str_eq(kept->pointer, BT_STR("/d"));
        const bool is_b = bt_str_eq(kept->pointer, BT_STR("/c"));
        const bt_str params = is_a   ? BT_STR("{\"x\":1,\"more\":3}")
                              : is_b ? BT_STR("{\"more\":7}")
                                     : BT_STR("");
        assert_true(bt_str_eq(test_params(kept), params));
    }
}

static void a_new_finding_says_what_its_rule_says(void **state)
{
    (void)state;
    static const struct bt_rule rule = {.code = BT_STR_INIT("X"),
                                        .severity = BT_SEVERITY_WARN,
                                        .fix = BT_FIX_UNSAFE,
                                        .security = true,
                                        .meaning = BT_STR_INIT("it is so")};
    const struct bt_finding finding = bt_finding_from_rule(&rule);
    assert_ptr_equal(finding.rule, &rule);
    assert_int_equal(finding.severity, BT_SEVERITY_WARN);
    assert_int_equal(finding.fix, BT_FIX_UNSAFE);
    assert_true(finding.security);
    assert_true(finding.offset == BT_OFFSET_NONE);
    assert_int_equal(finding.position.line, 0);
    assert_str(finding.message, "it is so");
    assert_str(finding.pointer, "");
    assert_str(finding.hint, "");
    assert_int_equal(finding.arg_count, 0);
}

static void texts_are_copied(void **state)
{
    struct list *list = *state;
    char pointer[] = "/a";
    char message[] = "m";
    char hint[] = "h";
    char params[] = "{\"n\":1}";
    struct bt_finding finding = bt_finding_from_rule(&read_b);
    for (size_t i = 0; i < 2; i++) { /* the second time they equal what was copied before */
        finding.pointer = bt_str_of(pointer);
        finding.message = bt_str_of(message);
        finding.hint = bt_str_of(hint);
        test_set_params(&finding, &list->arena, bt_str_of(params));
        assert_int_equal(bt_findings_add(list->findings, &finding), BT_OK);
    }
    pointer[1] = message[0] = hint[0] = params[5] = 'x';
    for (size_t i = 0; i < 2; i++) {
        const struct bt_finding *kept = bt_findings_at(list->findings, i);
        assert_str(kept->pointer, "/a");
        assert_str(kept->message, "m");
        assert_str(kept->hint, "h");
        assert_str(test_params(kept), "{\"n\":1}");
    }
    assert_ptr_equal(bt_findings_arena(list->findings), &list->arena);
}

static void findings_are_sorted_by_stage_position_code_pointer_and_age(void **state)
{
    struct list *list = *state;
    /* The message is the place that each must end at. */
    add(list->findings, &deliver_a, BT_OFFSET_NONE, "/late", "8");
    add(list->findings, &schema_b, 5, "/b", "6");
    add(list->findings, &schema_a, 9, "", "7");
    add(list->findings, &schema_b, 5, "/a", "4");
    add(list->findings, &schema_a, 5, "/z", "3");
    add(list->findings, &schema_b, BT_OFFSET_NONE, "/y", "1");
    add(list->findings, &read_b, 7, "", "0");
    add(list->findings, &schema_a, 0, "/x", "2");
    struct bt_finding later = bt_finding_from_rule(&schema_b);
    later.offset = 5;
    later.pointer = BT_STR("/a");
    later.message = BT_STR("5");
    test_set_params(&later, &list->arena, BT_STR("{\"n\":1}"));
    assert_int_equal(bt_findings_add(list->findings, &later), BT_OK);
    assert_int_equal(bt_findings_finish(list->findings, BT_STR("0123456789")), BT_OK);
    assert_int_equal(bt_findings_count(list->findings), 9);
    for (size_t i = 0; i < 9; i++) {
        const bt_str message = bt_findings_at(list->findings, i)->message;
        assert_int_equal(message.ptr[0], '0' + (int)i);
    }
}

static void the_same_said_twice_is_reported_once(void **state)
{
    struct list *list = *state;
    add(list->findings, &schema_a, 9, "/a", "later in the text");
    add(list->findings, &schema_b, 3, "/a", "another code");
    add(list->findings, &schema_a, 3, "/b", "another pointer");
    add(list->findings, &schema_a, 3, "/a", "first");
    add(list->findings, &schema_a, 3, "/a", "second");
    add(list->findings, &deliver_a, 0, "/a", "the same code in a later stage");
    struct bt_finding other = bt_finding_from_rule(&schema_a);
    other.pointer = BT_STR("/a");
    other.offset = 3;
    other.message = BT_STR("other params");
    test_set_params(&other, &list->arena, BT_STR("{\"n\":2}"));
    assert_int_equal(bt_findings_add(list->findings, &other), BT_OK);
    assert_int_equal(bt_findings_finish(list->findings, BT_STR("0123456789")), BT_OK);
    assert_int_equal(bt_findings_count(list->findings), 4);
    assert_str(bt_findings_at(list->findings, 0)->message, "first");
    assert_str(bt_findings_at(list->findings, 1)->message, "other params");
    assert_str(bt_findings_at(list->findings, 2)->message, "another pointer");
    assert_str(bt_findings_at(list->findings, 3)->message, "another code");
}

static void lines_and_columns_come_from_the_source(void **state)
{
    struct list *list = *state;
    const bt_str source = BT_STR("ab\n\nc\xc3\xa9"
                                 "d\r\nx\n");
    for (size_t offset = 0; offset < source.len + 2; offset++) {
        char pointer[24];
        (void)snprintf(pointer, sizeof(pointer), "/%zu", offset);
        add(list->findings, &schema_a, offset, pointer, "m");
        add(list->findings, &read_b, source.len + 1 - offset, pointer, "m");
    }
    add(list->findings, &schema_a, BT_OFFSET_NONE, "", "m");
    assert_int_equal(bt_findings_finish(list->findings, source), BT_OK);
    assert_int_equal(bt_findings_count(list->findings), 2 * (source.len + 2) + 1);
    for (size_t i = 0; i < bt_findings_count(list->findings); i++) {
        const struct bt_finding *finding = bt_findings_at(list->findings, i);
        struct bt_position place = {0};
        if (finding->offset != BT_OFFSET_NONE) {
            place = bt_position_at(source, finding->offset);
        }
        assert_int_equal(finding->position.line, place.line);
        assert_int_equal(finding->position.column, place.column);
    }
}

static void an_empty_list_can_be_finished(void **state)
{
    struct list *list = *state;
    assert_int_equal(bt_findings_finish(list->findings, BT_STR("")), BT_OK);
    assert_int_equal(bt_findings_count(list->findings), 0);
}

/* In a mixed order, on one long line, a quarter of them repeated: nothing may take n times n. */
static void a_hundred_thousand_findings_are_put_in_order(void **state)
{
    struct list *list = *state;
    enum {
        COUNT = 100000,
        PRIME = 611953, /* has no factor in common with COUNT, so every offset comes up once */
    };
    char *line = malloc(COUNT);
    assert_non_null(line);
    memset(line, 'x', COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        const size_t offset = i * PRIME % COUNT;
        char pointer[24];
        (void)snprintf(pointer, sizeof(pointer), "/items/%zu", offset);
        add(list->findings, &schema_a, offset, pointer, "m");
        if (i % 4 == 0) {
            add(list->findings, &schema_a, offset, pointer, "again");
        }
    }
    assert_int_equal(bt_findings_finish(list->findings, (bt_str){line, COUNT}), BT_OK);
    assert_int_equal(bt_findings_count(list->findings), COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        const struct bt_finding *finding = bt_findings_at(list->findings, i);
        assert_int_equal(finding->offset, i);
        assert_int_equal(finding->position.line, 1);
        assert_int_equal(finding->position.column, i + 1);
        assert_str(finding->message, "m");
    }
    free(line);
}

static enum bt_status fill(struct bt_findings *findings)
{
    static const struct bt_rule_param param = {.name = BT_STR_INIT("n"), .type = BT_PARAM_TEXT};
    const struct bt_finding_arg arg = {.param = &param, .as.text = BT_STR("1")};
    for (size_t i = 0; i < 40; i++) {
        struct bt_finding finding = bt_finding_from_rule(i % 3 == 0 ? &schema_a : &read_b);
        finding.pointer = bt_str_slice(BT_STR("/abcdefghijklmnopqrstuvwxyz"), 0, i % 7);
        finding.offset = 40 - i;
        finding.args = &arg;
        finding.arg_count = 1;
        BT_TRY(bt_findings_add(findings, &finding));
    }
    return BT_OK;
}

static void running_out_of_memory_is_reported_and_leaves_the_list_whole(void **state)
{
    (void)state;
    enum bt_status status = BT_ENOMEM;
    size_t refused = 0;
    for (size_t limit = 16; status != BT_OK && limit < 1 << 20; limit += 16) {
        struct bt_arena arena;
        bt_arena_init(&arena, limit);
        struct bt_findings *findings = bt_findings_new(&arena);
        status = findings ? fill(findings) : BT_ENOMEM;
        if (status == BT_OK) {
            status = bt_findings_finish(findings, BT_STR("a\nb\nc"));
            assert_int_equal(bt_findings_count(findings), status == BT_OK ? 14 : 40);
        }
        assert_true(status == BT_OK || status == BT_ENOMEM);
        refused += status == BT_ENOMEM;
        bt_arena_free(&arena);
    }
    assert_int_equal(status, BT_OK);
    assert_true(refused > 10);
}

#define WITH_LIST(test) cmocka_unit_test_setup_teardown(test, open_list, close_list)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_finding_says_what_its_rule_says),
        WITH_LIST(texts_are_copied),
        WITH_LIST(findings_are_sorted_by_stage_position_code_pointer_and_age),
        WITH_LIST(the_same_said_twice_is_reported_once),
        WITH_LIST(a_hard_finding_is_found_from_an_index_on),
        WITH_LIST(a_copy_outlives_the_list_with_its_positions),
        WITH_LIST(findings_beyond_the_limit_of_their_code_are_counted),
        WITH_LIST(lines_and_columns_come_from_the_source),
        WITH_LIST(an_empty_list_can_be_finished),
        WITH_LIST(a_hundred_thousand_findings_are_put_in_order),
        cmocka_unit_test(running_out_of_memory_is_reported_and_leaves_the_list_whole),
    };
    return RUN_TESTS(tests);
}
