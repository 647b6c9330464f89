/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_memory.c - whatever memory there is, a log is read and shown as a whole or not at all.
 */
#include "log.h"

static const char text[] = LINE(AT("00:00"), "phase_started", "\\u0061",
                                ",\"phase\":\"p\"") "junk\n" LINE(AT("00:01"), "coffee", "b", "")
    LINE(AT("00:02"), "transmitted", "\\u0061", ",\"details\":{\"target\":\"\\u0062\"}")
        LINE(AT("00:03"), "received", "b", "") LINE(AT("00:04"), "error", "\\ud800", "");

/* Read, group and render with an arena of this size. */
static enum bt_status go(struct bt_env *env, size_t limit, struct bt_buf *out)
{
    struct bt_arena arena;
    bt_arena_init(&arena, limit);
    struct bt_trace_set *traces = bt_trace_set_new(env, &arena);
    enum bt_status status = traces ? BT_OK : BT_ENOMEM;
    if (status == BT_OK) {
        status = bt_trace_set_read(traces, BT_STR("log"), bt_str_of(text));
    }
    if (status == BT_OK) {
        status = bt_trace_set_group(traces, BT_STR(""));
    }
    for (int form = 0; status == BT_OK && form < BT_TRACE_FORMAT__MAX; form++) {
        const struct bt_trace_render_options options = {.view = BT_TRACE_VIEW_CHAIN,
                                                        .form = (enum bt_trace_format)form};
        status = bt_trace_set_render(traces, &options, out);
    }
    bt_arena_free(&arena);
    return status;
}

static void running_out_of_memory_is_reported_never_passed(void **state)
{
    (void)state;
    struct bt_env env;
    struct bt_buf expected;
    assert_int_equal(bt_env_init(&env), BT_OK);
    bt_buf_init(&expected, SIZE_MAX);
    assert_int_equal(go(&env, SIZE_MAX, &expected), BT_OK);
    size_t refused = 0;
    enum bt_status status = BT_ENOMEM;
    for (size_t limit = 16; status != BT_OK; limit += 64) {
        struct bt_buf buf;
        bt_buf_init(&buf, SIZE_MAX);
        status = go(&env, limit, &buf);
        assert_true(status == BT_OK || status == BT_ENOMEM);
        refused += status == BT_ENOMEM;
        if (status == BT_OK) {
            assert_true(bt_str_eq(bt_buf_str(&buf), bt_buf_str(&expected)));
        }
        bt_buf_free(&buf);
    }
    assert_true(refused > 10);
    bt_buf_free(&expected);
}

static void a_view_that_does_not_fit_its_buffer_is_no_view(void **state)
{
    (void)state;
    struct bt_env env;
    struct bt_buf expected;
    assert_int_equal(bt_env_init(&env), BT_OK);
    bt_buf_init(&expected, SIZE_MAX);
    assert_int_equal(go(&env, SIZE_MAX, &expected), BT_OK);
    for (size_t max = 0; max < expected.len; max += 31) {
        struct bt_buf buf;
        bt_buf_init(&buf, max);
        assert_int_equal(go(&env, SIZE_MAX, &buf), BT_ELIMIT);
        bt_buf_free(&buf);
    }
    bt_buf_free(&expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(running_out_of_memory_is_reported_never_passed),
        cmocka_unit_test(a_view_that_does_not_fit_its_buffer_is_no_view),
    };
    return RUN_TESTS(tests);
}
