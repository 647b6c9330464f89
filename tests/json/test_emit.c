/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_emit.c - JSON made from scratch has its commas and its indentation in the right places.
 */
#include "json_test.h"

#include "json/emit.h"

static void emit_sample(struct bt_emit *emit)
{
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "name", BT_STR("a \"b\""));
    bt_emit_member_u64(emit, "most", UINT64_MAX);
    bt_emit_name(emit, "list");
    bt_emit_begin_array(emit);
    bt_emit_i64(emit, INT64_MIN);
    bt_emit_i64(emit, 7);
    bt_emit_bool(emit, true);
    bt_emit_bool(emit, false);
    bt_emit_null(emit);
    bt_emit_begin_array(emit);
    bt_emit_end(emit);
    bt_emit_begin_object(emit);
    bt_emit_end(emit);
    bt_emit_raw(emit, BT_STR("{\"x\":1}"));
    bt_emit_end(emit);
    bt_emit_name_str(emit, BT_STR("o\n"));
    bt_emit_begin_object(emit);
    bt_emit_name(emit, "in");
    bt_emit_u64(emit, 0);
    bt_emit_end(emit);
    bt_emit_end(emit);
}

static void separators_stand_where_they_should(void **state)
{
    (void)state;
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, 1000);
    bt_emit_init(&emit, &buf, false);
    emit_sample(&emit);
    assert_str(bt_buf_str(&buf), "{\"name\":\"a \\\"b\\\"\",\"most\":18446744073709551615,"
                                 "\"list\":[-9223372036854775808,7,true,false,null,[],{},"
                                 "{\"x\":1}],\"o\\n\":{\"in\":0}}");
    bt_buf_clear(&buf);
    bt_emit_init(&emit, &buf, true);
    emit_sample(&emit);
    assert_str(bt_buf_str(&buf), "{\n"
                                 "  \"name\": \"a \\\"b\\\"\",\n"
                                 "  \"most\": 18446744073709551615,\n"
                                 "  \"list\": [\n"
                                 "    -9223372036854775808,\n"
                                 "    7,\n"
                                 "    true,\n"
                                 "    false,\n"
                                 "    null,\n"
                                 "    [],\n"
                                 "    {},\n"
                                 "    {\"x\":1}\n"
                                 "  ],\n"
                                 "  \"o\\n\": {\n"
                                 "    \"in\": 0\n"
                                 "  }\n"
                                 "}");
    bt_buf_free(&buf);
}

static void a_value_may_stand_alone(void **state)
{
    (void)state;
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, 1000);
    bt_emit_init(&emit, &buf, true);
    bt_emit_string(&emit, BT_STR("x"));
    assert_str(bt_buf_str(&buf), "\"x\"");
    bt_buf_free(&buf);
}

/* Every shape of nesting down to the deepest level, objects and arrays by turns. */
static void levels_do_not_disturb_each_other(void **state)
{
    (void)state;
    for (uint32_t pattern = 0; pattern < 64; pattern++) {
        struct bt_arena arena;
        struct bt_buf buf;
        struct bt_emit emit;
        bt_arena_init(&arena, TEST_ARENA_BYTES);
        bt_buf_init(&buf, TEST_BUF_BYTES);
        bt_emit_init(&emit, &buf, pattern % 2 == 0);
        for (uint32_t level = 0; level < BT_EMIT_DEPTH_MAX; level++) {
            const bool object = (pattern >> level % 6 & 1) != 0;
            if (object) {
                bt_emit_begin_object(&emit);
                bt_emit_member_u64(&emit, "before", level);
                bt_emit_name(&emit, "x");
            } else {
                bt_emit_begin_array(&emit);
                bt_emit_u64(&emit, level);
            }
        }
        bt_emit_null(&emit);
        for (uint32_t level = BT_EMIT_DEPTH_MAX; level-- > 0;) {
            const bool object = (pattern >> level % 6 & 1) != 0;
            if (object) {
                bt_emit_member_u64(&emit, "after", level);
            } else {
                bt_emit_u64(&emit, level);
            }
            bt_emit_end(&emit);
        }
        assert_int_equal(emit.depth, 0);
        const struct bt_json_doc *document = read_text(&arena, bt_buf_str(&buf));
        assert_int_equal(bt_json_node_count(document), 3 * BT_EMIT_DEPTH_MAX);
        bt_buf_free(&buf);
        bt_arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(separators_stand_where_they_should),
        cmocka_unit_test(a_value_may_stand_alone),
        cmocka_unit_test(levels_do_not_disturb_each_other),
    };
    return RUN_TESTS(tests);
}
