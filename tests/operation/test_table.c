/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_table.c - operations are found by operationId, and their parameters by name and place.
 */
#include "test.h"

#include "operation/table.h"

static void every_operation_of_the_library_is_found_by_its_id(void **state)
{
    (void)state;
    for (size_t i = 0; i < BT_OPERATIONS_CALLS_COUNT; i++) {
        const struct bt_operation *row = &bt_operations[bt_operations_calls[i]];
        assert_ptr_equal(bt_operation_find(bt_str_of(row->rest.operation_id)), row);
        assert_non_null(row->run);
    }
}

static void ids_are_compared_exactly(void **state)
{
    (void)state;
    static const char *const others[] = {
        "", "chec", "check ", "Check", "hook", "checks", "handoff.submit", "SUBMITHANDOFF", "~"};
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        assert_null(bt_operation_find(bt_str_of(others[i])));
    }
    assert_null(bt_operation_find((bt_str){"check\0", 6}));
}

static void a_parameter_is_found_where_it_stands(void **state)
{
    (void)state;
    const struct bt_operation *row = &bt_operations[BT_OPERATION_HANDOFF_CHECK];
    const struct bt_operation_param *as = bt_operation_param_find(row, BT_IN_OPTION, BT_STR("as"));
    assert_non_null(as);
    assert_int_equal(as->type, BT_OPERATION_PARAM_DIALECT);
    assert_null(bt_operation_param_find(row, BT_IN_TOOL, BT_STR("as")));
    assert_non_null(bt_operation_param_find(row, BT_IN_TOOL, BT_STR("dialect")));
    assert_null(bt_operation_param_find(row, BT_IN_OPTION, BT_STR("dialect")));
    assert_non_null(bt_operation_param_find(row, BT_IN_OPTION | BT_IN_TOOL, BT_STR("fail_level")));
    assert_null(bt_operation_param_find(row, BT_IN_OPTION, BT_STR("fail_levels")));
}

static void numbers_words_and_members_have_their_limits(void **state)
{
    (void)state;
    const struct bt_operation *lease = &bt_operations[BT_OPERATION_INBOX_LEASE];
    const struct bt_operation_param *seconds =
        bt_operation_param_find(lease, BT_IN_BODY, BT_STR("lease_s"));
    assert_int_equal(seconds->min, 10);
    assert_int_equal(seconds->max, 3600);
    const struct bt_operation_param *items = bt_operation_param_find(
        &bt_operations[BT_OPERATION_INBOX_FINISH], BT_IN_BODY, BT_STR("items"));
    assert_int_equal(items->type, BT_OPERATION_PARAM_LIST);
    assert_int_equal(items->member_count, 4);
    assert_str(items->members[2].name, "outcome");
    assert_int_equal(items->members[2].word_count, 2);
    assert_str(items->members[2].words[1], "failed");
}

static void a_row_says_what_each_protocol_shows(void **state)
{
    (void)state;
    const struct bt_operation *row = &bt_operations[BT_OPERATION_HANDOFF_SUBMIT];
    assert_string_equal(row->name, "handoff.submit");
    assert_int_equal(row->scopes, BT_SCOPE_SUBMIT);
    assert_int_equal(row->effects, BT_EFFECT_RECORDS | BT_EFFECT_DELIVERS | BT_EFFECT_BRIEF);
    assert_int_equal(row->rest.method, BT_REST_POST);
    assert_string_equal(row->rest.path, "/v1/handoffs");
    assert_string_equal(row->tool.name, "submit_handoff");
    assert_string_equal(row->skill.id, "submit-handoff");
    assert_null(bt_operations[BT_OPERATION_PUMP_EVENTS].tool.name);
    assert_int_equal(bt_operations[BT_OPERATION_APPROVAL_LIST].tool.scopes,
                     BT_SCOPE_SUBMIT | BT_SCOPE_APPROVE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_of_the_library_is_found_by_its_id),
        cmocka_unit_test(ids_are_compared_exactly),
        cmocka_unit_test(a_parameter_is_found_where_it_stands),
        cmocka_unit_test(numbers_words_and_members_have_their_limits),
        cmocka_unit_test(a_row_says_what_each_protocol_shows),
    };
    return RUN_TESTS(tests);
}
