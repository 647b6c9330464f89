/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_writer.c - many threads, one writer: everything that was acknowledged is there once, an id
 * is accepted once, and nobody waits longer than they said.
 */
#include "test.h"

#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include <sqlite3.h>

#include "engine/submit.h"
#include "ledger/transaction.h"
#include "made.h"

enum { THREADS = 16, EACH = 40, RIVALS = 8, BATCH = 256 };

struct worker {
    struct bt_ledger_writer *writer;
    struct bt_arena arena;
    int number;
    bool same_ids; /* all workers use the same ids */
    size_t recorded;
    size_t refused;
    size_t failed;
    uint64_t seqs[EACH];
};

static struct timespec in_ms(long ms)
{
    struct timespec now;
    assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &now), 0);
    now.tv_sec += ms / 1000;
    now.tv_nsec += ms % 1000 * 1000000;
    now.tv_sec += now.tv_nsec / 1000000000;
    now.tv_nsec %= 1000000000;
    return now;
}

static void init_item(struct bt_submission *item, struct bt_arena *arena,
                      struct bt_judgement *judged, bt_str id)
{
    *judged = (struct bt_judgement){.path = BT_STR("x"),
                                    .dialect = BT_DIALECT_RAW,
                                    .source = BT_STR(""),
                                    .verdict = BT_VERDICT_RECORDED,
                                    .findings = bt_findings_new(arena),
                                    .extra_members = BT_STR("")};
    bt_submission_init(item, arena, judged, BT_STR("cli"), id, UINT64_MAX);
    item->entry.kind = BT_STR("raw");
    item->entry.handoff_id = id;
}

static void *work(void *context)
{
    struct worker *worker = context;
    for (int i = 0; i < EACH; i++) {
        char id[64];
        struct bt_error error;
        struct bt_judgement judged;
        struct bt_submission item;
        (void)snprintf(id, sizeof(id), "w%d-%d", worker->same_ids ? 0 : worker->number, i);
        init_item(&item, &worker->arena, &judged, bt_str_of(id));
        const struct timespec until = in_ms(20000);
        if (bt_ledger_writer_append(worker->writer, &item, &until, &error) != BT_OK) {
            worker->failed++;
            continue;
        }
        worker->seqs[i] = item.seq;
        worker->recorded += judged.verdict == BT_VERDICT_RECORDED;
        worker->refused += judged.verdict == BT_VERDICT_REJECTED &&
                           bt_findings_count(judged.findings) == 1 && item.record_json.len > 0;
    }
    return NULL;
}

static void run_workers(struct made *made, struct worker *workers, size_t count, bool same_ids)
{
    pthread_t threads[THREADS];
    struct bt_ledger_writer *writer = NULL;
    struct bt_ledger *ledger = made_ledger(made, true);
    assert_non_null(ledger);
    assert_int_equal(bt_ledger_writer_open(ledger, &made->env, &writer, &made->error), BT_OK);
    for (size_t i = 0; i < count; i++) {
        workers[i] = (struct worker){.writer = writer, .number = (int)i, .same_ids = same_ids};
        bt_arena_init(&workers[i].arena, 16 << 20);
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        bt_arena_free(&workers[i].arena);
    }
    bt_ledger_writer_close(writer);
    bt_ledger_close(ledger);
}

static void what_is_acknowledged_is_there_once(void **state)
{
    (void)state;
    static struct worker workers[THREADS];
    static bool used[THREADS * EACH];
    struct made made;
    made_open(&made);
    run_workers(&made, workers, THREADS, false);
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(workers[i].recorded, EACH);
        for (size_t j = 0; j < EACH; j++) {
            assert_true(workers[i].seqs[j] < THREADS * EACH);
            assert_false(used[workers[i].seqs[j]]);
            used[workers[i].seqs[j]] = true;
        }
    }
    assert_true(made_verifies(&made)); /* which compares the head file too */
    made_close(&made);
}

/* One decision that nobody waits for in a thread. */
struct given {
    struct bt_judgement judged;
    struct bt_submission item;
    char id[32];
    size_t count; /* how often it was told */
    sem_t *told;
};

static void count_told(void *context)
{
    struct given *given = context;
    given->count++;
    (void)sem_post(given->told);
}

static void one_thread_gives_many_and_is_told_of_each_once(void **state)
{
    (void)state;
    static struct given given[BATCH];
    static bool used[BATCH];
    struct made made;
    struct bt_ledger_writer *writer = NULL;
    sem_t told;
    made_open(&made);
    struct bt_ledger *ledger = made_ledger(&made, true);
    assert_non_null(ledger);
    assert_int_equal(sem_init(&told, 0, 0), 0);
    assert_int_equal(bt_ledger_writer_open(ledger, &made.env, &writer, &made.error), BT_OK);
    for (size_t i = 0; i < BATCH; i++) {
        (void)snprintf(given[i].id, sizeof(given[i].id), "given-%zu", i);
        init_item(&given[i].item, &made.arena, &given[i].judged, bt_str_of(given[i].id));
        given[i].told = &told;
    }
    /* They share the arena, which belongs to the writer from the first submission on. */
    for (size_t i = 0; i < BATCH; i++) {
        const struct bt_ledger_completion wait = {in_ms(60000), count_told, &given[i]};
        assert_int_equal(bt_ledger_writer_submit(writer, &given[i].item, &wait), BT_OK);
    }
    for (size_t i = 0; i < BATCH; i++) {
        assert_int_equal(sem_wait(&told), 0);
    }
    bt_ledger_writer_close(writer);
    for (size_t i = 0; i < BATCH; i++) {
        assert_int_equal(given[i].count, 1);
        assert_int_equal(bt_ledger_writer_finish(&given[i].item, &made.error), BT_OK);
        assert_int_equal(given[i].item.durability, BT_DURABILITY_DURABLE);
        assert_true(given[i].item.seq < BATCH && !used[given[i].item.seq]);
        used[given[i].item.seq] = true;
    }
    assert_int_equal(sem_destroy(&told), 0);
    bt_ledger_close(ledger);
    assert_true(made_verifies(&made));
    made_close(&made);
}

static void an_id_is_accepted_once_however_many_ask(void **state)
{
    (void)state;
    static struct worker workers[THREADS];
    struct made made;
    size_t recorded = 0;
    size_t refused = 0;
    made_open(&made);
    run_workers(&made, workers, RIVALS, true);
    for (size_t i = 0; i < RIVALS; i++) {
        recorded += workers[i].recorded;
        refused += workers[i].refused;
        assert_int_equal(workers[i].failed, 0);
    }
    assert_int_equal(recorded, EACH);
    assert_int_equal(refused, EACH * (RIVALS - 1));
    assert_true(made_verifies(&made));
    made_close(&made);
}

/* Submissions of which each submits the next one while it is recorded. */
struct chain {
    struct bt_ledger_writer *writer;
    struct bt_judgement judged[3];
    struct bt_submission items[3];
    size_t recorded;
    sem_t told;
};

static void post_told(void *context)
{
    struct chain *chain = context;
    (void)sem_post(&chain->told);
}

static void submit_next(struct chain *chain, size_t number)
{
    const struct bt_ledger_completion wait = {in_ms(60000), post_told, chain};
    assert_int_equal(bt_ledger_writer_submit(chain->writer, &chain->items[number], &wait), BT_OK);
}

static enum bt_status record_and_submit(struct bt_submission *item,
                                        struct bt_ledger_transaction *recording,
                                        struct bt_error *error)
{
    struct chain *chain = item->decision;
    BT_TRY(bt_ledger_transaction_add_submission(recording, item, error));
    if (++chain->recorded < COUNT_OF(chain->items)) {
        submit_next(chain, chain->recorded);
    }
    return BT_OK;
}

static void what_comes_up_before_the_commit_shares_it(void **state)
{
    (void)state;
    struct made made;
    struct chain chain = {.recorded = 0};
    struct bt_ledger_checkpoint checkpoint;
    made_open(&made);
    struct bt_ledger *ledger = made_ledger(&made, true);
    assert_non_null(ledger);
    assert_int_equal(sem_init(&chain.told, 0, 0), 0);
    assert_int_equal(bt_ledger_writer_open(ledger, &made.env, &chain.writer, &made.error), BT_OK);
    for (size_t i = 0; i < COUNT_OF(chain.items); i++) {
        static const char *const ids[] = {"first", "second", "third"};
        init_item(&chain.items[i], &made.arena, &chain.judged[i], bt_str_of(ids[i]));
        chain.items[i].record = record_and_submit;
        chain.items[i].decision = &chain;
    }
    submit_next(&chain, 0);
    for (size_t i = 0; i < COUNT_OF(chain.items); i++) {
        assert_int_equal(sem_wait(&chain.told), 0);
    }
    bt_ledger_writer_close(chain.writer);
    for (size_t i = 0; i < COUNT_OF(chain.items); i++) {
        assert_int_equal(bt_ledger_writer_finish(&chain.items[i], &made.error), BT_OK);
        assert_int_equal(chain.items[i].seq, i);
        assert_int_equal(
            bt_ledger_get_checkpoint(ledger, &made.arena, i + 1, &checkpoint, &made.error),
            i == 2 ? BT_OK : BT_ENOENT);
    }
    assert_int_equal(sem_destroy(&chain.told), 0);
    bt_ledger_close(ledger);
    assert_true(made_verifies(&made));
    made_close(&made);
}

/* Record so many in one transaction, and hold each receipt against what the store proves. */
static void check_receipts(struct made *made, struct bt_ledger *ledger, size_t count)
{
    static struct bt_judgement judged[BATCH];
    static struct bt_submission all[BATCH];
    static struct bt_submission *items[BATCH];
    static char ids[BATCH][32];
    static unsigned made_ids;
    struct bt_findings *alarms = bt_findings_new(&made->arena);
    struct bt_ledger_batch batch = {.items = items, .count = count};
    struct bt_buf proved;
    assert_non_null(alarms);
    for (size_t i = 0; i < count; i++) {
        (void)snprintf(ids[i], sizeof(ids[i]), "r-%u", made_ids++);
        items[i] = &all[i];
        init_item(items[i], &made->arena, &judged[i], bt_str_of(ids[i]));
        items[i]->wants_receipt = i % 7 != 6;
    }
    assert_int_equal(
        bt_ledger_append(ledger, &made->env, &made->arena, &batch, alarms, &made->error), BT_OK);
    bt_buf_init(&proved, 1 << 20);
    for (size_t i = 0; i < count; i++) {
        bt_buf_clear(&proved);
        assert_int_equal(bt_ledger_prove_inclusion(ledger, items[i]->seq, BT_LEDGER_SEQ_NONE,
                                                   BT_RECEIPT_FORMAT_JSON, &proved, &made->error),
                         BT_OK);
        const bt_str text = bt_str_slice(bt_buf_str(&proved), 0, proved.len - 1);
        assert_true(items[i]->wants_receipt ? bt_str_eq(items[i]->receipt, text)
                                            : items[i]->receipt.len == 0);
    }
    bt_buf_free(&proved);
    bt_arena_reset(&made->arena);
}

static void a_fresh_receipt_is_the_one_that_the_store_proves(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 1, 2, 3, 1, 8, 13, 64, 31, 4, 128, 1, 100, 255, 256, 7};
    struct made made;
    made_open(&made);
    struct bt_ledger *ledger = made_ledger(&made, true);
    assert_non_null(ledger);
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        check_receipts(&made, ledger, counts[i]);
    }
    bt_ledger_close(ledger);
    made_close(&made);
}

/* What was recorded and cannot be told is not said to be nowhere. */
static void who_has_no_memory_for_the_answer_learns_no_wrong_one(void **state)
{
    (void)state;
    struct made made;
    struct bt_arena tiny;
    struct bt_judgement judged;
    struct bt_ledger_writer *writer = NULL;
    const struct timespec until = in_ms(20000);
    made_open(&made);
    struct bt_ledger *ledger = made_ledger(&made, true);
    assert_non_null(ledger);
    assert_int_equal(bt_ledger_writer_open(ledger, &made.env, &writer, &made.error), BT_OK);
    struct bt_submission item;
    init_item(&item, &made.arena, &judged, BT_STR("told"));
    item.wants_receipt = true;
    assert_int_equal(bt_ledger_writer_append(writer, &item, &until, &made.error), BT_OK);
    assert_int_equal(item.durability, BT_DURABILITY_DURABLE);
    struct bt_buf proof;
    struct bt_ledger *reader = made_ledger(&made, false);
    bt_buf_init(&proof, 1 << 20);
    assert_int_equal(
        bt_ledger_prove_inclusion(reader, item.seq, 1, BT_RECEIPT_FORMAT_JSON, &proof, &made.error),
        BT_OK);
    assert_true(bt_str_starts_with(bt_buf_str(&proof), item.receipt) && item.receipt.len > 0);
    bt_buf_free(&proof);
    bt_ledger_close(reader);

    /* From no memory at all to enough of it: nothing is recorded, or it is not known, or it is. */
    bool seen[3] = {false};
    enum bt_status status = BT_ENOMEM;
    for (size_t bytes = 16; status != BT_OK && bytes < 1 << 20; bytes += 64) {
        char id[32];
        (void)snprintf(id, sizeof(id), "untold-%zu", bytes);
        init_item(&item, &made.arena, &judged, bt_str_of(id));
        item.wants_receipt = true;
        bt_arena_init(&tiny, bytes);
        item.arena = &tiny;
        status = bt_ledger_writer_append(writer, &item, &until, &made.error);
        assert_true(status != BT_OK || item.durability == BT_DURABILITY_DURABLE);
        seen[item.durability] = true;
        bt_arena_free(&tiny);
    }
    assert_true(seen[BT_DURABILITY_NONE]);
    assert_true(seen[BT_DURABILITY_UNKNOWN]);
    assert_true(seen[BT_DURABILITY_DURABLE]);
    bt_ledger_writer_close(writer);
    bt_ledger_close(ledger);
    assert_true(made_verifies(&made));
    made_close(&made);
}

static void nobody_waits_beyond_the_deadline(void **state)
{
    (void)state;
    struct made made;
    struct bt_judgement judged;
    struct bt_submission item;
    struct bt_ledger_writer *writer = NULL;
    made_open(&made);
    struct bt_ledger *ledger = made_ledger(&made, true);
    assert_non_null(ledger);
    assert_int_equal(bt_ledger_writer_open(ledger, &made.env, &writer, &made.error), BT_OK);
    init_item(&item, &made.arena, &judged, BT_STR("late"));
    const struct timespec past = {0, 0};
    sqlite3 *other = NULL; /* holds the lock, so that the writer cannot be quicker than the clock */
    assert_int_equal(sqlite3_open(made.store, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(bt_ledger_writer_append(writer, &item, &past, &made.error), BT_EIO);
    assert_int_equal(sqlite3_close(other), SQLITE_OK);
    assert_int_equal(item.durability, BT_DURABILITY_NONE);
    assert_true(judged.extra_members.len == 0);
    bt_ledger_writer_close(writer);
    bt_ledger_close(ledger);
    assert_true(made_verifies(&made));
    made_close(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_acknowledged_is_there_once),
        cmocka_unit_test(one_thread_gives_many_and_is_told_of_each_once),
        cmocka_unit_test(an_id_is_accepted_once_however_many_ask),
        cmocka_unit_test(what_comes_up_before_the_commit_shares_it),
        cmocka_unit_test(a_fresh_receipt_is_the_one_that_the_store_proves),
        cmocka_unit_test(who_has_no_memory_for_the_answer_learns_no_wrong_one),
        cmocka_unit_test(nobody_waits_beyond_the_deadline),
    };
    return RUN_TESTS(tests);
}
