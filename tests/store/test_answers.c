/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_answers.c - answers and tasks on every back end, and what a redaction takes away.
 */
#include "test.h"

#include "base/buf.h"
#include "fresh.h"
#include "store/queue.h"
#include "store/responses.h"
#include "store/rows.h"

struct world {
    struct fresh fresh;
    struct bt_arena arena;
    struct bt_store *store;
    struct bt_error *error;
};

static void world_open(struct world *world)
{
    fresh_open(&world->fresh);
    bt_arena_init(&world->arena, 1 << 20);
    world->store = world->fresh.store;
    world->error = &world->fresh.error;
}

static void world_close(struct world *world)
{
    bt_arena_free(&world->arena);
    fresh_close(&world->fresh);
}

static void begin(struct world *world)
{
    assert_int_equal(bt_store_begin(world->store, world->error), BT_OK);
}

static void commit(struct world *world)
{
    assert_int_equal(bt_store_commit(world->store, world->error), BT_OK);
}

/* ---- Answers --------------------------------------------------------------------------------- */

static const struct bt_store_response usual = {.principal = BT_STR_INIT("alice"),
                                               .path = BT_STR_INIT("/v1/handoffs"),
                                               .key = BT_STR_INIT("k1"),
                                               .request = BT_STR_INIT("digest"),
                                               .status = 201,
                                               .body = BT_STR_INIT("{}"),
                                               .seq = 3,
                                               .expiry_ms = 1000};

static enum bt_status get_answer(struct world *world, const char *principal, uint64_t now_ms,
                                 struct bt_store_response *out)
{
    const bt_str key[3] = {bt_str_of(principal), usual.path, usual.key};
    return bt_store_response_get(world->store, &world->arena, key, now_ms, out, world->error);
}

static void an_answer_is_kept_until_it_expires(void **state)
{
    (void)state;
    struct world world;
    struct bt_store_response found;
    world_open(&world);
    begin(&world);
    assert_int_equal(get_answer(&world, "alice", 0, &found), BT_ENOENT);
    assert_int_equal(bt_store_response_put(world.store, &usual, 0, world.error), BT_OK);
    assert_int_equal(bt_store_response_put(world.store, &usual, 999, world.error), BT_EDENIED);
    commit(&world);
    assert_int_equal(get_answer(&world, "alice", 999, &found), BT_OK);
    assert_int_equal(found.status, 201);
    assert_int_equal(found.seq, 3);
    assert_str(found.body, "{}");
    assert_str(found.request, "digest");
    assert_int_equal(get_answer(&world, "bob", 999, &found), BT_ENOENT);
    assert_int_equal(get_answer(&world, "alice", 1000, &found), BT_ENOENT);
    /* What has expired makes room, and is swept away. */
    struct bt_store_response later = usual;
    later.expiry_ms = 2000;
    later.body = BT_STR("[]");
    begin(&world);
    assert_int_equal(bt_store_response_put(world.store, &later, 1000, world.error), BT_OK);
    assert_int_equal(bt_store_response_purge(world.store, 1999, world.error), BT_OK);
    assert_int_equal(get_answer(&world, "alice", 0, &found), BT_OK);
    assert_str(found.body, "[]");
    assert_int_equal(bt_store_response_purge(world.store, 2000, world.error), BT_OK);
    assert_int_equal(get_answer(&world, "alice", 0, &found), BT_ENOENT);
    commit(&world);
    world_close(&world);
}

/* ---- Tasks ----------------------------------------------------------------------------------- */

static bool join_ids(void *context, const struct bt_store_task *task)
{
    struct bt_buf *ids = context;
    bt_buf_put(ids, task->id);
    return true;
}

static void tasks_are_found_by_id_and_by_principal(void **state)
{
    (void)state;
    struct world world;
    struct bt_store_task found;
    struct bt_buf ids;
    struct bt_store_task task = {.id = BT_STR("b"),
                                 .principal = BT_STR("alice"),
                                 .context = BT_STR("c"),
                                 .message_ids = BT_STR("m1 m2"),
                                 .state = BT_STR("working"),
                                 .history = BT_STR("[]"),
                                 .updated_seq = BT_STORE_NONE};
    world_open(&world);
    begin(&world);
    assert_int_equal(bt_store_task_put(world.store, &task, world.error), BT_OK);
    task.state = BT_STR("completed");
    task.artifacts = BT_STR("[1]");
    assert_int_equal(bt_store_task_put(world.store, &task, world.error), BT_OK);
    task.id = BT_STR("a");
    assert_int_equal(bt_store_task_put(world.store, &task, world.error), BT_OK);
    task.id = BT_STR("c");
    task.principal = BT_STR("bob");
    assert_int_equal(bt_store_task_put(world.store, &task, world.error), BT_OK);
    commit(&world);
    assert_int_equal(bt_store_task_get(world.store, &world.arena, BT_STR("b"), &found, world.error),
                     BT_OK);
    assert_str(found.state, "completed");
    assert_str(found.artifacts, "[1]");
    assert_str(found.message_ids, "m1 m2");
    assert_true(found.updated_seq == BT_STORE_NONE);
    assert_int_equal(bt_store_task_get(world.store, &world.arena, BT_STR("x"), &found, world.error),
                     BT_ENOENT);
    bt_buf_init(&ids, 100);
    assert_int_equal(bt_store_task_scan(world.store, BT_STR("alice"), join_ids, &ids, world.error),
                     BT_OK);
    assert_str(bt_buf_str(&ids), "ab");
    bt_buf_free(&ids);
    world_close(&world);
}

/* ---- Redaction ------------------------------------------------------------------------------- */

static void put_entry(struct world *world, uint64_t seq, bt_str digest)
{
    static const char bytes[32];
    const struct bt_store_entry entry = {.seq = seq,
                                         .leaf = {bytes, 32},
                                         .entry = BT_STR("{}"),
                                         .batch = {bytes, 16},
                                         .kind = BT_STR("handoff"),
                                         .verdict = BT_STR("accepted"),
                                         .document = digest};
    assert_int_equal(bt_store_entry_put(world->store, &entry, world->error), BT_OK);
}

/* Copies of the document of entry `seq`, in each table that may have one. */
static void put_copies(struct world *world, uint64_t seq, const char *name)
{
    struct bt_store_response answer = usual;
    const struct bt_store_cell message[] = {
        bt_store_cell_number(seq),
        bt_store_cell_text(BT_STR("ingress")),
        bt_store_cell_text(BT_STR("me")),
        bt_store_cell_text(BT_STR("greeter")),
        bt_store_cell_text(BT_STR("t")),
        bt_store_cell_text(BT_STR("t")),
        bt_store_cell_text(BT_STR("tag")),
        bt_store_cell_null(),
        bt_store_cell_bytes(BT_STR("<secret/>")),
        bt_store_cell_text(BT_STR("queued")),
        bt_store_cell_number(seq),
        bt_store_cell_number(seq),
    };
    const struct bt_store_task task = {.id = bt_str_of(name),
                                       .principal = BT_STR("alice"),
                                       .context = BT_STR("c"),
                                       .message_ids = BT_STR("m"),
                                       .state = BT_STR("completed"),
                                       .artifacts = BT_STR("[secret]"),
                                       .history = BT_STR("[secret]"),
                                       .updated_seq = seq};
    const struct bt_queue_item item = {.queue = BT_STR("inbox"),
                                       .message = bt_str_of(name),
                                       .target = BT_STR("bob"),
                                       .seq = seq,
                                       .payload = BT_STR("secret"),
                                       .updated_seq = seq};
    answer.key = bt_str_of(name);
    answer.seq = seq;
    assert_int_equal(bt_store_response_put(world->store, &answer, 0, world->error), BT_OK);
    assert_int_equal(bt_store_task_put(world->store, &task, world->error), BT_OK);
    assert_int_equal(bt_queue_put(world->store, &item, world->error), BT_OK);
    assert_int_equal(bt_store_row_put(world->store, BT_TABLE_PUMP_MESSAGE, message, world->error),
                     BT_OK);
}

/* Whether the copies are still there; all of them or none. */
static bool has_copies(struct world *world, uint64_t seq, const char *name)
{
    struct bt_store_response answer;
    struct bt_store_task task;
    struct bt_queue_item item;
    const struct bt_store_cell n = bt_store_cell_number(seq);
    const struct bt_store_row_range message_key = {BT_TABLE_PUMP_MESSAGE, &n, 1};
    const struct bt_store_cell *message = NULL;
    const bt_str answer_key[3] = {usual.principal, usual.path, bt_str_of(name)};
    const bt_str item_key[2] = {BT_STR("inbox"), bt_str_of(name)};
    assert_int_equal(
        bt_store_response_get(world->store, &world->arena, answer_key, 0, &answer, world->error),
        BT_OK);
    assert_int_equal(
        bt_store_task_get(world->store, &world->arena, bt_str_of(name), &task, world->error),
        BT_OK);
    assert_int_equal(bt_queue_get(world->store, &world->arena, item_key, &item, world->error),
                     BT_OK);
    assert_int_equal(
        bt_store_row_get(world->store, &world->arena, &message_key, &message, world->error), BT_OK);
    const bool is_there = answer.body.ptr != NULL;
    assert_int_equal(task.artifacts.ptr != NULL, is_there);
    assert_int_equal(task.history.ptr != NULL, is_there);
    assert_int_equal(item.payload.ptr != NULL, is_there);
    assert_int_equal(message[8].type == BT_STORE_CELL_BYTES, is_there);
    assert_int_equal(item.state, is_there ? BT_QUEUE_QUEUED : BT_QUEUE_DEAD);
    return is_there;
}

static void a_redaction_takes_every_copy_and_no_other(void **state)
{
    (void)state;
    struct world world;
    bool kept = false;
    const bt_str digest = BT_STR("0123456789abcdef0123456789abcdef");
    const bt_str other = BT_STR("fedcba9876543210fedcba9876543210");
    world_open(&world);
    begin(&world);
    assert_int_equal(
        bt_store_document_put(world.store, digest, BT_STR("secret"), &kept, world.error), BT_OK);
    assert_int_equal(
        bt_store_document_put(world.store, other, BT_STR("public"), &kept, world.error), BT_OK);
    put_entry(&world, 0, digest);
    put_entry(&world, 1, other);
    put_entry(&world, 2, digest);
    put_copies(&world, 0, "h0");
    put_copies(&world, 1, "h1");
    put_copies(&world, 2, "h2");
    commit(&world);
    assert_true(has_copies(&world, 0, "h0"));
    begin(&world);
    put_entry(&world, 3, digest);
    assert_int_equal(bt_store_document_redact(world.store, digest, 3, world.error), BT_OK);
    commit(&world);
    assert_false(has_copies(&world, 0, "h0"));
    assert_true(has_copies(&world, 1, "h1"));
    assert_false(has_copies(&world, 2, "h2"));
    world_close(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_is_kept_until_it_expires),
        cmocka_unit_test(tasks_are_found_by_id_and_by_principal),
        cmocka_unit_test(a_redaction_takes_every_copy_and_no_other),
    };
    return RUN_TESTS(tests);
}
