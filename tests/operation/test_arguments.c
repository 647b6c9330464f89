/* SPDX-License-Identifier: Apache-2.0 */
/* test_arguments.c - arguments are checked against the parameters of their operation. */
#include "test.h"

#include "operation/arguments.h"

static const bt_str words[] = {BT_STR_INIT("asc"), BT_STR_INIT("desc")};

/* A text, and what is wrong with it; NULL: nothing. */
static void texts_of_a_query_have_the_type_of_their_parameter(void **state)
{
    static const char number[] = "it is no whole number within its bounds";
    static const char value[] = "there is no such value";
    static const char boolean[] = "it is 1 or 0";
    static const char instant[] = "it is no time such as 2026-02-11T00:45:02Z";
    static const struct {
        enum bt_operation_param_type type;
        const char *text;
        const char *why;
    } rows[] = {
        {BT_OPERATION_PARAM_INTEGER, "1", NULL},
        {BT_OPERATION_PARAM_INTEGER, "500", NULL},
        {BT_OPERATION_PARAM_INTEGER, "0", number},
        {BT_OPERATION_PARAM_INTEGER, "501", number},
        {BT_OPERATION_PARAM_INTEGER, "-1", number},
        {BT_OPERATION_PARAM_INTEGER, "", number},
        {BT_OPERATION_PARAM_INTEGER, "1.0", number},
        {BT_OPERATION_PARAM_INTEGER, "99999999999999999999", number},
        {BT_OPERATION_PARAM_SEQ, "7", NULL},
        {BT_OPERATION_PARAM_SEQ, "seven", number},
        {BT_OPERATION_PARAM_BOOL, "1", NULL},
        {BT_OPERATION_PARAM_BOOL, "false", NULL},
        {BT_OPERATION_PARAM_BOOL, "yes", boolean},
        {BT_OPERATION_PARAM_BOOL, "", boolean},
        {BT_OPERATION_PARAM_INSTANT, "2026-02-11T00:45:02Z", NULL},
        {BT_OPERATION_PARAM_INSTANT, "2026-02-11", instant},
        {BT_OPERATION_PARAM_DIALECT, "universal", NULL},
        {BT_OPERATION_PARAM_DIALECT, "Universal", value},
        {BT_OPERATION_PARAM_VERDICT, "rejected", NULL},
        {BT_OPERATION_PARAM_VERDICT, "perhaps", value},
        {BT_OPERATION_PARAM_KIND, "kind", value},
        {BT_OPERATION_PARAM_NAME, "x", NULL},
        {BT_OPERATION_PARAM_NAME, "", value},
        {BT_OPERATION_PARAM_WORD, "desc", NULL},
        {BT_OPERATION_PARAM_WORD, "des", value},
        {BT_OPERATION_PARAM_TEXT, "", NULL},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct bt_operation_param param = {
            .type = rows[i].type, .min = 1, .max = 500, .words = words, .word_count = 2};
        const char *why = bt_argument_check_text(&param, bt_str_of(rows[i].text));
        if ((why == NULL) != (rows[i].why == NULL) || (why && strcmp(why, rows[i].why) != 0)) {
            fail_msg("'%s': got '%s'", rows[i].text, why ? why : "nothing");
        }
    }
}

static const struct bt_operation_param params[] = {
    {.name = BT_STR_INIT("agent"),
     .type = BT_OPERATION_PARAM_TEXT,
     .places = BT_IN_BODY,
     .is_required = true},
    {.name = BT_STR_INIT("max"),
     .type = BT_OPERATION_PARAM_INTEGER,
     .places = BT_IN_BODY,
     .min = 1,
     .max = 100},
    {.name = BT_STR_INIT("payload"),
     .type = BT_OPERATION_PARAM_JSON,
     .places = BT_IN_BODY,
     .is_required = true},
    {.name = BT_STR_INIT("id"), .type = BT_OPERATION_PARAM_NAME, .places = BT_IN_PATH},
};
static const struct bt_operation operation = {.params = params, .param_count = COUNT_OF(params)};

static void the_first_fault_of_an_object_is_named(void **state)
{
    static const struct {
        const char *text;
        const char *name; /* of the fault; NULL: there is none */
        const char *why;
    } rows[] = {
        {"{\"agent\":\"a\",\"payload\":null}", NULL, NULL},
        {"{\"agent\":\"a\",\"payload\":\"\",\"max\":100}", NULL, NULL},
        {"{}", "agent", "it is missing"},
        {"{\"agent\":\"\",\"payload\":1}", "agent", "it is missing"},
        {"{\"agent\":null,\"payload\":1}", "agent", "it is missing"},
        {"{\"agent\":\"a\"}", "payload", "it is missing"},
        {"{\"agent\":1}", "agent", "it is no text"},
        {"{\"max\":0}", "max", "it is no whole number within its bounds"},
        {"{\"max\":101}", "max", "it is no whole number within its bounds"},
        {"{\"max\":1.5}", "max", "it is no whole number within its bounds"},
        {"{\"max\":\"1\"}", "max", "it is no whole number within its bounds"},
        {"{\"agent\":1,\"odd\":1}", "odd", "there is no such parameter"},
        {"{\"id\":\"x\"}", "id", "there is no such parameter"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_json_read_result read;
        struct bt_argument_fault fault;
        struct bt_arena arena;
        bt_arena_init(&arena, 1 << 20);
        assert_int_equal(bt_json_read(&arena, bt_str_of(rows[i].text), NULL, &read), BT_OK);
        const bool is_right = bt_arguments_check_object(&operation, read.document,
                                                        bt_json_root(read.document), &fault);
        if (is_right != (rows[i].name == NULL) ||
            (!is_right && (!bt_str_eq(fault.name, bt_str_of(rows[i].name)) ||
                           strcmp(fault.why, rows[i].why) != 0))) {
            fail_msg("%s: got '%.*s' '%s'", rows[i].text, is_right ? 0 : (int)fault.name.len,
                     is_right ? "" : fault.name.ptr, is_right ? "nothing" : fault.why);
        }
        bt_arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_of_a_query_have_the_type_of_their_parameter),
        cmocka_unit_test(the_first_fault_of_an_object_is_named),
    };
    return RUN_TESTS(tests);
}
