/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_pointer.c - JSON Pointers name what RFC 6901 says they name.
 */
#include "json_test.h"

#include "base/buf.h"

/* The document of RFC 6901 section 5. */
static const char sample[] = "{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,\"e^f\":3,"
                             "\"g|h\":4,\"i\\\\j\":5,\"k\\\"l\":6,\" \":7,\"m~n\":8,"
                             "\"deep\":{\"~1\":[[],{\"\":{\"/\":9}}],\"0\":10,\"-\":11}}";

static void pointers_name_values(void **state)
{
    (void)state;
    static const struct {
        const char *pointer;
        const char *json; /* NULL: nothing */
    } rows[] = {
        {"", sample},
        {"/foo", "[\"bar\",\"baz\"]"},
        {"/foo/0", "\"bar\""},
        {"/foo/1", "\"baz\""},
        {"/", "0"},
        {"/a~1b", "1"},
        {"/c%d", "2"},
        {"/e^f", "3"},
        {"/g|h", "4"},
        {"/i\\j", "5"},
        {"/k\"l", "6"},
        {"/ ", "7"},
        {"/m~0n", "8"},
        {"/deep/~01/1//~1", "9"},
        {"/deep/~01/0", "[]"},
        {"/deep/0", "10"},
        {"/deep/-", "11"},
        {"foo", NULL},
        {"/nothing", NULL},
        {"/foo/2", NULL},
        {"/foo/-", NULL},
        {"/foo/00", NULL},
        {"/foo/01", NULL},
        {"/foo/+0", NULL},
        {"/foo/-0", NULL},
        {"/foo/0x0", NULL},
        {"/foo/ 0", NULL},
        {"/foo/", NULL},
        {"/foo/18446744073709551616", NULL},
        {"/foo/4294967296", NULL},
        {"/foo/0/0", NULL},
        {"//", NULL},
        {"/a/b", NULL},
        {"/m~n", NULL},
        {"/m~", NULL},
        {"/m~2n", NULL},
        {"/foo/0~", NULL},
    };
    struct bt_arena arena;
    bt_arena_init(&arena, TEST_ARENA_BYTES);
    const struct bt_json_doc *document = read_literal(&arena, sample);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const bt_json_value *found =
            bt_json_resolve(document, bt_json_root(document), bt_str_of(rows[i].pointer));
        if (!found != !rows[i].json) {
            fail_msg("'%s' names %s", rows[i].pointer, found ? "something" : "nothing");
        }
        if (found) {
            const struct bt_json_span span = bt_json_span(document, found);
            const bt_str text = bt_str_slice(bt_json_source(document), span.begin, span.end);
            assert_true(bt_str_eq(text, bt_str_of(rows[i].json)));
        }
    }
    bt_arena_free(&arena);
}

static void well_formed_pointers_are_known(void **state)
{
    (void)state;
    static const char *const good[] = {"",    "/",    "//",        "/a",  "/~0",
                                       "/~1", "/~01", "/a/~1~0/-", "/a b"};
    static const char *const bad[] = {"a", " ", "~0", "/~", "/~2", "/a~", "/a/~/b", "/~~0", "#/a"};
    for (size_t i = 0; i < COUNT_OF(good); i++) {
        assert_true(bt_json_pointer_is_valid(bt_str_of(good[i])));
    }
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_false(bt_json_pointer_is_valid(bt_str_of(bad[i])));
    }
}

static void tokens_are_escaped_when_put(void **state)
{
    (void)state;
    struct bt_buf buf;
    bt_buf_init(&buf, 1000);
    bt_json_pointer_put(&buf, BT_STR(""));
    bt_json_pointer_put(&buf, BT_STR("plain"));
    bt_json_pointer_put(&buf, BT_STR("~/~1"));
    bt_json_pointer_put_index(&buf, 0);
    bt_json_pointer_put_index(&buf, 1234567890);
    assert_str(bt_buf_str(&buf), "//plain/~0~1~01/0/1234567890");
    assert_true(bt_json_pointer_is_valid(bt_buf_str(&buf)));
    bt_buf_free(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pointers_name_values),
        cmocka_unit_test(well_formed_pointers_are_known),
        cmocka_unit_test(tokens_are_escaped_when_put),
    };
    return RUN_TESTS(tests);
}
