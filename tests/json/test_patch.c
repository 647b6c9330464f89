/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_patch.c - RFC 6902 patches are applied whole or not at all, within bounds.
 */
#include "json_test.h"

#include "base/buf.h"

static const struct bt_json_patch_options *plain_options(struct bt_json_patch_options *options)
{
    static const struct bt_json_options limits = {.document_bytes_max = TEST_BUF_BYTES};
    *options = (struct bt_json_patch_options){.result = &limits};
    return options;
}

static struct bt_json_patch_result patch_texts(struct bt_buf *buf, bt_str text, bt_str patch_text,
                                               const struct bt_json_patch_options *options)
{
    struct bt_arena arena;
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    const struct bt_json_doc *document = read_text(&arena, text);
    const struct bt_json_doc *patch = read_text(&arena, patch_text);
    const struct bt_arena_mark before = bt_arena_mark(&arena);
    struct bt_json_patch_result result = {0};
    assert_int_equal(bt_json_patch(buf, document, patch, options, &arena, &result), BT_OK);
    assert_non_null(result.detail);
    assert_ptr_equal(bt_arena_mark(&arena).next, before.next);
    bt_arena_free(&arena);
    return result;
}

static void check_patch(const char *text, const char *patch, const char *expected)
{
    struct bt_buf buf;
    struct bt_json_patch_options options;
    bt_buf_init(&buf, TEST_BUF_BYTES);
    const struct bt_json_patch_result result =
        patch_texts(&buf, bt_str_of(text), bt_str_of(patch), plain_options(&options));
    if (result.code != BT_JSON_PATCH_OK) {
        fail_msg("%s: operation %zu: %s", patch, result.operation, result.detail);
    }
    bt_buf_put_char(&buf, '\0');
    assert_string_equal(buf.ptr, expected);
    bt_buf_free(&buf);
}

static void check_refusal(const char *text, const char *patch, enum bt_json_patch_error code,
                          size_t operation)
{
    struct bt_buf buf;
    struct bt_json_patch_options options;
    bt_buf_init(&buf, TEST_BUF_BYTES);
    bt_buf_put_char(&buf, '!');
    const struct bt_json_patch_result result =
        patch_texts(&buf, bt_str_of(text), bt_str_of(patch), plain_options(&options));
    if (result.code != code || result.operation != operation || result.detail[0] == '\0') {
        fail_msg("%s: code %d at %zu", patch, (int)result.code, result.operation);
    }
    assert_str(bt_buf_str(&buf), "!");
    bt_buf_free(&buf);
}

/* Appendix A, in its order. */
static void the_examples_of_rfc_6902_hold(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *patch;
        const char *result; /* NULL: refused with `code` at `operation` */
        enum bt_json_patch_error code;
        size_t operation;
    } rows[] = {
        {"{\"foo\":\"bar\"}", "[{\"op\":\"add\",\"path\":\"/baz\",\"value\":\"qux\"}]",
         "{\"foo\":\"bar\",\"baz\":\"qux\"}", 0, 0},
        {"{\"foo\":[\"bar\",\"baz\"]}", "[{\"op\":\"add\",\"path\":\"/foo/1\",\"value\":\"qux\"}]",
         "{\"foo\":[\"bar\",\"qux\",\"baz\"]}", 0, 0},
        {"{\"baz\":\"qux\",\"foo\":\"bar\"}", "[{\"op\":\"remove\",\"path\":\"/baz\"}]",
         "{\"foo\":\"bar\"}", 0, 0},
        {"{\"foo\":[\"bar\",\"qux\",\"baz\"]}", "[{\"op\":\"remove\",\"path\":\"/foo/1\"}]",
         "{\"foo\":[\"bar\",\"baz\"]}", 0, 0},
        {"{\"baz\":\"qux\",\"foo\":\"bar\"}",
         "[{\"op\":\"replace\",\"path\":\"/baz\",\"value\":\"boo\"}]",
         "{\"baz\":\"boo\",\"foo\":\"bar\"}", 0, 0},
        {"{\"foo\":{\"bar\":\"baz\",\"waldo\":\"fred\"},\"qux\":{\"corge\":\"grault\"}}",
         "[{\"op\":\"move\",\"from\":\"/foo/waldo\",\"path\":\"/qux/thud\"}]",
         "{\"foo\":{\"bar\":\"baz\"},\"qux\":{\"corge\":\"grault\",\"thud\":\"fred\"}}", 0, 0},
        {"{\"foo\":[\"all\",\"grass\",\"cows\",\"eat\"]}",
         "[{\"op\":\"move\",\"from\":\"/foo/1\",\"path\":\"/foo/3\"}]",
         "{\"foo\":[\"all\",\"cows\",\"eat\",\"grass\"]}", 0, 0},
        {"{\"baz\":\"qux\",\"foo\":[\"a\",2,\"c\"]}",
         "[{\"op\":\"test\",\"path\":\"/baz\",\"value\":\"qux\"},"
         "{\"op\":\"test\",\"path\":\"/foo/1\",\"value\":2}]",
         "{\"baz\":\"qux\",\"foo\":[\"a\",2,\"c\"]}", 0, 0},
        {"{\"baz\":\"qux\"}", "[{\"op\":\"test\",\"path\":\"/baz\",\"value\":\"bar\"}]", NULL,
         BT_JSON_PATCH_TEST_FAILED, 0},
        {"{\"foo\":\"bar\"}",
         "[{\"op\":\"add\",\"path\":\"/child\",\"value\":{\"grandchild\":{}}}]",
         "{\"foo\":\"bar\",\"child\":{\"grandchild\":{}}}", 0, 0},
        {"{\"foo\":\"bar\"}", "[{\"op\":\"add\",\"path\":\"/baz\",\"value\":\"qux\",\"xyz\":123}]",
         "{\"foo\":\"bar\",\"baz\":\"qux\"}", 0, 0},
        {"{\"foo\":\"bar\"}", "[{\"op\":\"add\",\"path\":\"/baz/bat\",\"value\":\"qux\"}]", NULL,
         BT_JSON_PATCH_NO_TARGET, 0},
        {"{\"/\":9,\"~1\":10}", "[{\"op\":\"test\",\"path\":\"/~01\",\"value\":10}]",
         "{\"/\":9,\"~1\":10}", 0, 0},
        {"{\"/\":9,\"~1\":10}", "[{\"op\":\"test\",\"path\":\"/~01\",\"value\":\"10\"}]", NULL,
         BT_JSON_PATCH_TEST_FAILED, 0},
        {"{\"foo\":[\"bar\"]}",
         "[{\"op\":\"add\",\"path\":\"/foo/-\",\"value\":[\"abc\",\"def\"]}]",
         "{\"foo\":[\"bar\",[\"abc\",\"def\"]]}", 0, 0},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (rows[i].result) {
            check_patch(rows[i].text, rows[i].patch, rows[i].result);
        } else {
            check_refusal(rows[i].text, rows[i].patch, rows[i].code, rows[i].operation);
        }
    }
}

static void edges_are_as_the_rfcs_say(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *patch;
        const char *result;
    } rows[] = {
        {"1.50", "[]", "1.50"},
        {"{\"a\":1}", "[{\"op\":\"add\",\"path\":\"\",\"value\":[2]}]", "[2]"},
        {"{\"a\":1}", "[{\"op\":\"replace\",\"path\":\"\",\"value\":null}]", "null"},
        {"1", "[{\"op\":\"test\",\"path\":\"\",\"value\":1.0}]", "1"},
        {"{\"a\":1,\"b\":2}", "[{\"op\":\"add\",\"path\":\"/a\",\"value\":3}]",
         "{\"a\":3,\"b\":2}"},
        {"{\"\":1}", "[{\"op\":\"replace\",\"path\":\"/\",\"value\":2}]", "{\"\":2}"},
        {"{}", "[{\"op\":\"add\",\"path\":\"/\",\"value\":0}]", "{\"\":0}"},
        {"[]",
         "[{\"op\":\"add\",\"path\":\"/0\",\"value\":1},{\"op\":\"add\",\"path\":\"/"
         "-\",\"value\":2}]",
         "[1,2]"},
        {"[1,2]", "[{\"op\":\"add\",\"path\":\"/2\",\"value\":3}]", "[1,2,3]"},
        {"{\"-\":1}", "[{\"op\":\"replace\",\"path\":\"/-\",\"value\":2}]", "{\"-\":2}"},
        {"{\"00\":1}", "[{\"op\":\"remove\",\"path\":\"/00\"}]", "{}"},
        {"{\"a\":null}", "[{\"op\":\"test\",\"path\":\"/a\",\"value\":null}]", "{\"a\":null}"},
        {"{\"a\":{\"b\":1}}", "[{\"op\":\"move\",\"from\":\"/a/b\",\"path\":\"/a\"}]", "{\"a\":1}"},
        {"{\"a\":{\"b\":1}}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"\"}]", "{\"b\":1}"},
        {"{\"a\":1,\"b\":2}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/a\"}]",
         "{\"a\":1,\"b\":2}"},
        {"{\"a\":1,\"ab\":2}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/ab\"}]",
         "{\"ab\":1}"},
        {"[1,2,3]", "[{\"op\":\"move\",\"from\":\"/2\",\"path\":\"/0\"}]", "[3,1,2]"},
        {"[1,2,3]", "[{\"op\":\"move\",\"from\":\"/0\",\"path\":\"/-\"}]", "[2,3,1]"},
        {"{\"a\":[1]}", "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/a/0\"}]", "{\"a\":[[1],1]}"},
        {"{\"a\":1}", "[{\"op\":\"copy\",\"from\":\"\",\"path\":\"/b\"}]",
         "{\"a\":1,\"b\":{\"a\":1}}"},
        {"{\"a/b\":{\"m~n\":1}}", "[{\"op\":\"replace\",\"path\":\"/a~1b/m~0n\",\"value\":2}]",
         "{\"a/b\":{\"m~n\":2}}"},
        {"{\"\\u0061\":1}", "[{\"op\":\"remove\",\"path\":\"\\u002fa\"}]", "{}"},
        {"{\"n\":1e400}", "[{\"op\":\"test\",\"path\":\"/n\",\"value\":10e399}]", "{\"n\":1e400}"},
        {"{\"a\":{\"x\":1,\"y\":[2]}}",
         "[{\"op\":\"test\",\"path\":\"/a\",\"value\":{\"y\":[2.0],\"x\":1}}]",
         "{\"a\":{\"x\":1,\"y\":[2]}}"},
        /* A test of what earlier operations made. */
        {"{\"a\":{}}",
         "[{\"op\":\"add\",\"path\":\"/a/x\",\"value\":[1]},{\"op\":\"add\",\"path\":\"/a/x/"
         "0\",\"value\":0},"
         "{\"op\":\"test\",\"path\":\"\",\"value\":{\"a\":{\"x\":[0,1]}}}]",
         "{\"a\":{\"x\":[0,1]}}"},
        {"{\"\\ud800\":\"\\udfff\"}",
         "[{\"op\":\"add\",\"path\":\"/\\uDC00\",\"value\":\"\\ud801\"}]",
         "{\"\\ud800\":\"\\udfff\",\"\\udc00\":\"\\ud801\"}"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        check_patch(rows[i].text, rows[i].patch, rows[i].result);
    }
}

static void what_cannot_be_done_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *patch;
        enum bt_json_patch_error code;
        size_t operation;
    } rows[] = {
        {"{}", "{}", BT_JSON_PATCH_MALFORMED, 0},
        {"{}", "[1]", BT_JSON_PATCH_MALFORMED, 0},
        {"{}", "[{}]", BT_JSON_PATCH_MALFORMED, 0},
        {"{}", "[{\"op\":\"Add\",\"path\":\"\",\"value\":1}]", BT_JSON_PATCH_MALFORMED, 0},
        {"{}", "[{\"op\":1,\"path\":\"\",\"value\":1}]", BT_JSON_PATCH_MALFORMED, 0},
        {"{}", "[{\"op\":\"add\",\"value\":1}]", BT_JSON_PATCH_MALFORMED, 0},
        {"{}", "[{\"op\":\"add\",\"path\":1,\"value\":1}]", BT_JSON_PATCH_MALFORMED, 0},
        {"{}", "[{\"op\":\"add\",\"path\":\"a\",\"value\":1}]", BT_JSON_PATCH_MALFORMED, 0},
        {"{}", "[{\"op\":\"add\",\"path\":\"/~2\",\"value\":1}]", BT_JSON_PATCH_MALFORMED, 0},
        {"{}", "[{\"op\":\"add\",\"path\":\"/a\"}]", BT_JSON_PATCH_MALFORMED, 0},
        {"{}", "[{\"op\":\"replace\",\"path\":\"\"}]", BT_JSON_PATCH_MALFORMED, 0},
        {"{}", "[{\"op\":\"test\",\"path\":\"\"}]", BT_JSON_PATCH_MALFORMED, 0},
        {"{}", "[{\"op\":\"move\",\"path\":\"/a\"}]", BT_JSON_PATCH_MALFORMED, 0},
        {"{}", "[{\"op\":\"copy\",\"path\":\"/a\",\"from\":\"b\"}]", BT_JSON_PATCH_MALFORMED, 0},
        {"{}", "[{\"op\":\"remove\",\"path\":\"\"}]", BT_JSON_PATCH_MALFORMED, 0},
        {"{\"a\":{}}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/a/b\"}]",
         BT_JSON_PATCH_MALFORMED, 0},
        {"{\"a\":{}}", "[{\"op\":\"move\",\"from\":\"\",\"path\":\"/a\"}]", BT_JSON_PATCH_MALFORMED,
         0},
        {"{}", "[{\"op\":\"remove\",\"path\":\"/a\"}]", BT_JSON_PATCH_NO_TARGET, 0},
        {"{}", "[{\"op\":\"replace\",\"path\":\"/a\",\"value\":1}]", BT_JSON_PATCH_NO_TARGET, 0},
        {"{}", "[{\"op\":\"test\",\"path\":\"/a\",\"value\":null}]", BT_JSON_PATCH_NO_TARGET, 0},
        {"{}", "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/b\"}]", BT_JSON_PATCH_NO_TARGET, 0},
        {"{}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/a\"}]", BT_JSON_PATCH_NO_TARGET, 0},
        {"[1]", "[{\"op\":\"add\",\"path\":\"/2\",\"value\":1}]", BT_JSON_PATCH_NO_TARGET, 0},
        {"[1]", "[{\"op\":\"add\",\"path\":\"/01\",\"value\":1}]", BT_JSON_PATCH_NO_TARGET, 0},
        {"[1]", "[{\"op\":\"add\",\"path\":\"/-1\",\"value\":1}]", BT_JSON_PATCH_NO_TARGET, 0},
        {"[1]", "[{\"op\":\"add\",\"path\":\"/1e0\",\"value\":1}]", BT_JSON_PATCH_NO_TARGET, 0},
        {"[1]", "[{\"op\":\"add\",\"path\":\"/a\",\"value\":1}]", BT_JSON_PATCH_NO_TARGET, 0},
        {"[1]", "[{\"op\":\"remove\",\"path\":\"/1\"}]", BT_JSON_PATCH_NO_TARGET, 0},
        {"[1]", "[{\"op\":\"remove\",\"path\":\"/-\"}]", BT_JSON_PATCH_NO_TARGET, 0},
        {"[1]", "[{\"op\":\"replace\",\"path\":\"/-\",\"value\":1}]", BT_JSON_PATCH_NO_TARGET, 0},
        {"[1]", "[{\"op\":\"test\",\"path\":\"/18446744073709551616\",\"value\":1}]",
         BT_JSON_PATCH_NO_TARGET, 0},
        {"[1]", "[{\"op\":\"add\",\"path\":\"/0/0\",\"value\":1}]", BT_JSON_PATCH_NO_TARGET, 0},
        {"1", "[{\"op\":\"add\",\"path\":\"/a\",\"value\":1}]", BT_JSON_PATCH_NO_TARGET, 0},
        {"\"a\"", "[{\"op\":\"test\",\"path\":\"/0\",\"value\":\"a\"}]", BT_JSON_PATCH_NO_TARGET,
         0},
        {"{\"a\":1}", "[{\"op\":\"test\",\"path\":\"\",\"value\":{\"a\":2}}]",
         BT_JSON_PATCH_TEST_FAILED, 0},
        {"{\"a\":1}", "[{\"op\":\"test\",\"path\":\"\",\"value\":{\"b\":1}}]",
         BT_JSON_PATCH_TEST_FAILED, 0},
        {"{\"a\":[1]}",
         "[{\"op\":\"add\",\"path\":\"/a/"
         "-\",\"value\":2},{\"op\":\"test\",\"path\":\"\",\"value\":{\"a\":[1]}}]",
         BT_JSON_PATCH_TEST_FAILED, 1},
        {"{\"a\":[1]}",
         "[{\"op\":\"add\",\"path\":\"/b\",\"value\":2},{\"op\":\"test\",\"path\":\"\",\"value\":"
         "{\"a\":[1],\"c\":2}}]",
         BT_JSON_PATCH_TEST_FAILED, 1},
        /* All or nothing: the first two would have worked. */
        {"{\"a\":1}",
         "[{\"op\":\"add\",\"path\":\"/b\",\"value\":2},{\"op\":\"remove\",\"path\":\"/a\"},"
         "{\"op\":\"remove\",\"path\":\"/a\"}]",
         BT_JSON_PATCH_NO_TARGET, 2},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        check_refusal(rows[i].text, rows[i].patch, rows[i].code, rows[i].operation);
    }
}

/* Changing a copy, the original, or what both share, changes nothing else. */
static void copies_are_independent(void **state)
{
    (void)state;
    static const char make[] = "{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/b\"}";
    static const struct {
        const char *then;
        const char *result;
    } rows[] = {
        {"{\"op\":\"replace\",\"path\":\"/b/x/0/y\",\"value\":2}",
         "{\"a\":{\"x\":[{\"y\":1}]},\"b\":{\"x\":[{\"y\":2}]}}"},
        {"{\"op\":\"replace\",\"path\":\"/a/x/0/y\",\"value\":2}",
         "{\"a\":{\"x\":[{\"y\":2}]},\"b\":{\"x\":[{\"y\":1}]}}"},
        {"{\"op\":\"test\",\"path\":\"/b/x/0/y\",\"value\":1},{\"op\":\"remove\",\"path\":\"/a/x/0/"
         "y\"}",
         "{\"a\":{\"x\":[{}]},\"b\":{\"x\":[{\"y\":1}]}}"},
        {"{\"op\":\"add\",\"path\":\"/a/x/0\",\"value\":0},{\"op\":\"add\",\"path\":\"/b/x/1/"
         "z\",\"value\":0}",
         NULL},
        {"{\"op\":\"add\",\"path\":\"/a/x/0\",\"value\":0},{\"op\":\"add\",\"path\":\"/b/x/0/"
         "z\",\"value\":3}",
         "{\"a\":{\"x\":[0,{\"y\":1}]},\"b\":{\"x\":[{\"y\":1,\"z\":3}]}}"},
        {"{\"op\":\"copy\",\"from\":\"/b/x\",\"path\":\"/a/w\"},{\"op\":\"remove\",\"path\":\"/a/w/"
         "0/y\"},"
         "{\"op\":\"add\",\"path\":\"/b/x/0/y\",\"value\":4}",
         "{\"a\":{\"x\":[{\"y\":1}],\"w\":[{}]},\"b\":{\"x\":[{\"y\":4}]}}"},
        {"{\"op\":\"move\",\"from\":\"/a/x\",\"path\":\"/m\"},{\"op\":\"add\",\"path\":\"/m/"
         "-\",\"value\":5}",
         "{\"a\":{},\"b\":{\"x\":[{\"y\":1}]},\"m\":[{\"y\":1},5]}"},
    };
    static const char *const before[] = {
        "",                                                        /* values of the document */
        "{\"op\":\"replace\",\"path\":\"/a/x/0/y\",\"value\":1},", /* nodes already */
        "{\"op\":\"test\",\"path\":\"/a/x/0\",\"value\":{\"y\":1}},",
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (size_t k = 0; k < COUNT_OF(before); k++) {
            char patch[400];
            (void)snprintf(patch, sizeof(patch), "[%s%s,%s]", before[k], make, rows[i].then);
            if (rows[i].result) {
                check_patch("{\"a\":{\"x\":[{\"y\":1}]}}", patch, rows[i].result);
            } else {
                check_refusal("{\"a\":{\"x\":[{\"y\":1}]}}", patch, BT_JSON_PATCH_NO_TARGET,
                              k == 0 ? 2 : 3);
            }
        }
    }
}

static void the_result_may_be_pretty(void **state)
{
    (void)state;
    struct bt_buf buf;
    struct bt_json_patch_options options;
    bt_buf_init(&buf, TEST_BUF_BYTES);
    (void)plain_options(&options);
    options.form = BT_JSON_FORM_PRETTY;
    const struct bt_json_patch_result result =
        patch_texts(&buf, BT_STR("{\"a\":{\"b\":[],\"c\":[1]},\"d\":{\"e\":0}}"),
                    BT_STR("[{\"op\":\"add\",\"path\":\"/a/c/0\",\"value\":{\"x\":[2]}},"
                           "{\"op\":\"remove\",\"path\":\"/d/e\"}]"),
                    &options);
    assert_int_equal(result.code, BT_JSON_PATCH_OK);
    assert_str(bt_buf_str(&buf), "{\n"
                                 "  \"a\": {\n"
                                 "    \"b\": [],\n"
                                 "    \"c\": [\n"
                                 "      {\n"
                                 "        \"x\": [\n"
                                 "          2\n"
                                 "        ]\n"
                                 "      },\n"
                                 "      1\n"
                                 "    ]\n"
                                 "  },\n"
                                 "  \"d\": {}\n"
                                 "}\n");
    bt_buf_free(&buf);
}

/* Each bound of the result, exactly kept and broken by one. */
static void the_result_keeps_its_bounds(void **state)
{
    (void)state;
    static const bt_str text = BT_STR_INIT("{\"a\":[[1]],\"b\":\"x\"}");
    static const bt_str patch = BT_STR_INIT("[{\"op\":\"add\",\"path\":\"/c\",\"value\":\"y\\n\"},"
                                            "{\"op\":\"add\",\"path\":\"/a/0/1\",\"value\":{}}]");
    /* {"a":[[1,{}]],"b":"x","c":"y\n"}: 32 bytes, 6 nodes, depth 4, strings of 3 bytes. */
    for (size_t which = 0; which < 5; which++) {
        struct bt_buf buf;
        const uint64_t less = which > 0;
        const struct bt_json_options limits = {
            .document_bytes_max = 32 - (which == 1 ? less : 0),
            .nodes_max = 6 - (which == 2 ? less : 0),
            .depth_max = (uint32_t)(4 - (which == 3 ? less : 0)),
            .string_bytes_max = 3 - (which == 4 ? less : 0),
        };
        const struct bt_json_patch_options options = {.result = &limits};
        bt_buf_init(&buf, TEST_BUF_BYTES);
        const struct bt_json_patch_result result = patch_texts(&buf, text, patch, &options);
        assert_int_equal(result.code, which == 0 ? BT_JSON_PATCH_OK : BT_JSON_PATCH_TOO_LARGE);
        assert_int_equal(buf.len, which == 0 ? 32 : 0);
        assert_int_equal(result.operation, 2);
        bt_buf_free(&buf);
    }
}

/* `count` times the same operations. */
static struct bt_json_patch_result repeat(struct bt_buf *buf, bt_str text, const char *operations,
                                          size_t count)
{
    struct bt_buf patch;
    struct bt_json_patch_options options;
    bt_buf_init(&patch, TEST_BUF_BYTES);
    for (size_t i = 0; i < count; i++) {
        bt_buf_put_char(&patch, i ? ',' : '[');
        bt_buf_put_text(&patch, operations);
    }
    bt_buf_put_char(&patch, ']');
    assert_int_equal(patch.status, BT_OK);
    const struct bt_json_patch_result result =
        patch_texts(buf, text, bt_buf_str(&patch), plain_options(&options));
    bt_buf_free(&patch);
    return result;
}

static void put_numbers(struct bt_buf *text, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bt_buf_printf(text, "%c%zu", i ? ',' : '[', i);
    }
    bt_buf_put_char(text, ']');
}

/* Half a million items, a hundred thousand insertions before the first. */
static void insertions_into_large_arrays_are_cheap(void **state)
{
    (void)state;
    enum { ITEMS = 500000, TIMES = 100000 };
    struct bt_arena arena;
    struct bt_buf text;
    struct bt_buf buf;
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    bt_buf_init(&text, TEST_BUF_BYTES);
    bt_buf_init(&buf, TEST_BUF_BYTES);
    put_numbers(&text, ITEMS);
    struct bt_json_patch_result result =
        repeat(&buf, bt_buf_str(&text), "{\"op\":\"add\",\"path\":\"/0\",\"value\":-1}", TIMES);
    assert_int_equal(result.code, BT_JSON_PATCH_OK);
    const bt_json_value *items = bt_json_root(read_text(&arena, bt_buf_str(&buf)));
    assert_int_equal(bt_json_count(items), ITEMS + TIMES);
    for (size_t i = 0; i < ITEMS + TIMES; i++) {
        assert_int_equal(bt_json_items(items)[i].as.integer, i < TIMES ? -1 : (int64_t)(i - TIMES));
    }
    bt_buf_clear(&buf);
    result = repeat(&buf, bt_buf_str(&text),
                    "{\"op\":\"remove\",\"path\":\"/400000\"},{\"op\":\"add\",\"path\":\"/"
                    "300000\",\"value\":0}",
                    TIMES);
    assert_int_equal(result.code, BT_JSON_PATCH_OK);
    assert_int_equal(bt_json_count(bt_json_root(read_text(&arena, bt_buf_str(&buf)))), ITEMS);
    bt_buf_free(&buf);
    bt_buf_free(&text);
    bt_arena_free(&arena);
}

/* Members removed and set again and again, in an object large enough for a table. */
static void objects_take_many_changes(void **state)
{
    (void)state;
    struct bt_buf text;
    struct bt_buf buf;
    bt_buf_init(&text, TEST_BUF_BYTES);
    bt_buf_init(&buf, TEST_BUF_BYTES);
    for (size_t i = 0; i < 1000; i++) {
        bt_buf_printf(&text, "%c\"m%zu\":%zu", i ? ',' : '{', i, i);
    }
    bt_buf_put_char(&text, '}');
    const struct bt_json_patch_result result = repeat(
        &buf, bt_buf_str(&text),
        "{\"op\":\"remove\",\"path\":\"/m500\"},{\"op\":\"add\",\"path\":\"/m500\",\"value\":500},"
        "{\"op\":\"add\",\"path\":\"/new\",\"value\":0},{\"op\":\"move\",\"from\":\"/"
        "new\",\"path\":\"/m0\"}",
        20000);
    assert_int_equal(result.code, BT_JSON_PATCH_OK);
    assert_true(bt_str_starts_with(bt_buf_str(&buf), BT_STR("{\"m0\":0,\"m1\":1,")));
    assert_true(bt_str_ends_with(bt_buf_str(&buf), BT_STR("\"m999\":999,\"m500\":500}")));
    assert_int_equal(buf.len, text.len);
    bt_buf_free(&buf);
    bt_buf_free(&text);
}

/* Documents that double, and copies that are made only to be changed. */
static void growth_without_end_is_cut_short(void **state)
{
    (void)state;
    static const struct {
        const char *text; /* NULL: an array of 300,000 numbers in "big" */
        const char *operations;
        size_t times;
    } rows[] = {
        {"{\"a\":1}", "{\"op\":\"copy\",\"from\":\"\",\"path\":\"/a\"}", 1500},
        {"[1]", "{\"op\":\"copy\",\"from\":\"\",\"path\":\"/-\"}", 100000},
        {"[1]", "{\"op\":\"copy\",\"from\":\"\",\"path\":\"/0\"}", 30},
        {"[[1]]",
         "{\"op\":\"copy\",\"from\":\"/0\",\"path\":\"/0/-\"},{\"op\":\"add\",\"path\":\"/0/"
         "0\",\"value\":0}",
         20000},
        {NULL,
         "{\"op\":\"copy\",\"from\":\"/big\",\"path\":\"/c\"},{\"op\":\"add\",\"path\":\"/c/"
         "0\",\"value\":0}",
         10000},
        {NULL,
         "{\"op\":\"copy\",\"from\":\"/big\",\"path\":\"/c\"},{\"op\":\"move\",\"from\":\"/"
         "c\",\"path\":\"/big/0\"}",
         10000},
    };
    struct bt_buf big;
    bt_buf_init(&big, TEST_BUF_BYTES);
    bt_buf_put_text(&big, "{\"big\":");
    put_numbers(&big, 300000);
    bt_buf_put_char(&big, '}');
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_buf buf;
        bt_buf_init(&buf, TEST_BUF_BYTES);
        const bt_str text = rows[i].text ? bt_str_of(rows[i].text) : bt_buf_str(&big);
        const struct bt_json_patch_result result =
            repeat(&buf, text, rows[i].operations, rows[i].times);
        if (result.code != BT_JSON_PATCH_TOO_LARGE) {
            fail_msg("%s: code %d at %zu", rows[i].operations, (int)result.code, result.operation);
        }
        assert_int_equal(buf.len, 0);
        bt_buf_free(&buf);
    }
    bt_buf_free(&big);
}

static const char small_text[] = "{\"a\":[1,{\"b\":2}],\"c\":{\"d\":[]}}";
static const char small_patch[] =
    "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/c/d/0\"},{\"op\":\"add\",\"path\":\"/a/1/"
    "e~1\",\"value\":[3]},"
    "{\"op\":\"test\",\"path\":\"/c\",\"value\":{\"d\":[[1,{\"b\":2}]]}},"
    "{\"op\":\"move\",\"from\":\"/a/0\",\"path\":\"/f\"},{\"op\":\"remove\",\"path\":\"/c/d/0/"
    "0\"}]";

static void running_out_is_reported_and_leaves_nothing(void **state)
{
    (void)state;
    struct bt_arena documents;
    struct bt_json_patch_options options;
    bt_arena_init(&documents, TEST_ARENA_BYTES);
    const struct bt_json_doc *document = read_literal(&documents, small_text);
    const struct bt_json_doc *patch = read_literal(&documents, small_patch);
    enum bt_status status = BT_ENOMEM;
    for (size_t limit = 0; status != BT_OK; limit += 16) {
        assert_true(limit < 100000);
        struct bt_arena arena;
        struct bt_buf buf;
        bt_arena_init(&arena, limit);
        bt_buf_init(&buf, limit / 16);
        struct bt_json_patch_result result = {.code = BT_JSON_PATCH_TEST_FAILED};
        status = bt_json_patch(&buf, document, patch, plain_options(&options), &arena, &result);
        assert_true(status == BT_OK || status == BT_ENOMEM || status == BT_ELIMIT);
        assert_int_equal(result.code,
                         status == BT_OK ? BT_JSON_PATCH_OK : BT_JSON_PATCH_TEST_FAILED);
        assert_int_equal(buf.len > 0, status == BT_OK);
        if (status == BT_OK) {
            assert_str(bt_buf_str(&buf),
                       "{\"a\":[{\"b\":2,\"e/\":[3]}],\"c\":{\"d\":[[{\"b\":2}]]},\"f\":1}");
        }
        bt_buf_free(&buf);
        bt_arena_free(&arena);
    }
    bt_arena_free(&documents);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_examples_of_rfc_6902_hold),
        cmocka_unit_test(edges_are_as_the_rfcs_say),
        cmocka_unit_test(what_cannot_be_done_is_refused),
        cmocka_unit_test(copies_are_independent),
        cmocka_unit_test(the_result_may_be_pretty),
        cmocka_unit_test(the_result_keeps_its_bounds),
        cmocka_unit_test(insertions_into_large_arrays_are_cheap),
        cmocka_unit_test(objects_take_many_changes),
        cmocka_unit_test(growth_without_end_is_cut_short),
        cmocka_unit_test(running_out_is_reported_and_leaves_nothing),
    };
    return RUN_TESTS(tests);
}
