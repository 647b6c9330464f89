/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_late.c - acts whose time is over: before they begin, while another holds the store, and
 * while the disk hangs in the commit. Whoever is late is told the truth and leaves, with everything
 * that the act pointed at.
 */
#include "test.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <sqlite3.h>

#include "engine/submit.h"
#include "ledger/transaction.h"
#include "made.h"

enum { RIVALS = 6, SOON_MS = 60, LONG_MS = 60000 };

/* ---- A disk that hangs ----------------------------------------------------------------------- */

/* Tests alone may have such state. */
static struct gate {
    pthread_mutex_t lock;
    pthread_cond_t opened;
    bool is_shut;
} gate = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};

static void set_gate(bool is_shut)
{
    (void)pthread_mutex_lock(&gate.lock);
    gate.is_shut = is_shut;
    (void)pthread_cond_broadcast(&gate.opened);
    (void)pthread_mutex_unlock(&gate.lock);
}

/* SQLite's syncs come by here. */
int fdatasync(int fd)
{
    (void)pthread_mutex_lock(&gate.lock);
    while (gate.is_shut) {
        (void)pthread_cond_wait(&gate.opened, &gate.lock);
    }
    (void)pthread_mutex_unlock(&gate.lock);
    return fsync(fd);
}

/* ---- Who asks -------------------------------------------------------------------------------- */

/* Someone with an act, and memory of their own that the act points at. */
struct asker {
    struct bt_ledger_writer *writer;
    long ms;       /* that they wait */
    bool in_steps; /* they give, and leave without having been told */
    size_t told;   /* out: how often they were, all the same */
    bool opens_gate;
    size_t acts; /* out: how often the act ran ... */
    enum bt_status status;
    bool is_unknown;
    bool has_receipt;
};

/* The submission, and what its act points at; gone when the asker leaves. */
struct lent {
    struct asker *asker;
    struct bt_arena arena;
    struct bt_judgement judged;
    struct bt_submission item;
    char note[64];
};

static struct timespec in_ms(long ms)
{
    struct timespec moment;
    assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &moment), 0);
    const long nanos = moment.tv_nsec + ms % 1000 * 1000000;
    return (struct timespec){moment.tv_sec + ms / 1000 + nanos / 1000000000, nanos % 1000000000};
}

/* Records, and says so in words that lie in the asker's memory. */
static enum bt_status act(struct bt_submission *item, struct bt_ledger_transaction *recording,
                          struct bt_error *error)
{
    struct lent *lent = item->decision;
    struct bt_findings *findings = bt_findings_new(&lent->arena);
    lent->asker->acts++;
    if (!findings) {
        return bt_error_set(error, BT_ENOMEM, "no memory");
    }
    item->judged->findings = findings;
    item->entry.trace_id = bt_str_of(lent->note);
    BT_TRY(
        bt_arena_printf(&lent->arena, &item->judged->extra_members, "\"note\":\"%s\"", lent->note));
    BT_TRY(bt_ledger_transaction_add_submission(recording, item, error));
    if (lent->asker->opens_gate) {
        set_gate(false);
    }
    return BT_OK;
}

static void count_told(void *context)
{
    struct asker *asker = context;
    asker->told++;
}

/* Give, and leave when the time is over, as soon as nothing is lent any more. */
static enum bt_status give_and_leave(struct asker *asker, struct bt_submission *item,
                                     struct bt_error *error)
{
    const struct timespec until = in_ms(asker->ms);
    const struct timespec pause = {0, 1000000L * BT_LEDGER_ABANDON_RETRY_MS};
    const struct bt_ledger_completion wait = {until, count_told, asker};
    enum bt_status status = bt_ledger_writer_submit(asker->writer, item, &wait);
    assert_int_equal(status, BT_OK);
    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    for (long i = 0; status == BT_OK && i < LONG_MS; i++) {
        status = bt_ledger_writer_abandon(item, error);
        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
    }
    return status;
}

static void ask(struct asker *asker)
{
    struct lent *lent = calloc(1, sizeof(*lent));
    struct bt_error error;
    assert_non_null(lent);
    bt_arena_init(&lent->arena, 1 << 20);
    lent->asker = asker;
    (void)snprintf(lent->note, sizeof(lent->note), "lent");
    lent->judged = (struct bt_judgement){.path = BT_STR("x"),
                                         .dialect = BT_DIALECT_RAW,
                                         .source = BT_STR(""),
                                         .verdict = BT_VERDICT_RECORDED,
                                         .findings = bt_findings_new(&lent->arena),
                                         .facts = BT_STR(""),
                                         .extra_members = BT_STR("")};
    struct bt_submission *item = &lent->item;
    bt_submission_init(item, &lent->arena, &lent->judged, BT_STR("cli"), BT_STR("late\n"),
                       UINT64_MAX);
    item->entry.kind = BT_STR("raw");
    item->record = act;
    item->decision = lent;
    item->wants_receipt = true;
    const struct timespec until = in_ms(asker->ms);
    asker->status = asker->in_steps ? give_and_leave(asker, item, &error)
                                    : bt_ledger_writer_append(asker->writer, item, &until, &error);
    asker->is_unknown = item->durability == BT_DURABILITY_UNKNOWN;
    asker->has_receipt =
        asker->status == BT_OK && item->receipt.len > 0 && lent->judged.extra_members.len > 0;
    bt_arena_free(&lent->arena);
    memset(lent, 0xA5, sizeof(*lent));
    free(lent);
}

static void *ask_in_thread(void *context)
{
    ask(context);
    return NULL;
}

/* ---- A ledger with a writer ------------------------------------------------------------------ */

struct world {
    struct made made;
    struct bt_ledger *ledger;
    struct bt_ledger_writer *writer;
};

static void world_open(struct world *world)
{
    made_open(&world->made);
    const struct bt_ledger_options options = {.store = world->made.store, .deadline_ms = LONG_MS};
    assert_int_equal(bt_ledger_open(&options, true, &world->ledger, &world->made.error), BT_OK);
    assert_int_equal(
        bt_ledger_writer_open(world->ledger, &world->made.env, &world->writer, &world->made.error),
        BT_OK);
}

/* Close the writer; how many entries there are, all of them sound. */
static uint64_t world_close(struct world *world)
{
    struct bt_ledger_head head = {.size = 0};
    struct bt_findings *alarms = bt_findings_new(&world->made.arena);
    bt_ledger_writer_close(world->writer);
    assert_int_equal(
        bt_ledger_head(world->ledger, &world->made.arena, alarms, &head, &world->made.error),
        BT_OK);
    bt_ledger_close(world->ledger);
    assert_true(made_verifies(&world->made));
    made_close(&world->made);
    return head.size;
}

/* ---- Claims ---------------------------------------------------------------------------------- */

static void an_act_that_is_late_is_not_begun(void **state)
{
    (void)state;
    struct world world;
    world_open(&world);
    struct asker late = {.writer = world.writer, .ms = 0};
    struct asker patient = {.writer = world.writer, .ms = LONG_MS};
    ask(&late);
    ask(&patient);
    assert_int_equal(late.status, BT_EIO);
    assert_false(late.is_unknown);
    assert_int_equal(late.acts, 0);
    assert_int_equal(patient.status, BT_OK); /* the control */
    assert_int_equal(patient.acts, 1);
    assert_true(patient.has_receipt);
    assert_int_equal(world_close(&world), 1);
}

/* The lock is given back when all who have little time were told. */
static void who_is_late_takes_nobody_along(void **state)
{
    (void)state;
    struct world world;
    struct asker askers[2 * RIVALS];
    pthread_t threads[2 * RIVALS];
    sqlite3 *other = NULL;
    world_open(&world);
    assert_int_equal(sqlite3_open(world.made.store, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    for (size_t i = 0; i < COUNT_OF(askers); i++) {
        askers[i] = (struct asker){.writer = world.writer, .ms = i % 2 ? LONG_MS : SOON_MS};
        assert_int_equal(pthread_create(&threads[i], NULL, ask_in_thread, &askers[i]), 0);
    }
    for (size_t i = 0; i < COUNT_OF(askers); i += 2) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(askers[i].status, BT_EIO);
        assert_false(askers[i].is_unknown);
        assert_int_equal(askers[i].acts, 0);
    }
    assert_int_equal(sqlite3_close(other), SQLITE_OK);
    for (size_t i = 1; i < COUNT_OF(askers); i += 2) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(askers[i].status, BT_OK);
        assert_true(askers[i].has_receipt);
    }
    assert_int_equal(world_close(&world), RIVALS);
}

static void leave_in_the_commit(bool in_steps)
{
    struct world world;
    world_open(&world);
    set_gate(true);
    struct asker late = {.writer = world.writer, .ms = SOON_MS, .in_steps = in_steps};
    for (; late.acts == 0 && late.ms < LONG_MS; late.ms *= 2) { /* however slow the machine is */
        ask(&late);
        assert_int_equal(late.status, BT_EIO);
        assert_int_equal(late.is_unknown, late.acts > 0);
    }
    assert_int_equal(late.acts, 1);
    set_gate(false);
    assert_int_equal(world_close(&world), 1); /* and the entry stands */
    assert_int_equal(late.told, 0);
}

static void who_is_late_in_the_commit_leaves_it_to_the_writer(void **state)
{
    (void)state;
    leave_in_the_commit(false);
}

static void who_has_left_is_never_told(void **state)
{
    (void)state;
    leave_in_the_commit(true);
}

static void who_has_time_is_told_what_became_of_it(void **state)
{
    (void)state;
    struct world world;
    world_open(&world);
    set_gate(true);
    struct asker patient = {.writer = world.writer, .ms = LONG_MS, .opens_gate = true};
    ask(&patient);
    assert_int_equal(patient.status, BT_OK);
    assert_false(patient.is_unknown);
    assert_true(patient.has_receipt);
    assert_int_equal(world_close(&world), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_act_that_is_late_is_not_begun),
        cmocka_unit_test(who_is_late_takes_nobody_along),
        cmocka_unit_test(who_is_late_in_the_commit_leaves_it_to_the_writer),
        cmocka_unit_test(who_has_left_is_never_told),
        cmocka_unit_test(who_has_time_is_told_what_became_of_it),
    };
    return RUN_TESTS(tests);
}
