/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_queue.c - queues on every back end: random histories beside a model, two takers at once;
 * and what a lease costs in long queues.
 */
#include "test.h"

#include <pthread.h>

#include "base/str.h"
#include "fresh.h"
#include "store/queue.h"
#include "store/rows.h"
#include "store/sqlite.h"
#include "store/store_internal.h"

enum { ITEMS = 40, ATTEMPTS_MAX = 4, TARGETS = 3 };

static const bt_str inbox = BT_STR_INIT("inbox");
static const char *const targets[TARGETS] = {"alice", "bob", "carol"};

/* ---- A model --------------------------------------------------------------------------------- */

/* An item as it should be; state 0: there is none. */
struct expected {
    enum bt_queue_state state;
    size_t target;
    uint64_t not_before_ms;
    uint64_t lease_until_ms;
    uint64_t token;
    uint64_t attempts;
    bool has_payload;
};

struct world {
    struct fresh fresh;
    struct expected items[ITEMS];
    uint64_t now_ms;
    uint64_t random;
    uint64_t tokens;
    size_t leased; /* how many items the model has given away */
    bool forgets;  /* the negative control: the model forgets that leases run out */
};

static size_t rng(struct world *world, size_t below)
{
    world->random = world->random * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (size_t)(world->random >> 33) % below;
}

/* Names sort as their items do. */
static bt_str name_of(size_t item, char out[24])
{
    (void)snprintf(out, 24, "h%04zu", item);
    return bt_str_of(out);
}

static bt_str token_of(uint64_t token, char out[24])
{
    (void)snprintf(out, 24, "t%llu", (unsigned long long)token);
    return bt_str_of(out);
}

static bool is_waiting(const struct expected *item)
{
    return item->state == BT_QUEUE_QUEUED || item->state == BT_QUEUE_LEASED;
}

static bool is_ready(const struct world *world, const struct expected *item)
{
    const bool is_free = item->lease_until_ms <= world->now_ms && !world->forgets;
    return is_waiting(item) && item->not_before_ms <= world->now_ms &&
           (item->state == BT_QUEUE_QUEUED || is_free) && item->attempts < ATTEMPTS_MAX;
}

/* ---- Operations ------------------------------------------------------------------------------ */

static void put(struct world *world)
{
    char name[24];
    const size_t number = rng(world, ITEMS);
    struct expected *item = &world->items[number];
    const size_t target = rng(world, TARGETS);
    const uint64_t not_before = world->now_ms + rng(world, 3) * 10;
    const struct bt_queue_item row = {.queue = inbox,
                                      .message = name_of(number, name),
                                      .target = bt_str_of(targets[target]),
                                      .seq = number,
                                      .payload = BT_STR("payload"),
                                      .not_before_ms = not_before,
                                      .updated_seq = number};
    assert_int_equal(bt_store_begin(world->fresh.store, &world->fresh.error), BT_OK);
    const enum bt_status status = bt_queue_put(world->fresh.store, &row, &world->fresh.error);
    assert_int_equal(status, item->state == 0 ? BT_OK : BT_EDENIED);
    assert_int_equal(bt_store_commit(world->fresh.store, &world->fresh.error), BT_OK);
    if (status == BT_OK) {
        *item = (struct expected){.state = BT_QUEUE_QUEUED,
                                  .target = target,
                                  .not_before_ms = not_before,
                                  .has_payload = true};
    }
}

/* What a lease gave, beside what it should have given. */
struct taking {
    struct world *world;
    size_t count;
    size_t next; /* the item from which on the next must be */
    size_t target;
    size_t differences;
};

static bool take(void *context, const struct bt_queue_item *row)
{
    struct taking *taking = context;
    struct world *world = taking->world;
    char name[24];
    char token[24];
    while (taking->next < ITEMS && !(is_ready(world, &world->items[taking->next]) &&
                                     taking->target == world->items[taking->next].target)) {
        taking->next++;
    }
    if (taking->next == ITEMS) {
        taking->differences++;
        return true;
    }
    struct expected *item = &world->items[taking->next];
    item->attempts++;
    item->state = BT_QUEUE_LEASED;
    item->token = world->tokens;
    item->lease_until_ms = world->now_ms + 50;
    taking->differences += !bt_str_eq(row->message, name_of(taking->next, name)) ||
                           row->attempts != item->attempts || row->state != BT_QUEUE_LEASED ||
                           !bt_str_eq(row->lease, token_of(world->tokens, token)) ||
                           !bt_str_eq(row->payload, BT_STR("payload"));
    taking->next++;
    taking->count++;
    return true;
}

static size_t lease(struct world *world)
{
    char token[24];
    const size_t target = rng(world, TARGETS);
    const size_t max = 1 + rng(world, 5);
    struct taking taking = {.world = world, .target = target};
    size_t ready = 0;
    for (size_t i = 0; i < ITEMS; i++) {
        ready += is_ready(world, &world->items[i]) && target == world->items[i].target;
    }
    world->tokens++;
    const struct bt_queue_lease lease = {.queue = inbox,
                                         .target = bt_str_of(targets[target]),
                                         .now_ms = world->now_ms,
                                         .until_ms = world->now_ms + 50,
                                         .token = token_of(world->tokens, token),
                                         .attempts_max = ATTEMPTS_MAX,
                                         .count_max = max};
    assert_int_equal(bt_queue_lease(world->fresh.store, &lease, take, &taking, &world->fresh.error),
                     BT_OK);
    world->leased += taking.count;
    return taking.differences + (taking.count != (ready < max ? ready : max));
}

/* What finish should say. */
static enum bt_status verdict_on(const struct world *world, const struct expected *item,
                                 uint64_t token)
{
    if (!is_waiting(item)) {
        return BT_ENOENT;
    }
    const bool is_taken = item->state == BT_QUEUE_LEASED;
    const bool is_ours = token > 0 ? is_taken && item->token == token
                                   : !is_taken || item->lease_until_ms <= world->now_ms;
    return is_ours ? BT_OK : BT_EDENIED;
}

static size_t finish(struct world *world)
{
    static const enum bt_queue_state ends[] = {BT_QUEUE_QUEUED, BT_QUEUE_DONE, BT_QUEUE_DEAD,
                                               BT_QUEUE_CANCELLED};
    char name[24];
    char token[24];
    const size_t number = rng(world, ITEMS);
    struct expected *item = &world->items[number];
    const uint64_t held = rng(world, 3) == 0 ? 0 : item->token + (rng(world, 4) == 0);
    const enum bt_status wanted = verdict_on(world, item, held);
    struct bt_queue_end end = {.queue = inbox,
                               .message = name_of(number, name),
                               .state = ends[rng(world, COUNT_OF(ends))],
                               .now_ms = world->now_ms,
                               .not_before_ms = world->now_ms + 20,
                               .seq = number};
    if (held > 0) {
        end.lease = token_of(held, token);
    }
    assert_int_equal(bt_store_begin(world->fresh.store, &world->fresh.error), BT_OK);
    const enum bt_status status = bt_queue_finish(world->fresh.store, &end, &world->fresh.error);
    if (rng(world, 5) == 0) {
        bt_store_rollback(world->fresh.store);
        return status != wanted;
    }
    assert_int_equal(bt_store_commit(world->fresh.store, &world->fresh.error), BT_OK);
    if (wanted == BT_OK) {
        item->state = end.state;
        item->not_before_ms =
            end.state == BT_QUEUE_QUEUED ? end.not_before_ms : item->not_before_ms;
        item->lease_until_ms = 0;
        item->has_payload = end.state == BT_QUEUE_QUEUED || end.state == BT_QUEUE_DEAD;
    }
    return status != wanted;
}

/* Make a dead item wait again. */
static size_t retry(struct world *world)
{
    char name[24];
    const size_t number = rng(world, ITEMS);
    struct expected *item = &world->items[number];
    const bt_str key[2] = {inbox, name_of(number, name)};
    assert_int_equal(bt_store_begin(world->fresh.store, &world->fresh.error), BT_OK);
    const enum bt_status status =
        bt_queue_retry(world->fresh.store, key, number, &world->fresh.error);
    assert_int_equal(bt_store_commit(world->fresh.store, &world->fresh.error), BT_OK);
    const bool is_dead = item->state == BT_QUEUE_DEAD;
    if (is_dead) {
        item->state = BT_QUEUE_QUEUED;
        item->attempts = 0;
        item->not_before_ms = 0;
    }
    return status != (is_dead ? BT_OK : BT_ENOENT);
}

/* ---- Comparing ------------------------------------------------------------------------------- */

/* The sizes of the inboxes, as they are listed. */
struct listing {
    struct bt_queue_size sizes[TARGETS];
    size_t count;
};

static bool keep_size(void *context, const struct bt_queue_size *size)
{
    struct listing *listing = context;
    for (size_t i = 0; i < TARGETS; i++) {
        if (bt_str_eq(size->target, bt_str_of(targets[i]))) {
            listing->sizes[i] = *size;
        }
    }
    listing->count++;
    return true;
}

/* What the model has for a receiver; `oldest` is BT_STORE_NONE when nothing waits. */
static struct bt_queue_size size_of(const struct world *world, size_t target)
{
    struct bt_queue_size size = {.oldest = BT_STORE_NONE};
    for (size_t i = 0; i < ITEMS; i++) {
        const struct expected *item = &world->items[i];
        if (item->state == 0 || item->target != target) {
            continue;
        }
        const bool is_leased =
            item->state == BT_QUEUE_LEASED && item->lease_until_ms > world->now_ms;
        size.dead += item->state == BT_QUEUE_DEAD;
        if (is_waiting(item)) {
            size.leased += is_leased;
            size.queued += !is_leased;
            size.oldest = size.oldest == BT_STORE_NONE ? i : size.oldest;
            size.attempts_max =
                item->attempts > size.attempts_max ? item->attempts : size.attempts_max;
        }
    }
    return size;
}

static size_t compare_sizes(struct world *world)
{
    struct listing listing = {.count = 0};
    struct bt_store_queue_counts counts;
    size_t differences = 0;
    size_t receivers = 0;
    uint64_t queued = 0;
    bool agree = false;
    assert_int_equal(bt_queue_each_size(world->fresh.store, world->now_ms, 100, keep_size, &listing,
                                        &world->fresh.error),
                     BT_OK);
    assert_int_equal(
        bt_store_count_queue(world->fresh.store, world->now_ms, &counts, &world->fresh.error),
        BT_OK);
    assert_int_equal(bt_queue_counts_agree(world->fresh.store, &agree, &world->fresh.error), BT_OK);
    for (size_t i = 0; i < TARGETS; i++) {
        const struct bt_queue_size wanted = size_of(world, i);
        const struct bt_queue_size *size = &listing.sizes[i];
        if (wanted.queued + wanted.leased + wanted.dead == 0) {
            continue;
        }
        receivers++;
        queued += wanted.queued;
        differences += wanted.queued != size->queued || wanted.leased != size->leased ||
                       wanted.dead != size->dead || wanted.oldest != size->oldest ||
                       wanted.attempts_max != size->attempts_max;
    }
    return differences + (receivers != listing.count) + (queued != counts.inbox) +
           (counts.webhook != 0) + !agree;
}

static bool count_one(void *context, const struct bt_queue_item *item)
{
    (void)item;
    ++*(size_t *)context;
    return true;
}

static size_t compare_one(struct world *world, struct bt_arena *arena, size_t number)
{
    char name[24];
    struct bt_queue_item row;
    const struct expected *item = &world->items[number];
    const bt_str key[2] = {inbox, name_of(number, name)};
    const enum bt_status status =
        bt_queue_get(world->fresh.store, arena, key, &row, &world->fresh.error);
    if (item->state == 0 || status != BT_OK) {
        return (status == BT_ENOENT) != (item->state == 0);
    }
    return row.state != item->state || row.attempts != item->attempts ||
           row.not_before_ms != item->not_before_ms || row.lease_until_ms != item->lease_until_ms ||
           (row.payload.ptr != NULL) != item->has_payload || row.seq != number ||
           !bt_str_eq(row.target, bt_str_of(targets[item->target]));
}

static size_t compare(struct world *world)
{
    struct bt_arena arena;
    size_t differences = 0;
    size_t spent = 0;
    size_t found = 0;
    bt_arena_init(&arena, 1 << 20);
    for (size_t i = 0; i < ITEMS; i++) {
        differences += compare_one(world, &arena, i);
        spent += is_waiting(&world->items[i]) && world->items[i].attempts >= ATTEMPTS_MAX &&
                 world->items[i].lease_until_ms <= world->now_ms;
    }
    bt_arena_free(&arena);
    for (size_t i = 0; i < TARGETS; i++) {
        const struct bt_queue_limit limit = {inbox, bt_str_of(targets[i]), world->now_ms,
                                             ATTEMPTS_MAX};
        assert_int_equal(bt_queue_each_exhausted(world->fresh.store, &limit, count_one, &found,
                                                 &world->fresh.error),
                         BT_OK);
    }
    return differences + (spent != found) + compare_sizes(world);
}

/* Items that have ended make room for new ones. */
static void sweep(struct world *world)
{
    assert_int_equal(bt_store_begin(world->fresh.store, &world->fresh.error), BT_OK);
    for (size_t i = 0; i < ITEMS; i++) {
        char name[24];
        const struct bt_store_cell key[] = {bt_store_cell_text(inbox),
                                            bt_store_cell_text(name_of(i, name))};
        if (!is_waiting(&world->items[i]) || world->items[i].attempts >= ATTEMPTS_MAX) {
            world->items[i] = (struct expected){0};
            assert_int_equal(
                bt_store_row_delete(world->fresh.store, BT_TABLE_QUEUE, key, &world->fresh.error),
                BT_OK);
        }
    }
    assert_int_equal(bt_queue_count_again(world->fresh.store, 0, &world->fresh.error), BT_OK);
    assert_int_equal(bt_store_commit(world->fresh.store, &world->fresh.error), BT_OK);
}

static size_t run(struct world *world, size_t operations)
{
    size_t differences = 0;
    for (size_t i = 0; i < operations; i++) {
        const size_t what = rng(world, 10);
        if (what < 3) {
            put(world);
        } else if (what < 6) {
            differences += lease(world);
        } else if (what < 9) {
            differences += finish(world);
        } else {
            differences += retry(world);
        }
        world->now_ms += rng(world, 20);
        differences += i % 50 == 0 ? compare(world) : 0;
        if (i % 400 == 399) {
            sweep(world);
        }
    }
    return differences + compare(world);
}

static void a_queue_does_what_its_model_does(void **state)
{
    (void)state;
    static struct world world;
    world = (struct world){.now_ms = 1000, .random = fresh_number("BATON_SEED", 1)};
    fresh_open(&world.fresh);
    assert_int_equal(run(&world, fresh_number("BATON_OPERATIONS", 2000)), 0);
    assert_true(world.leased > 100);
    fresh_close(&world.fresh);
}

static void a_model_whose_leases_never_run_out_is_noticed(void **state)
{
    (void)state;
    static struct world world;
    world = (struct world){.now_ms = 1000, .random = 1, .forgets = true};
    fresh_open(&world.fresh);
    assert_true(run(&world, 1000) > 0);
    fresh_close(&world.fresh);
}

/* ---- Two at once ----------------------------------------------------------------------------- */

enum { SHARED = 300, TAKERS = 2 };

struct taker {
    struct bt_store *store;
    const char *token;
    bool is_careless; /* the negative control: looks first, and takes afterwards */
    unsigned char taken[SHARED];
};

static size_t number_of(bt_str message)
{
    uint64_t number = 0;
    assert_int_equal(bt_str_to_u64(bt_str_slice(message, 1, message.len), &number), BT_OK);
    return (size_t)number;
}

static bool note_taken(void *context, const struct bt_queue_item *item)
{
    struct taker *taker = context;
    taker->taken[number_of(item->message)]++;
    return true;
}

static bool note_seen(void *context, const struct bt_store_cell *cells)
{
    struct taker *taker = context;
    if (bt_str_eq(cells[10].text, BT_STR("queued"))) {
        taker->taken[number_of(cells[1].text)]++;
    }
    return true;
}

static void *take_all(void *context)
{
    struct taker *taker = context;
    struct bt_error error;
    const struct bt_store_row_range all = {.table = BT_TABLE_QUEUE};
    const struct bt_queue_lease lease = {.queue = inbox,
                                         .target = BT_STR("alice"),
                                         .now_ms = 1,
                                         .until_ms = 1000,
                                         .token = bt_str_of(taker->token),
                                         .attempts_max = 5,
                                         .count_max = 7};
    if (taker->is_careless) {
        assert_int_equal(bt_store_row_scan(taker->store, &all, note_seen, taker, &error), BT_OK);
    }
    for (size_t i = 0; i < SHARED; i++) {
        assert_int_equal(bt_queue_lease(taker->store, &lease,
                                        taker->is_careless ? count_one : note_taken,
                                        taker->is_careless ? (void *)&i : taker, &error),
                         BT_OK);
    }
    return NULL;
}

/* How many of the items were taken by nobody, and how many by more than one. */
static void share(bool is_careless, size_t *out_none, size_t *out_many)
{
    static const char *const tokens[TAKERS] = {"one", "other"};
    static struct taker takers[TAKERS];
    struct fresh fresh;
    pthread_t threads[TAKERS];
    fresh_open(&fresh);
    assert_int_equal(bt_store_begin(fresh.store, &fresh.error), BT_OK);
    for (size_t i = 0; i < SHARED; i++) {
        char name[24];
        const struct bt_queue_item item = {.queue = inbox,
                                           .message = name_of(i, name),
                                           .target = BT_STR("alice"),
                                           .seq = i,
                                           .updated_seq = i};
        assert_int_equal(bt_queue_put(fresh.store, &item, &fresh.error), BT_OK);
    }
    assert_int_equal(bt_store_commit(fresh.store, &fresh.error), BT_OK);
    for (size_t i = 0; i < TAKERS; i++) {
        takers[i] = (struct taker){
            .store = fresh_other(&fresh), .token = tokens[i], .is_careless = is_careless};
    }
    for (size_t i = 0; i < TAKERS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, take_all, &takers[i]), 0);
    }
    for (size_t i = 0; i < TAKERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        bt_store_close(takers[i].store);
    }
    *out_none = 0;
    *out_many = 0;
    for (size_t i = 0; i < SHARED; i++) {
        const unsigned times = (unsigned)takers[0].taken[i] + takers[1].taken[i];
        *out_none += times == 0;
        *out_many += times > 1;
    }
    fresh_close(&fresh);
}

static void no_item_is_taken_by_two(void **state)
{
    (void)state;
    size_t none = 0;
    size_t many = 0;
    share(false, &none, &many);
    assert_int_equal(none, 0);
    assert_int_equal(many, 0);
}

static void who_looks_before_taking_takes_twice(void **state)
{
    (void)state;
    size_t none = 0;
    size_t many = 0;
    share(true, &none, &many);
    assert_true(many > 0);
}

/* ---- Long queues ----------------------------------------------------------------------------- */

enum { SHORT_QUEUE = 100, LONG_QUEUE = 20000, LEASES = 5 };

static void put_waiting(struct fresh *fresh, size_t from, size_t end)
{
    assert_int_equal(bt_store_begin(fresh->store, &fresh->error), BT_OK);
    for (size_t i = from; i < end; i++) {
        char name[24];
        const struct bt_queue_item item = {.queue = inbox,
                                           .message = name_of(i, name),
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

static bool keep_name(void *context, const struct bt_queue_item *item)
{
    memcpy(context, item->message.ptr, item->message.len);
    return true;
}

/* The steps of some leases: to find items, and those that were leased too often. */
static uint64_t count_lease_steps(struct fresh *fresh)
{
    (void)count_steps(fresh, BT_SQL_QUEUE_READY);
    (void)count_steps(fresh, BT_SQL_QUEUE_SPENT);
    for (size_t i = 0; i < LEASES; i++) {
        const struct bt_queue_limit limit = {inbox, BT_STR("bob"), 1, 5};
        const struct bt_queue_lease lease = {.queue = inbox,
                                             .target = BT_STR("bob"),
                                             .now_ms = 1,
                                             .until_ms = 2,
                                             .token = BT_STR("token"),
                                             .attempts_max = 5,
                                             .count_max = 1};
        struct bt_queue_end end = {
            .queue = inbox, .lease = lease.token, .state = BT_QUEUE_DONE, .now_ms = 1};
        char name[24] = "";
        size_t spent = 0;
        assert_int_equal(
            bt_queue_each_exhausted(fresh->store, &limit, count_one, &spent, &fresh->error), BT_OK);
        assert_int_equal(bt_queue_lease(fresh->store, &lease, keep_name, name, &fresh->error),
                         BT_OK);
        end.message = bt_str_of(name);
        assert_int_equal(bt_store_begin(fresh->store, &fresh->error), BT_OK);
        assert_int_equal(bt_queue_finish(fresh->store, &end, &fresh->error), BT_OK);
        assert_int_equal(bt_store_commit(fresh->store, &fresh->error), BT_OK);
    }
    return count_steps(fresh, BT_SQL_QUEUE_READY) + count_steps(fresh, BT_SQL_QUEUE_SPENT);
}

/* The steps in a short queue and in a long one. False on PostgreSQL, which chooses by statistics
 * and does not say how many steps it takes. */
static bool compare_queues(const char *without, uint64_t out[2])
{
    struct fresh fresh;
    fresh_open(&fresh);
    if (bt_store_is_remote(fresh.store)) {
        fresh_close(&fresh);
        return false;
    }
    if (without) {
        const struct bt_sqlite *sqlite = fresh.store->connection;
        assert_int_equal(bt_sqlite_exec(sqlite->db, without, &fresh.error), BT_OK);
    }
    put_waiting(&fresh, 0, SHORT_QUEUE);
    out[0] = count_lease_steps(&fresh);
    put_waiting(&fresh, SHORT_QUEUE, LONG_QUEUE);
    out[1] = count_lease_steps(&fresh);
    fresh_close(&fresh);
    return true;
}

static void a_lease_costs_the_same_however_many_items_wait(void **state)
{
    (void)state;
    uint64_t steps[2];
    if (compare_queues(NULL, steps)) {
        assert_true(steps[0] > 0);
        assert_true(10 * steps[1] <= 11 * steps[0]);
    }
}

static void without_an_index_a_lease_costs_more_with_each_item(void **state)
{
    (void)state;
    static const char *const without[] = {"DROP INDEX queue_waiting", "DROP INDEX queue_tried"};
    for (size_t i = 0; i < 2; i++) {
        uint64_t steps[2];
        if (compare_queues(without[i], steps)) {
            assert_true(steps[1] > 20 * steps[0]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_queue_does_what_its_model_does),
        cmocka_unit_test(a_model_whose_leases_never_run_out_is_noticed),
        cmocka_unit_test(no_item_is_taken_by_two),
        cmocka_unit_test(who_looks_before_taking_takes_twice),
        cmocka_unit_test(a_lease_costs_the_same_however_many_items_wait),
        cmocka_unit_test(without_an_index_a_lease_costs_more_with_each_item),
    };
    return RUN_TESTS(tests);
}
