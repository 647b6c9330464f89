/* SPDX-License-Identifier: Apache-2.0 */
/* test_arguments.c - arguments are checked against the parameters of their operation. */
#include "test.h"

#include "base/arena.h"
#include "base/buf.h"
#include "operation/arguments.h"

static const bt_str words[] = {BT_STR_INIT("asc"), BT_STR_INIT("desc")};

/* A text, and what is wrong with it; NULL: nothing. */
static void texts_of_a_query_have_the_type_of_their_parameter(void **state)
{
    static const char number[] = "it is not a whole number within its bounds";
    static const char value[] = "not one of the allowed values";
    static const char boolean[] = "it is 1 or 0";
    static const char instant[] = "it is not a time such as 2026-02-11T00:45:02Z";
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

static const bt_str types[] = {BT_STR_INIT("object"), BT_STR_INIT("string")};
static const struct bt_operation_param params[] = {
    {.name = BT_STR_INIT("agent"),
     .type = BT_OPERATION_PARAM_NAME,
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
    {.name = BT_STR_INIT("tag"),
     .type = BT_OPERATION_PARAM_JSON,
     .places = BT_IN_BODY,
     .words = types,
     .word_count = COUNT_OF(types)},
    {.name = BT_STR_INIT("style"),
     .type = BT_OPERATION_PARAM_WORD,
     .places = BT_IN_BODY,
     .words = types,
     .word_count = COUNT_OF(types)},
    {.name = BT_STR_INIT("gap"),
     .type = BT_OPERATION_PARAM_TEXT,
     .places = BT_IN_BODY,
     .is_repeated = true},
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
        {"{\"agent\":1}", "agent", "it is not a text"},
        {"{\"max\":0}", "max", "it is not a whole number within its bounds"},
        {"{\"max\":101}", "max", "it is not a whole number within its bounds"},
        {"{\"max\":1.5}", "max", "it is not a whole number within its bounds"},
        {"{\"max\":\"1\"}", "max", "it is not a whole number within its bounds"},
        {"{\"agent\":1,\"odd\":1}", "odd", "unknown parameter"},
        {"{\"id\":\"x\"}", "id", "unknown parameter"},
        {"{\"tag\":1}", "tag", "it is a value of another type"},
        {"{\"tag\":null}", "tag", "it is a value of another type"},
        {"{\"tag\":{},\"style\":\"x\"}", "style", "not one of the allowed values"},
        {"{\"tag\":\"\",\"style\":\"string\",\"gap\":[\"\"]}", "agent", "it is missing"},
        {"{\"gap\":{\"a\":1}}", "gap", "it is not a list of texts"},
        {"{\"gap\":\"x\"}", "gap", "it is not a list of texts"},
        {"{\"gap\":[\"x\",1]}", "gap", "it is not a list of texts"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_json_read_result read = {0};
        struct bt_argument_fault fault;
        struct bt_arena arena;
        bt_arena_init(&arena, 1 << 20);
        assert_int_equal(bt_json_read(&arena, bt_str_of(rows[i].text), NULL, &read), BT_OK);
        const bool is_right = bt_arguments_check_object(&operation, BT_IN_BODY, read.document,
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

static const struct bt_operation_param many[] = {
    {.name = BT_STR_INIT("document"), .places = BT_IN_CONTENT | BT_IN_TOOL},
    {.name = BT_STR_INIT("id"), .places = BT_IN_OPTION},
    {.name = BT_STR_INIT("id"), .places = BT_IN_TOOL},
    {.name = BT_STR_INIT("key"), .places = BT_IN_QUERY, .is_repeated = true},
    {.name = BT_STR_INIT("on"), .places = BT_IN_QUERY},
};
static const struct bt_operation wide = {.params = many, .param_count = COUNT_OF(many)};

static void expect_texts(const struct bt_args *args, size_t place, struct bt_arena *arena,
                         const char *joined)
{
    struct bt_str_list found;
    struct bt_buf buf;
    bt_buf_init(&buf, 100);
    assert_int_equal(bt_args_texts(args, place, arena, &found), BT_OK);
    for (size_t i = 0; i < found.count; i++) {
        bt_buf_printf(&buf, "%.*s;", BT_STR_ARG(found.items[i]));
    }
    assert_true(bt_str_eq(bt_buf_str(&buf), bt_str_of(joined)));
    bt_buf_free(&buf);
}

static void texts_are_found_at_the_place_of_their_name(void **state)
{
    const struct bt_arg one = {.text = BT_STR("1")};
    struct bt_arena arena;
    struct bt_args args;
    (void)state;
    bt_arena_init(&arena, 1 << 20);
    assert_int_equal(bt_args_begin(&args, &wide, 1, &arena), BT_OK);
    assert_null(bt_args_content(&args));
    assert_false(bt_args_has(&args, 3));
    assert_int_equal(bt_args_number(&args, 4, 7), 7);
    expect_texts(&args, 3, &arena, "");
    assert_int_equal(bt_args_add(&args, BT_IN_QUERY, BT_STR("on"), one, &arena), BT_OK);
    assert_int_equal(bt_args_add(&args, BT_IN_QUERY, BT_STR("id"), one, &arena), BT_ENOENT);
    assert_int_equal(bt_args_add(&args, BT_IN_OPTION, BT_STR("on"), one, &arena), BT_ENOENT);
    for (const char *key = "abc"; *key; key++) {
        const struct bt_arg value = {.text = {key, 1}};
        assert_int_equal(bt_args_add(&args, BT_IN_QUERY, BT_STR("key"), value, &arena), BT_OK);
    }
    bt_args_add_option(&args, BT_STR("id"), one);
    assert_true(bt_args_bool(&args, 4));
    assert_int_equal(bt_args_number(&args, 4, 7), 1);
    assert_false(bt_args_has(&args, 2));
    assert_null(bt_args_at(&args, COUNT_OF(many)));
    expect_texts(&args, 3, &arena, "a;b;c;");
    assert_int_equal(args.option_count, 1);
    bt_arena_free(&arena);
}

static void values_of_json_are_read_by_their_type(void **state)
{
    static const struct {
        const char *json;
        const char *text;
        uint64_t number;
        const char *texts;
    } rows[] = {
        {"\"a\"", "a", 7, "a;"},   {"12", "12", 12, "12;"},          {"3.0", "3.0", 3, "3.0;"},
        {"null", "", 7, ""},       {"[\"a\",\"b\"]", "", 7, "a;b;"}, {"[]", "", 7, ""},
        {"{\"a\":1}", "", 7, ";"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_json_read_result read = {0};
        struct bt_arena arena;
        struct bt_args args;
        bt_arena_init(&arena, 1 << 20);
        assert_int_equal(bt_json_read(&arena, bt_str_of(rows[i].json), NULL, &read), BT_OK);
        const struct bt_arg value = {.document = read.document,
                                     .json = bt_json_root(read.document)};
        assert_int_equal(bt_args_begin(&args, &wide, 0, &arena), BT_OK);
        assert_int_equal(bt_args_add(&args, BT_IN_TOOL, BT_STR("id"), value, &arena), BT_OK);
        assert_ptr_equal(bt_args_find(&args, "id"), &args.values[2]);
        assert_true(bt_str_eq(bt_args_text(&args, 2), bt_str_of(rows[i].text)));
        assert_true(bt_str_eq(bt_args_source(&args, 2), bt_str_of(rows[i].json)));
        assert_int_equal(bt_args_number(&args, 2, 7), rows[i].number);
        expect_texts(&args, 2, &arena, rows[i].texts);
        bt_arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_of_a_query_have_the_type_of_their_parameter),
        cmocka_unit_test(the_first_fault_of_an_object_is_named),
        cmocka_unit_test(texts_are_found_at_the_place_of_their_name),
        cmocka_unit_test(values_of_json_are_read_by_their_type),
    };
    return RUN_TESTS(tests);
}
