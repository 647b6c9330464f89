/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_document_builder.c - documents that a caller makes from values: as if their text were read.
 */
#include "json_test.h"

#include <math.h>

#include "base/env.h"

#include "json/emit.h"

enum { ARENA_MAX = 16 << 20 };

/* A compact text drives the builder: strings without escapes, brackets, numbers, words. */
static void build_text(struct bt_builder *builder, const char *text)
{
    while (*text) {
        const char byte = *text;
        size_t size = strcspn(text, ",:]} ");
        if (byte == '"') {
            size = strcspn(text + 1, "\"") + 2;
            const bt_str string = {text + 1, size - 2};
            if (text[size] == ':') {
                bt_builder_name(builder, string);
            } else {
                bt_builder_string(builder, string);
            }
        } else if (byte == '{' || byte == '[') {
            size = 1;
            (byte == '{' ? bt_builder_object : bt_builder_array)(builder);
        } else if (byte == '}' || byte == ']') {
            size = 1;
            bt_builder_end(builder);
        } else if (byte == 't' || byte == 'f') {
            bt_builder_bool(builder, byte == 't');
        } else if (byte == 'n') {
            bt_builder_null(builder);
        } else if (byte == ',' || byte == ':') {
            size = 1;
        } else {
            bt_builder_number(builder, (bt_str){text, size});
        }
        text += size;
    }
}

static struct bt_json_read_result build(struct bt_arena *arena, const struct bt_engine *engine,
                                        const char *text)
{
    struct bt_builder *builder = bt_builder_create(engine, arena);
    struct bt_json_read_result made = BT_INIT(struct bt_json_read_result);
    build_text(builder, text);
    assert_int_equal(bt_builder_finish(builder, &made), BT_OK);
    bt_builder_destroy(builder);
    return made;
}

static void a_built_document_is_as_if_it_were_read(void **state)
{
    static const char *const texts[] = {
        "{\"a\":[1,-0,1e400,0.10,12345678901234567890],\"s\":\"\xc3\xa9\",\"m\":{\"\":null}}",
        "[]",
        "{}",
        "null",
        "\"x\"",
        "-9223372036854775808",
        "[[[[true]],false],{\"k\":{\"k\":{\"k\":\"k\"}}}]",
    };
    struct bt_arena arena;
    (void)state;
    bt_arena_init(&arena, ARENA_MAX);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        const struct bt_json_read_result made = build(&arena, NULL, texts[i]);
        bt_str text = BT_STR("");
        assert_non_null(made.document);
        assert_int_equal(made.code, BT_JSON_ERROR_NONE);
        assert_int_equal(bt_json_source(made.document).len, 0);
        assert_int_equal(bt_json_write_text(made.document, bt_json_root(made.document),
                                            BT_JSON_FORM_COMPACT, &arena, &text),
                         BT_OK);
        assert_true(bt_str_eq(text, bt_str_of(texts[i])));
    }
    bt_arena_free(&arena);
}

static void numbers_and_strings_are_written_as_json_does(void **state)
{
    struct bt_arena arena;
    struct bt_json_read_result made = BT_INIT(struct bt_json_read_result);
    bt_str text = BT_STR("");
    (void)state;
    bt_arena_init(&arena, ARENA_MAX);
    struct bt_builder *builder = bt_builder_create(NULL, &arena);
    bt_builder_array(builder);
    bt_builder_i64(builder, INT64_MIN);
    bt_builder_i64(builder, INT64_MAX);
    bt_builder_double(builder, 0.1);
    bt_builder_double(builder, 1e300);
    bt_builder_double(builder, -0.0);
    bt_builder_string(builder, BT_STR("a\"\\\n\x01\xed\xa0\x80z\xed\xb0\x80"));
    bt_builder_end(builder);
    assert_int_equal(bt_builder_finish(builder, &made), BT_OK);
    assert_int_equal(bt_json_write_text(made.document, bt_json_root(made.document),
                                        BT_JSON_FORM_COMPACT, &arena, &text),
                     BT_OK);
    assert_str(text, "[-9223372036854775808,9223372036854775807,0.1,1e+300,0,"
                     "\"a\\\"\\\\\\n\\u0001\\ud800z\\udc00\"]");
    assert_true(bt_json_has_lone_surrogate(made.document));
    bt_builder_destroy(builder);
    bt_arena_free(&arena);
}

/* Each limit, set to what the text needs and to one less: reading and building agree. */
static void limits_are_those_of_reading(void **state)
{
    static const char text[] = "{\"a\":[1,2.50,\"x\\n\\u0001\\ud800\"],\"b\\\"\":{\"c\":[[]]},"
                               "\"d\":true,\"e\":null}";
    static const struct {
        const char *name;
        uint64_t needed;
    } rows[] = {
        {"depth", 4}, {"nodes", 9}, {"string_bytes", 15}, {"document_bytes", sizeof(text) - 1}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows) * 2; i++) {
        struct bt_arena arena;
        struct bt_env env;
        char setting[80];
        const uint64_t limit = rows[i / 2].needed - i % 2;
        bt_arena_init(&arena, ARENA_MAX);
        (void)snprintf(setting, sizeof(setting), "%s=%u", rows[i / 2].name, (unsigned)limit);
        assert_int_equal(bt_env_init(&env), BT_OK);
        assert_int_equal(bt_limits_lower(&env.limits, bt_str_of(setting), NULL), BT_OK);
        /* An engine begins with its environment. */
        const struct bt_engine *engine = (const struct bt_engine *)(const void *)&env;
        struct bt_builder *builder = bt_builder_create(engine, &arena);
        struct bt_json_read_result made = BT_INIT(struct bt_json_read_result);
        bt_builder_object(builder);
        bt_builder_name(builder, BT_STR("a"));
        bt_builder_array(builder);
        bt_builder_i64(builder, 1);
        bt_builder_number(builder, BT_STR("2.50"));
        bt_builder_string(builder, BT_STR("x\n\x01\xed\xa0\x80"));
        bt_builder_end(builder);
        bt_builder_name(builder, BT_STR("b\""));
        build_text(builder, "{\"c\":[[]]},\"d\":true,\"e\":null}");
        assert_int_equal(bt_builder_finish(builder, &made), BT_OK);
        const struct bt_json_options options = bt_json_options_from_env(&env);
        struct bt_json_read_result read = BT_INIT(struct bt_json_read_result);
        assert_int_equal(bt_json_read(&arena, bt_str_of(text), &options, &read), BT_OK);
        assert_int_equal(made.code, read.code);
        assert_true(!made.document == (i % 2 == 1));
        assert_int_equal(made.limit, read.limit);
        assert_true(bt_str_eq(made.limit_name, read.limit_name));
        assert_string_equal(made.detail, read.detail);
        bt_builder_destroy(builder);
        bt_arena_free(&arena);
    }
}

static void a_repeated_name_is_found_with_its_pointer(void **state)
{
    static const struct {
        const char *text;
        const char *pointer;
    } rows[] = {
        {"{\"a\":1,\"a\":2}", "/a"},
        {"[1,{\"x\":[{},{\"b\":1,\"c/d\":1,\"c/d\":{}}]}]", "/1/x/1/c~1d"},
    };
    struct bt_arena arena;
    (void)state;
    bt_arena_init(&arena, ARENA_MAX);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct bt_json_read_result made = build(&arena, NULL, rows[i].text);
        assert_null(made.document);
        assert_int_equal(made.code, BT_JSON_ERROR_DUPLICATE_KEY);
        assert_true(bt_str_eq(made.pointer, bt_str_of(rows[i].pointer)));
    }
    bt_arena_free(&arena);
}

static void what_is_not_json_is_refused(void **state)
{
    static const bt_str numbers[] = {
        BT_STR_INIT(""),    BT_STR_INIT("1 "), BT_STR_INIT(" 1"), BT_STR_INIT("1,"),
        BT_STR_INIT("01"),  BT_STR_INIT("+1"), BT_STR_INIT("1."), BT_STR_INIT("NaN"),
        BT_STR_INIT("1-2"), BT_STR_INIT("1e"), BT_STR_INIT("-"),  BT_STR_INIT("1]"),
    };
    static const bt_str texts[] = {
        BT_STR_INIT("\xff"), BT_STR_INIT("a\xc3"), BT_STR_INIT("\xed\xa0"),
        BT_STR_INIT("\xed\xa0\xbd\xed\xb8\x80"), /* a pair has a form of its own */
    };
    struct bt_arena arena;
    struct bt_json_read_result made = BT_INIT(struct bt_json_read_result);
    (void)state;
    bt_arena_init(&arena, ARENA_MAX);
    struct bt_builder *builder = bt_builder_create(NULL, &arena);
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        bt_builder_number(builder, numbers[i]);
        assert_int_equal(bt_builder_finish(builder, &made), BT_OK);
        assert_int_equal(made.code, BT_JSON_ERROR_SYNTAX);
    }
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        bt_builder_string(builder, texts[i]);
        assert_int_equal(bt_builder_finish(builder, &made), BT_OK);
        assert_int_equal(made.code, BT_JSON_ERROR_UTF8);
    }
    bt_builder_double(builder, NAN);
    assert_int_equal(bt_builder_finish(builder, &made), BT_OK);
    assert_int_equal(made.code, BT_JSON_ERROR_SYNTAX);
    bt_builder_destroy(builder);
    bt_arena_free(&arena);
}

/* One letter is one call: Object, Array, Name, End, Value. */
static void a_wrong_order_of_calls_is_an_invalid_argument(void **state)
{
    static const char *const orders[] = {"",    "O",   "E",  "N",   "VV",  "OV",  "ON",
                                         "ONE", "ONN", "AN", "OEE", "OEV", "OEE", "OEN"};
    struct bt_arena arena;
    struct bt_json_read_result made = BT_INIT(struct bt_json_read_result);
    (void)state;
    bt_arena_init(&arena, ARENA_MAX);
    struct bt_builder *builder = bt_builder_create(NULL, &arena);
    for (size_t i = 0; i < COUNT_OF(orders); i++) {
        for (const char *call = orders[i]; *call; call++) {
            switch (*call) {
            case 'O':
                bt_builder_object(builder);
                break;
            case 'A':
                bt_builder_array(builder);
                break;
            case 'N':
                bt_builder_name(builder, BT_STR("n"));
                break;
            case 'E':
                bt_builder_end(builder);
                break;
            default:
                bt_builder_null(builder);
                break;
            }
        }
        made.detail = "as before";
        assert_int_equal(bt_builder_finish(builder, &made), BT_EINVAL);
        assert_string_equal(made.detail, "as before");
    }
    bt_builder_bool(builder, true); /* and the builder is of use after all that */
    made.size = 3;
    assert_int_equal(bt_builder_finish(builder, &made), BT_EINVAL);
    made.size = 0;
    bt_builder_bool(builder, true);
    assert_int_equal(bt_builder_finish(builder, &made), BT_OK);
    assert_int_equal(bt_json_type(bt_json_root(made.document)), BT_JSON_TRUE);
    bt_builder_destroy(builder);
    bt_arena_free(&arena);
}

/* Names are given from one place in memory, whose content changes in between. */
static void one_builder_makes_one_document_after_another(void **state)
{
    static const char *const names[] = {"id", "name", "a\"b", "\xc3\xa9", "", "id"};
    struct bt_arena arena;
    char given[8];
    (void)state;
    bt_arena_init(&arena, ARENA_MAX);
    struct bt_builder *builder = bt_builder_create(NULL, &arena);
    for (size_t count = 1; count <= COUNT_OF(names); count++) {
        struct bt_json_read_result made = BT_INIT(struct bt_json_read_result);
        struct bt_buf wanted;
        bt_str text = BT_STR("");
        bt_buf_init(&wanted, ARENA_MAX);
        bt_builder_array(builder);
        bt_buf_put_char(&wanted, '[');
        for (int row = 0; row < 100; row++) {
            bt_builder_object(builder);
            bt_buf_put_text(&wanted, row > 0 ? ",{" : "{");
            for (size_t i = 0; i < count; i++) {
                const size_t size = strlen(names[i]);
                memcpy(given, names[i], size);
                bt_builder_name(builder, (bt_str){given, size});
                bt_builder_i64(builder, i % 2 ? INT64_MIN + row : row);
                bt_buf_put_text(&wanted, i > 0 ? "," : "");
                bt_json_put_string(&wanted, bt_str_of(names[i]));
                bt_buf_printf(&wanted, ":%lld", (long long)(i % 2 ? INT64_MIN + row : row));
            }
            bt_builder_end(builder);
            bt_buf_put_char(&wanted, '}');
        }
        bt_builder_end(builder);
        bt_buf_put_char(&wanted, ']');
        assert_int_equal(bt_builder_finish(builder, &made), BT_OK);
        if (count == COUNT_OF(names)) { /* the first name stands there again */
            assert_int_equal(made.code, BT_JSON_ERROR_DUPLICATE_KEY);
            assert_true(bt_str_eq(made.pointer, BT_STR("/0/id")));
        } else {
            assert_int_equal(bt_json_write_text(made.document, bt_json_root(made.document),
                                                BT_JSON_FORM_COMPACT, &arena, &text),
                             BT_OK);
            assert_true(bt_str_eq(text, bt_buf_str(&wanted)));
            assert_int_equal(bt_json_node_count(made.document), 100 * (count + 1));
            assert_true(bt_json_has_long_number(made.document) == (count > 1));
        }
        bt_buf_free(&wanted);
    }
    bt_builder_destroy(builder);
    bt_arena_free(&arena);
}

/* Names that differ in one byte, of every length around those that are compared as words. */
static void names_that_are_alike_are_told_apart(void **state)
{
    struct bt_arena arena;
    struct bt_json_read_result made = BT_INIT(struct bt_json_read_result);
    (void)state;
    bt_arena_init(&arena, ARENA_MAX);
    struct bt_builder *builder = bt_builder_create(NULL, &arena);
    for (size_t size = 1; size <= 20; size++) {
        char name[20];
        bt_builder_object(builder);
        for (size_t i = 0; i <= size; i++) { /* the last time no byte is another one */
            memset(name, 0, sizeof(name));
            name[i % sizeof(name)] = i < size ? 'b' : 0;
            bt_builder_name(builder, (bt_str){name, size});
            bt_builder_i64(builder, (int64_t)i);
        }
        bt_builder_end(builder);
        assert_int_equal(bt_builder_finish(builder, &made), BT_OK);
        assert_non_null(made.document);
        for (size_t i = 0; i <= size; i++) {
            memset(name, 0, sizeof(name));
            name[i % sizeof(name)] = i < size ? 'b' : 0;
            const bt_json_value *found =
                bt_json_get(made.document, bt_json_root(made.document), (bt_str){name, size});
            assert_non_null(found);
            assert_int_equal(found->as.integer, i);
        }
    }
    bt_builder_destroy(builder);
    bt_arena_free(&arena);
}

static void every_limit_of_memory_gives_a_status(void **state)
{
    struct bt_json_read_result made = BT_INIT(struct bt_json_read_result);
    enum bt_status status = BT_ENOMEM;
    size_t limit = 16;
    (void)state;
    for (; status == BT_ENOMEM && limit < ARENA_MAX; limit *= 2) {
        struct bt_arena arena;
        bt_arena_init(&arena, limit);
        struct bt_builder *builder = bt_builder_create(NULL, &arena);
        build_text(builder, "{\"a\":[1,2,3,{\"b\":\"cccccccccccccccccccccccccccccccc\"}]}");
        status = bt_builder_finish(builder, &made);
        assert_true(status == BT_ENOMEM || status == BT_OK);
        bt_builder_destroy(builder);
        bt_arena_free(&arena);
    }
    assert_int_equal(status, BT_OK);
    assert_true(limit > 64); /* there was a failure */
    bt_builder_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_built_document_is_as_if_it_were_read),
        cmocka_unit_test(numbers_and_strings_are_written_as_json_does),
        cmocka_unit_test(limits_are_those_of_reading),
        cmocka_unit_test(a_repeated_name_is_found_with_its_pointer),
        cmocka_unit_test(what_is_not_json_is_refused),
        cmocka_unit_test(a_wrong_order_of_calls_is_an_invalid_argument),
        cmocka_unit_test(one_builder_makes_one_document_after_another),
        cmocka_unit_test(names_that_are_alike_are_told_apart),
        cmocka_unit_test(every_limit_of_memory_gives_a_status),
    };
    return RUN_TESTS(tests);
}
