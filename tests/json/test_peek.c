/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_peek.c - a first look finds the members of the root, wherever they stand.
 */
#include "json/peek.h"

#include "base/buf.h"
#include "test.h"

enum { PADS = 200, TEXT_BYTES = 512 };

/* Look for the member with more and more letters between the two parts of the text. */
static void looks(const char *before, const char *after, char expected)
{
    for (size_t count = 0; count < PADS; count++) {
        struct bt_buf text;
        bt_buf_init(&text, TEXT_BYTES);
        bt_buf_put_text(&text, before);
        bt_buf_put_repeat(&text, 'x', count);
        bt_buf_put_text(&text, after);
        assert_int_equal(text.status, BT_OK);
        assert_int_equal(bt_json_peek(bt_buf_str(&text), BT_STR("source_agent")), expected);
        bt_buf_free(&text);
    }
}

static void a_member_of_the_root_is_found_at_any_offset(void **state)
{
    (void)state;
    looks("{\"", "\":1,\"source_agent\":{}}", '{');
    looks("{\"a\":\"", "\",\"source_agent\" : \"b\"}", '"');
    looks("{\"a\":[\"", "\"],\"source_agent\":[", '[');
    looks("{\"source_agent\":7,\"a\":\"", "\"}", '7');
}

static void what_only_looks_like_it_is_not_found(void **state)
{
    (void)state;
    looks("{\"a\":{\"", "\":1,\"source_agent\":2}}", '\0');
    looks("{\"", "\":\"source_agent\"}", '\0');
    looks("{\"", "\":1,\"source_agenT\":2}", '\0');
    looks("{\"", "\":1,\"source_agent", '\0');
    looks("{\"", "\":1,\"source_agent\"", '\0');
    looks("{\"", "\":1,source_agent\":2}", '\0');
    looks("[\"", "\",\"source_agent\"]", '\0');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_member_of_the_root_is_found_at_any_offset),
        cmocka_unit_test(what_only_looks_like_it_is_not_found),
    };
    return RUN_TESTS(tests);
}
