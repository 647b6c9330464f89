/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_postgres.c - what only a server can do to a store: lose its connection, or never confirm.
 *
 * BATON_TEST_POSTGRES names a server that belongs to this test alone.
 */
#include "test.h"

#include <libpq-fe.h>

#include "base/arena.h"
#include "store/store.h"

static const struct bt_store_options hasty = {.deadline_ms = 1000};

struct world {
    struct bt_arena arena;
    struct bt_error error;
    struct bt_store_location place;
    struct bt_store *store;
    PGconn *server; /* of an administrator */
};

static void order(struct world *world, const char *sql)
{
    PGresult *result = PQexec(world->server, sql);
    const ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        fail_msg("%s: %s", sql, PQerrorMessage(world->server));
    }
    PQclear(result);
}

static void world_open(struct world *world)
{
    static size_t schemas;
    const char *server = getenv("BATON_TEST_POSTGRES");
    bt_str url;
    assert_non_null(server);
    *world = (struct world){.server = PQconnectdb(server)};
    assert_int_equal(PQstatus(world->server), CONNECTION_OK);
    bt_arena_init(&world->arena, 1 << 16);
    assert_int_equal(bt_arena_printf(&world->arena, &url, "%s&schema=lost_%zu", server, schemas++),
                     BT_OK);
    assert_int_equal(bt_store_get_location(&world->arena, url, &world->place, &world->error),
                     BT_OK);
    assert_int_equal(bt_store_create(&world->place, &hasty, &world->store, &world->error), BT_OK);
    assert_int_equal(bt_store_commit(world->store, &world->error), BT_OK);
}

static void world_close(struct world *world)
{
    bt_store_close(world->store);
    PQfinish(world->server);
    bt_arena_free(&world->arena);
}

/* End every connection but the administrator's, and wait until they are gone. */
static void cut_connections(struct world *world)
{
    order(world, "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
                 " WHERE application_name = 'baton'");
}

static enum bt_status put_entry(struct world *world, uint64_t seq)
{
    static const char bytes[32];
    const struct bt_store_entry entry = {.seq = seq,
                                         .leaf = {bytes, 32},
                                         .entry = BT_STR("{}"),
                                         .batch = {bytes, 16},
                                         .kind = BT_STR("raw"),
                                         .verdict = BT_STR("recorded")};
    return bt_store_entry_put(world->store, &entry, &world->error);
}

static bool count_one(void *context, const struct bt_store_entry *entry)
{
    (void)entry;
    ++*(size_t *)context;
    return true;
}

/* The number of entries that another node sees. */
static size_t count_entries(struct world *world)
{
    const struct bt_store_scan all = {.order = BT_STORE_UP};
    struct bt_store *other = NULL;
    size_t count = 0;
    assert_int_equal(bt_store_open(&world->place, &hasty, &other, &world->error), BT_OK);
    assert_int_equal(bt_store_entry_scan(other, &all, count_one, &count, &world->error), BT_OK);
    bt_store_close(other);
    return count;
}

/* A transaction with one entry in it, not committed yet. */
static void begin_entry(struct world *world)
{
    assert_int_equal(bt_store_begin(world->store, &world->error), BT_OK);
    assert_int_equal(put_entry(world, 0), BT_OK);
}

/* That the store takes an entry, which then is the only one. */
static void expect_writing(struct world *world)
{
    begin_entry(world);
    assert_int_equal(bt_store_commit(world->store, &world->error), BT_OK);
    assert_int_equal(count_entries(world), 1);
}

static void expect_unknown(struct world *world)
{
    assert_int_equal(bt_store_commit(world->store, &world->error), BT_EIO);
    assert_true(bt_store_is_unknown(world->store));
}

static const bt_str batch_of_ours = BT_STR_INIT("batch of 16 byte");

/* A checkpoint in the open transaction, by which its batch can be found. */
static void put_checkpoint(struct world *world)
{
    const struct bt_store_checkpoint checkpoint = {.size = 1,
                                                   .root = BT_STR("root"),
                                                   .frontier = BT_STR("frontier"),
                                                   .note = BT_STR("note"),
                                                   .batch = batch_of_ours};
    assert_int_equal(bt_store_checkpoint_put(world->store, &checkpoint, &world->error), BT_OK);
}

/* How the commit whose outcome was open has ended. */
static bool is_settled_there(struct world *world)
{
    bool is_there = false;
    assert_int_equal(
        bt_store_resolve_commit(world->store, 1, batch_of_ours, &is_there, &world->error), BT_OK);
    assert_false(bt_store_is_unknown(world->store));
    return is_there;
}

static void a_connection_that_died_idle_is_replaced(void **state)
{
    (void)state;
    struct world world;
    bt_str version;
    world_open(&world);
    cut_connections(&world);
    assert_int_equal(
        bt_store_meta_get(world.store, &world.arena, BT_STR("schema"), &version, &world.error),
        BT_OK);
    assert_str(version, "2");
    cut_connections(&world);
    expect_writing(&world);
    world_close(&world);
}

static void a_connection_that_dies_in_a_transaction_takes_it_along(void **state)
{
    (void)state;
    struct world world;
    world_open(&world);
    begin_entry(&world);
    cut_connections(&world);
    assert_int_equal(put_entry(&world, 1), BT_EIO);
    bt_store_rollback(world.store);
    assert_int_equal(count_entries(&world), 0);
    expect_writing(&world);
    world_close(&world);
}

static void a_connection_that_dies_at_the_commit_leaves_it_open(void **state)
{
    (void)state;
    struct world world;
    world_open(&world);
    begin_entry(&world);
    put_checkpoint(&world);
    cut_connections(&world);
    expect_unknown(&world);
    assert_false(is_settled_there(&world));
    expect_writing(&world);
    world_close(&world);
}

/* Another node with the same size is not us. */
static void a_batch_of_somebody_else_is_not_taken_for_ours(void **state)
{
    (void)state;
    struct world world;
    bool is_there = true;
    world_open(&world);
    begin_entry(&world);
    put_checkpoint(&world);
    assert_int_equal(bt_store_commit(world.store, &world.error), BT_OK);
    assert_int_equal(bt_store_begin(world.store, &world.error), BT_OK);
    cut_connections(&world);
    expect_unknown(&world);
    assert_int_equal(bt_store_resolve_commit(world.store, 1, BT_STR("16 other bytes.."), &is_there,
                                             &world.error),
                     BT_OK);
    assert_false(is_there);
    world_close(&world);
}

static void a_transaction_that_failed_is_not_committed(void **state)
{
    (void)state;
    struct world world;
    world_open(&world);
    begin_entry(&world);
    const bt_str no_utf8 = BT_STR("\xff");
    assert_int_equal(bt_store_meta_put(world.store, no_utf8, no_utf8, &world.error), BT_EIO);
    assert_int_equal(bt_store_commit(world.store, &world.error), BT_EIO);
    assert_false(bt_store_is_unknown(world.store));
    assert_int_equal(count_entries(&world), 0);
    world_close(&world);
}

static void a_commit_that_no_standby_confirms_is_no_success(void **state)
{
    (void)state;
    struct world world;
    world_open(&world);
    order(&world, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
    order(&world, "SELECT pg_reload_conf(), pg_sleep(0.5)");
    bool is_there = false;
    begin_entry(&world);
    put_checkpoint(&world);
    expect_unknown(&world);
    /* The deadline is over; and who begins anew waits for a lock that the old transaction has. */
    assert_int_equal(
        bt_store_resolve_commit(world.store, 1, batch_of_ours, &is_there, &world.error), BT_EIO);
    assert_true(bt_store_is_unknown(world.store));
    assert_int_equal(bt_store_begin(world.store, &world.error), BT_EIO);
    order(&world, "ALTER SYSTEM RESET synchronous_standby_names");
    order(&world, "SELECT pg_reload_conf(), pg_sleep(0.5)");
    assert_int_equal(bt_store_begin(world.store, &world.error), BT_OK);
    bt_store_rollback(world.store);
    assert_int_equal(count_entries(&world), 1);
    world_close(&world);
}

/* Each takes a good part of the deadline, none of them all of it. */
static void the_statements_of_a_transaction_share_its_deadline(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    struct world world;
    char sql[300];
    world_open(&world);
    (void)snprintf(sql, sizeof(sql), "SET search_path = %s",
                   strstr(world.place.path.ptr, "schema=") + strlen("schema="));
    order(&world, sql);
    order(&world, "CREATE FUNCTION rest() RETURNS trigger LANGUAGE plpgsql AS "
                  "'BEGIN PERFORM pg_sleep(0.35); RETURN NEW; END'");
    order(&world, "CREATE TRIGGER slow BEFORE INSERT ON meta FOR EACH ROW EXECUTE FUNCTION rest()");
    assert_int_equal(bt_store_begin(world.store, &world.error), BT_OK);
    enum bt_status status = BT_OK;
    for (size_t i = 0; i < COUNT_OF(names) && status == BT_OK; i++) {
        status = bt_store_meta_put(world.store, bt_str_of(names[i]), BT_STR("x"), &world.error);
    }
    assert_int_equal(status, BT_EIO);
    bt_store_rollback(world.store);
    order(&world, "DROP TRIGGER slow ON meta"); /* the control */
    assert_int_equal(bt_store_begin(world.store, &world.error), BT_OK);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        assert_int_equal(
            bt_store_meta_put(world.store, bt_str_of(names[i]), BT_STR("x"), &world.error), BT_OK);
    }
    assert_int_equal(bt_store_commit(world.store, &world.error), BT_OK);
    world_close(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_connection_that_died_idle_is_replaced),
        cmocka_unit_test(a_connection_that_dies_in_a_transaction_takes_it_along),
        cmocka_unit_test(a_connection_that_dies_at_the_commit_leaves_it_open),
        cmocka_unit_test(a_batch_of_somebody_else_is_not_taken_for_ours),
        cmocka_unit_test(a_transaction_that_failed_is_not_committed),
        cmocka_unit_test(the_statements_of_a_transaction_share_its_deadline),
        cmocka_unit_test(a_commit_that_no_standby_confirms_is_no_success),
    };
    return RUN_TESTS(tests);
}
