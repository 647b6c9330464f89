/* SPDX-License-Identifier: Apache-2.0 */
/* test_patch_edits.c - a patch changes only the bytes that it concerns. */
#include "test.h"

#include "base/arena.h"
#include "edit/edit.h"

enum { ARENA_BYTES = 1 << 20 };

static const struct bt_json_doc *read_text(struct bt_arena *arena, const char *text)
{
    struct bt_json_read_result read = {0};
    assert_int_equal(bt_json_read(arena, bt_str_of(text), NULL, &read), BT_OK);
    assert_non_null(read.document);
    return read.document;
}

static void check_rows(const char *const (*rows)[3], size_t count)
{
    struct bt_arena arena;
    bt_arena_init(&arena, ARENA_BYTES);
    for (size_t i = 0; i < count; i++) {
        const struct bt_json_doc *document = read_text(&arena, rows[i][0]);
        const struct bt_json_doc *patch = read_text(&arena, rows[i][1]);
        struct bt_edit_list edits;
        bt_str text = BT_STR("");
        assert_int_equal(bt_edit_list_from_patch(document, patch, &arena, &edits), BT_OK);
        assert_int_equal(bt_edit_list_apply(&edits, bt_json_source(document), &arena, &text),
                         BT_OK);
        if (!bt_str_eq(text, bt_str_of(rows[i][2]))) {
            fail_msg("%s: got '%.*s', expected '%s'", rows[i][1], BT_STR_ARG(text), rows[i][2]);
        }
        bt_arena_reset(&arena);
    }
    bt_arena_free(&arena);
}

static void value_is_replaced_by_its_minified_form(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        {"{ \"a\" : 1 , \"b\":2}",
         "[{\"op\":\"replace\",\"path\":\"/a\",\"value\": [1, {\"c\" : 2}]}]",
         "{ \"a\" : [1,{\"c\":2}] , \"b\":2}"},
        {" [1, 2]\r\n", "[{\"op\":\"replace\",\"path\":\"/1\",\"value\":\"x\"}]",
         " [1, \"x\"]\r\n"},
        {" 1 ", "[{\"op\":\"replace\",\"path\":\"\",\"value\":2}]", " 2 "},
        {"{\"a\":{\"b\":1},\"c\":2}",
         "[{\"op\":\"replace\",\"path\":\"/c\",\"value\":3},{\"op\":\"replace\",\"path\":\"/a/"
         "b\",\"value\":4}]",
         "{\"a\":{\"b\":4},\"c\":3}"},
    };
    check_rows(rows, COUNT_OF(rows));
}

static void renamed_member_keeps_its_place(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        {"{\"a\" : 1,\t\"b\":2}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/x\"}]",
         "{\"x\" : 1,\t\"b\":2}"},
        {"{\"a~/\\u0062\":1}", "[{\"op\":\"move\",\"from\":\"/a~0~1b\",\"path\":\"/\\\"~1\"}]",
         "{\"\\\"/\":1}"},
    };
    check_rows(rows, COUNT_OF(rows));
}

#define REMOVE(name) "{\"op\":\"remove\",\"path\":\"/" name "\"}"

static void removed_member_takes_the_comma_before_it(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        {"{\"a\":1 ,\n \"b\":2 , \"c\":3 }", "[" REMOVE("b") "]", "{\"a\":1 , \"c\":3 }"},
        {"{\"a\":1 ,\n \"b\":2 , \"c\":3 }", "[" REMOVE("c") "]", "{\"a\":1 ,\n \"b\":2 }"},
        {"{ \"a\":1 ,\n \"b\":2 }", "[" REMOVE("a") "]", "{ \"b\":2 }"},
        {"{ \"a\": 1 }", "[" REMOVE("a") "]", "{}"},
        {"{ \"a\":1, \"b\":2, \"c\":3 }", "[" REMOVE("a") "," REMOVE("b") "]", "{ \"c\":3 }"},
        {"{ \"a\":1, \"b\":2, \"c\":3 }", "[" REMOVE("c") "," REMOVE("b") "]", "{ \"a\":1 }"},
        {"{ \"a\":1, \"b\":2, \"c\":3 }", "[" REMOVE("a") "," REMOVE("c") "]", "{ \"b\":2 }"},
        {"{ \"a\":1, \"b\":2, \"c\":3 }", "[" REMOVE("a") "," REMOVE("b") "," REMOVE("c") "]",
         "{}"},
        {"{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5}", "[" REMOVE("b") "," REMOVE("d") "]",
         "{\"a\":1,\"c\":3,\"e\":5}"},
    };
    check_rows(rows, COUNT_OF(rows));
}

#define ADD(path) "{\"op\":\"add\",\"path\":\"/" path "\",\"value\":[0, 1]}"

static void added_member_looks_like_the_one_before_it(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        {"{}", "[" ADD("n") "]", "{\"n\":[0,1]}"},
        {"{ \n }", "[" ADD("n") "," ADD("m") "]", "{\"n\":[0,1],\"m\":[0,1]}"},
        {"{\"a\":1}", "[" ADD("n") "]", "{\"a\":1,\"n\":[0,1]}"},
        {"{\"a\": 1}", "[" ADD("n") "]", "{\"a\": 1, \"n\": [0,1]}"},
        {"{ \"a\":1 }", "[" ADD("n") "]", "{ \"a\":1,\"n\":[0,1] }"},
        {"{\n\t\"a\" : 1\n}", "[" ADD("n") "," ADD("m") "]",
         "{\n\t\"a\" : 1,\n\t\"n\" : [0,1],\n\t\"m\" : [0,1]\n}"},
        {"{\r\n  \"a\": 1\r\n}", "[" ADD("n") "]", "{\r\n  \"a\": 1,\r\n  \"n\": [0,1]\r\n}"},
        {"{\"a\":1,  \"b\" :2 }", "[" ADD("n") "]", "{\"a\":1,  \"b\" :2,  \"n\" :[0,1] }"},
        {"{\"a\":{\"b\":{}}}", "[" ADD("a/b/c") "," ADD("a/d") "]",
         "{\"a\":{\"b\":{\"c\":[0,1]},\"d\":[0,1]}}"},
        {"{\"a\":1}", "[" ADD("~0~1\\\"") "]", "{\"a\":1,\"~/\\\"\":[0,1]}"},
    };
    check_rows(rows, COUNT_OF(rows));
}

static void members_can_be_added_and_removed_at_once(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        {"{ \"a\":1 }", "[" REMOVE("a") "," ADD("n") "]", "{\"n\":[0,1]}"},
        {"{\"a\": 1, \"b\": 2}", "[" ADD("n") "," REMOVE("b") "]", "{\"a\": 1, \"n\": [0,1]}"},
        {"{\n \"x\":0, \"a\": 1}", "[" REMOVE("x") "," ADD("n") "]",
         "{\n \"a\": 1,\n \"n\": [0,1]}"},
        {"{\"x\":0,\n \"a\": 1,\n \"b\": 2}", "[" REMOVE("a") "," ADD("n") "]",
         "{\"x\":0,\n \"b\": 2,\n \"n\": [0,1]}"},
        {"{\"a\":1}", "[{\"op\":\"replace\",\"path\":\"/a\",\"value\":2}," ADD("n") "]",
         "{\"a\":2,\"n\":[0,1]}"},
        {"{\"a\":1,\"b\":2}", "[{\"op\":\"move\",\"from\":\"/b\",\"path\":\"/c\"}," REMOVE("a") "]",
         "{\"c\":2}"},
    };
    check_rows(rows, COUNT_OF(rows));
}

static void other_operations_are_refused(void **state)
{
    (void)state;
    static const char *const patches[] = {
        "{}",
        "[1]",
        "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/b\"}]",
        "[{\"op\":\"replace\",\"path\":\"/x\",\"value\":1}]",
        "[{\"op\":\"replace\",\"path\":\"x\",\"value\":1}]",
        "[{\"op\":\"replace\",\"path\":\"/a\"}]",
        "[{\"op\":\"add\",\"path\":\"/a\",\"value\":1}]",
        "[{\"op\":\"add\",\"path\":\"/l/-\",\"value\":1}]",
        "[{\"op\":\"remove\",\"path\":\"/l/0\"}]",
        "[{\"op\":\"remove\",\"path\":\"\"}]",
        "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/o/a\"}]",
        "[{\"op\":\"move\",\"from\":\"/l/0\",\"path\":\"/l/1\"}]",
        "[" REMOVE("a") "," REMOVE("a") "]",
        "[" REMOVE("o") "," REMOVE("o/b") "]",
        "[{\"op\":\"replace\",\"path\":\"/o\",\"value\":1}," REMOVE("o/b") "]",
    };
    struct bt_arena arena;
    bt_arena_init(&arena, ARENA_BYTES);
    const struct bt_json_doc *document = read_text(&arena, "{\"a\":1,\"l\":[1,2],\"o\":{\"b\":1}}");
    for (size_t i = 0; i < COUNT_OF(patches); i++) {
        struct bt_edit_list edits = {.count = 77};
        const struct bt_json_doc *patch = read_text(&arena, patches[i]);
        if (bt_edit_list_from_patch(document, patch, &arena, &edits) != BT_EINVAL) {
            fail_msg("%s was taken", patches[i]);
        }
        assert_int_equal(edits.count, 77);
    }
    bt_arena_free(&arena);
}

static void every_lack_of_memory_is_reported(void **state)
{
    (void)state;
    struct bt_arena documents;
    bt_arena_init(&documents, ARENA_BYTES);
    const struct bt_json_doc *document = read_text(&documents, "{\"a\":1,\"b\":2,\"o\":{}}");
    const struct bt_json_doc *patch =
        read_text(&documents, "[" REMOVE("a") "," ADD("n") "," ADD(
                                  "o/p") ",{\"op\":\"move\",\"from\":\"/b\",\"path\":\"/c\"}]");
    enum bt_status status = BT_ENOMEM;
    size_t failures = 0;
    for (size_t limit = 16; status != BT_OK && limit < ARENA_BYTES; limit += 16) {
        struct bt_arena arena;
        struct bt_edit_list edits = {0};
        bt_arena_init(&arena, limit);
        status = bt_edit_list_from_patch(document, patch, &arena, &edits);
        assert_true(status == BT_OK || (status == BT_ENOMEM && edits.count == 0));
        failures += status != BT_OK;
        bt_arena_free(&arena);
    }
    assert_int_equal(status, BT_OK);
    assert_true(failures > 3);
    bt_arena_free(&documents);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(value_is_replaced_by_its_minified_form),
        cmocka_unit_test(renamed_member_keeps_its_place),
        cmocka_unit_test(removed_member_takes_the_comma_before_it),
        cmocka_unit_test(added_member_looks_like_the_one_before_it),
        cmocka_unit_test(members_can_be_added_and_removed_at_once),
        cmocka_unit_test(other_operations_are_refused),
        cmocka_unit_test(every_lack_of_memory_is_reported),
    };
    return RUN_TESTS(tests);
}
