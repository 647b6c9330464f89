/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_queue_sizes.c - the counters of queues: what a list of sizes costs in long queues, stores
 * without counters, and counters that are wrong. test_queue.c compares them with a model.
 */
#include "test.h"

#include "base/str.h"
#include "fresh.h"
#include "store/queue.h"
#include "store/sqlite.h"
#include "store/store_internal.h"

enum { TARGETS = 3, SHORT_QUEUE = 100, LONG_QUEUE = 20000 };

static void put_waiting(struct fresh *fresh, size_t from, size_t end)
{
    static const char *const targets[TARGETS] = {"alice", "bob", "carol"};
    assert_int_equal(bt_store_begin(fresh->store, &fresh->error), BT_OK);
    for (size_t i = from; i < end; i++) {
        char name[24];
        (void)snprintf(name, sizeof(name), "h%04zu", i);
        const struct bt_queue_item item = {.queue = BT_STR("inbox"),
                                           .message = bt_str_of(name),
                                           .target = bt_str_of(targets[i % TARGETS]),
                                           .seq = i,
                                           .updated_seq = i};
        assert_int_equal(bt_queue_put(fresh->store, &item, &fresh->error), BT_OK);
    }
    assert_int_equal(bt_store_commit(fresh->store, &fresh->error), BT_OK);
}

/* How many steps SQLite's machine has taken for a statement since this was asked last. */
static uint64_t count_steps(const struct fresh *fresh, enum bt_statement statement)
{
    const struct bt_sqlite *sqlite = fresh->store->connection;
    sqlite3_stmt *made = sqlite->statements[statement];
    return made ? (uint64_t)sqlite3_stmt_status(made, SQLITE_STMTSTATUS_VM_STEP, 1) : 0;
}

static bool count_size(void *context, const struct bt_queue_size *size)
{
    (void)size;
    ++*(size_t *)context;
    return true;
}

/* The steps of a list of sizes and of the count for watchers. */
static uint64_t count_size_steps(struct fresh *fresh)
{
    static const enum bt_statement statements[] = {BT_SQL_QUEUE_SIZES, BT_SQL_QUEUE_SIZES_READ,
                                                   BT_SQL_WAITING};
    struct bt_store_queue_counts counts;
    size_t receivers = 0;
    uint64_t steps = 0;
    assert_int_equal(
        bt_queue_each_size(fresh->store, 1, 100, count_size, &receivers, &fresh->error), BT_OK);
    assert_int_equal(receivers, TARGETS);
    assert_int_equal(bt_store_count_queue(fresh->store, 1, &counts, &fresh->error), BT_OK);
    for (size_t i = 0; i < COUNT_OF(statements); i++) {
        steps += count_steps(fresh, statements[i]);
    }
    return steps;
}

/* The steps in a short queue and in a long one. False on PostgreSQL. */
static bool compare_size_steps(bool has_counts, uint64_t out[2])
{
    struct fresh fresh;
    fresh_open(&fresh);
    if (bt_store_is_remote(fresh.store)) {
        fresh_close(&fresh);
        return false;
    }
    for (size_t i = 0; i < 2; i++) {
        put_waiting(&fresh, i == 0 ? 0 : SHORT_QUEUE, i == 0 ? SHORT_QUEUE : LONG_QUEUE);
        if (!has_counts) {
            const struct bt_sqlite *sqlite = fresh.store->connection;
            assert_int_equal(bt_sqlite_exec(sqlite->db,
                                            "DELETE FROM ledger_count WHERE space = 'queue/'",
                                            &fresh.error),
                             BT_OK);
        }
        out[i] = count_size_steps(&fresh);
    }
    fresh_close(&fresh);
    return true;
}

static void a_list_of_sizes_costs_the_same_however_many_items_wait(void **state)
{
    (void)state;
    uint64_t steps[2];
    if (compare_size_steps(true, steps)) {
        assert_true(steps[0] > 0);
        assert_true(10 * steps[1] <= 11 * steps[0]);
    }
}

static void without_counters_a_list_of_sizes_costs_more_with_each_item(void **state)
{
    (void)state;
    uint64_t steps[2];
    if (compare_size_steps(false, steps)) {
        assert_true(steps[1] > 20 * steps[0]);
    }
}

static void a_store_without_counters_is_counted_by_its_next_decision(void **state)
{
    (void)state;
    static const bt_str all[2] = {BT_STR_INIT("queue/"), BT_STR_INIT("queue0")};
    struct fresh fresh;
    bool has = true;
    bool agree = false;
    fresh_open(&fresh);
    put_waiting(&fresh, 0, 10);
    assert_int_equal(bt_store_begin(fresh.store, &fresh.error), BT_OK);
    assert_int_equal(bt_store_count_delete(fresh.store, all, &fresh.error), BT_OK);
    assert_int_equal(bt_store_commit(fresh.store, &fresh.error), BT_OK);
    struct bt_store *other = fresh_other(&fresh); /* it has not seen the counters */
    assert_int_equal(bt_queue_has_counts(other, &has, &fresh.error), BT_OK);
    assert_false(has);
    bt_store_close(fresh.store);
    fresh.store = other;
    put_waiting(&fresh, 10, 12);
    assert_int_equal(bt_queue_has_counts(fresh.store, &has, &fresh.error), BT_OK);
    assert_int_equal(bt_queue_counts_agree(fresh.store, &agree, &fresh.error), BT_OK);
    assert_true(has);
    assert_true(agree);
    fresh_close(&fresh);
}

static void a_counter_that_differs_from_the_items_is_noticed(void **state)
{
    (void)state;
    static const bt_str key[2] = {BT_STR_INIT("queue/inbox/open"), BT_STR_INIT("bob")};
    struct fresh fresh;
    bool agree = true;
    fresh_open(&fresh);
    put_waiting(&fresh, 0, 10);
    assert_int_equal(bt_store_begin(fresh.store, &fresh.error), BT_OK);
    assert_int_equal(bt_store_count_add(fresh.store, key, 1, 0, &fresh.error), BT_OK);
    assert_int_equal(bt_store_commit(fresh.store, &fresh.error), BT_OK);
    assert_int_equal(bt_queue_counts_agree(fresh.store, &agree, &fresh.error), BT_OK);
    assert_false(agree);
    fresh_close(&fresh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_of_sizes_costs_the_same_however_many_items_wait),
        cmocka_unit_test(without_counters_a_list_of_sizes_costs_more_with_each_item),
        cmocka_unit_test(a_store_without_counters_is_counted_by_its_next_decision),
        cmocka_unit_test(a_counter_that_differs_from_the_items_is_noticed),
    };
    return RUN_TESTS(tests);
}
