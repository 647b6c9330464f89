/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "report/table.h"

static const char *const names[] = {"#SEQ", "NAME", "IS_OK", "TEXT", NULL};

/* The table of two rows at a width; 0: not a terminal. */
static void put_sample(struct bt_arena *arena, size_t columns, struct bt_buf *buf)
{
    struct bt_table table;
    bt_table_init(&table, arena, names);
    bt_table_add_u64(&table, 7);
    bt_table_add(&table, BT_STR("a\x1b[31m"));
    bt_table_add_bool(&table, true);
    bt_table_add(&table, BT_STR("a long text that does not fit everywhere"));
    bt_table_add_u64(&table, 1234);
    bt_table_add(&table, BT_STR(""));
    bt_table_add_bool(&table, false);
    bt_table_add(&table, BT_STR("x"));
    assert_int_equal(bt_table_put(&table, columns, buf), BT_OK);
}

static void a_table_has_a_header_and_aligned_columns(void **state)
{
    (void)state;
    struct bt_arena arena;
    struct bt_buf buf;
    bt_arena_init(&arena, 1 << 20);
    bt_buf_init(&buf, 1 << 16);
    put_sample(&arena, 0, &buf);
    assert_str(bt_buf_str(&buf),
               " SEQ  NAME       IS_OK  TEXT\n"
               "   7  a\\x1b[31m  yes    a long text that does not fit everywhere\n"
               "1234  -          no     x\n");
    bt_buf_free(&buf);
    bt_arena_free(&arena);
}

static void cells_are_cut_only_at_the_width_of_a_terminal(void **state)
{
    (void)state;
    struct bt_arena arena;
    struct bt_buf buf;
    bt_arena_init(&arena, 1 << 20);
    bt_buf_init(&buf, 1 << 16);
    put_sample(&arena, 40, &buf);
    const bt_str shown = bt_buf_str(&buf);
    assert_true(bt_str_find(shown, BT_STR("\xe2\x80\xa6\n")) < shown.len);
    bt_buf_clear(&buf);
    put_sample(&arena, 200, &buf);
    assert_true(bt_str_find(bt_buf_str(&buf), BT_STR("\xe2\x80\xa6")) == bt_buf_str(&buf).len);
    bt_buf_free(&buf);
    bt_arena_free(&arena);
}

static void running_out_of_memory_is_reported(void **state)
{
    (void)state;
    struct bt_arena arena;
    struct bt_table table;
    struct bt_buf buf;
    bt_arena_init(&arena, 64);
    bt_buf_init(&buf, 1 << 16);
    bt_table_init(&table, &arena, names);
    for (size_t i = 0; i < 400; i++) {
        bt_table_add(&table, BT_STR("a cell with a text"));
    }
    assert_int_equal(bt_table_put(&table, 0, &buf), BT_ENOMEM);
    assert_int_equal(bt_buf_str(&buf).len, 0);
    bt_buf_free(&buf);
    bt_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_has_a_header_and_aligned_columns),
        cmocka_unit_test(cells_are_cut_only_at_the_width_of_a_terminal),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
