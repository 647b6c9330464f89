/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_ledger.c - durable appends, proofs and verification, each beside what it is made of: the
 * bare SQLite doing group commit of rows of the same size, and SHA-256 over the same bytes: those
 * of all entries, in one call on one processor. A verification hashes more than that, since each
 * entry has a prefix, padding of its own and a node above it.
 *
 *     bench_ledger FOLDER [ENTRIES]   all of it, on SQLite
 *     bench_ledger FOLDER URL         durable appends to the store at URL alone, a second
 */
#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>
#include <openssl/evp.h>

#include "engine/submit.h"
#include "ledger/admin.h"
#include "ledger/ledger.h"
#include "ledger/proof_api.h"
#include "measure.h"

/* ROW_BYTES is what a row of ledger_entry holds, on the average of this run: text, leaf, digest,
 * batch and the copies of words. */
enum { WRITERS = 32, SECONDS = 3, ROUNDS = 5, ROW_BYTES = 337, BATCH = 10000, PATH_BYTES = 600 };

/* How long something took by the clock, and how much of all processors: the second says more where
 * others work on the machine too. */
struct taken {
    double clock_s;
    double processor_s;
};

static struct taken now_taken(void)
{
    return (struct taken){now_s(), processor_s()};
}

/* Keep the better of what was and what began then and ends now. */
static void keep_best(struct taken *best, struct taken begin)
{
    const double clock = now_s() - begin.clock_s;
    const double processor = processor_s() - begin.processor_s;
    best->clock_s = clock < best->clock_s ? clock : best->clock_s;
    best->processor_s = processor < best->processor_s ? processor : best->processor_s;
}

/* ---- The ledger ------------------------------------------------------------------------------ */

/* What is recorded: the smallest entry there is, or a handoff with its ids. */
enum sort { RAW = 0, HANDOFF };

struct bench {
    char store[512];
    struct bt_env env;
    struct bt_arena arena;
    struct bt_ledger *ledger;
    bt_str vkey;
    struct bt_verifier_keys *keys;
    struct bt_ledger_writer *writer;
    enum sort sort; /* of what append_until() appends */
    double end;
};

static void open_ledger(struct bench *bench, const char *folder, const char *store)
{
    if (bt_env_init(&bench->env) != BT_OK) {
        fail("env", "no randomness");
    }
    bt_arena_init(&bench->arena, SIZE_MAX);
    const struct bt_ledger_options options = {.store = store, .root = folder};
    bench->ledger = make_ledger(&bench->env, &bench->arena, &options, &bench->vkey);
}

static void init_item(struct bt_submission *item, struct bt_arena *arena,
                      struct bt_judgement *judged, struct bt_findings *none)
{
    *judged = (struct bt_judgement){.path = BT_STR("x"),
                                    .dialect = BT_DIALECT_RAW,
                                    .source = BT_STR(""),
                                    .verdict = BT_VERDICT_RECORDED,
                                    .findings = none,
                                    .extra_members = BT_STR("")};
    bt_submission_init(item, arena, judged, BT_STR("cli"), BT_STR("hello\n"), UINT64_MAX);
    item->entry.kind = BT_STR("raw");
}

/* Handoffs have ids, traces, sources and actors, as a server records them. */
static void make_item(struct bt_arena *arena, enum sort sort, uint64_t number,
                      struct bt_judgement *judged, struct bt_submission *item)
{
    if (sort == RAW) {
        return;
    }
    bool fine = bt_arena_printf(arena, &item->entry.handoff_id,
                                "018f2b6c-7d1e-7a3c-9b42-%012" PRIx64, number) == BT_OK;
    fine &= bt_arena_printf(arena, &item->entry.trace_id, "0af7651916cd43dd8448%012" PRIx64,
                            number / 8) == BT_OK;
    if (!fine) {
        fail("fill", "no memory");
    }
    judged->dialect = BT_DIALECT_UNIVERSAL;
    judged->verdict = BT_VERDICT_ACCEPTED;
    item->entry.kind = BT_STR("handoff");
    item->entry.actor = BT_STR("serve/ci");
    item->entry.source = BT_STR("planner");
    item->entry.target = BT_STR("builder");
}

static void *append_until(void *context)
{
    static atomic_uint_fast64_t numbers;
    struct bench *bench = context;
    struct bt_arena arena;
    uintptr_t count = 0;
    bt_arena_init(&arena, 64 << 20);
    while (now_s() < bench->end) {
        struct bt_error error;
        const struct timespec until = seconds_from_now(10);
        struct bt_judgement judged;
        struct bt_submission item;
        bt_arena_reset(&arena);
        struct bt_findings *none = bt_findings_new(&arena);
        init_item(&item, &arena, &judged, none);
        make_item(&arena, bench->sort, atomic_fetch_add(&numbers, 1), &judged, &item);
        if (!none || bt_ledger_writer_append(bench->writer, &item, &until, &error) != BT_OK) {
            fail("append", error.text);
        }
        count++;
    }
    bt_arena_free(&arena);
    return (void *)count;
}

/* What a run of all writers came to. */
struct run {
    double rate;         /* entries a second */
    double processor_us; /* of all threads, for one entry */
};

static struct run run_threads(void *(*function)(void *), void *context)
{
    pthread_t threads[WRITERS];
    uintptr_t total = 0;
    const struct taken begin = now_taken();
    for (size_t i = 0; i < WRITERS; i++) {
        if (pthread_create(&threads[i], NULL, function, context) != 0) {
            fail("thread", "cannot start");
        }
    }
    for (size_t i = 0; i < WRITERS; i++) {
        void *count = NULL;
        (void)pthread_join(threads[i], &count);
        total += (uintptr_t)count;
    }
    return (struct run){(double)total / (now_s() - begin.clock_s),
                        (processor_s() - begin.processor_s) / (double)total * 1e6};
}

/* Where a SQLite store lies. */
static const char *file_in(const char *folder, const char *name, char path[512])
{
    (void)snprintf(path, 512, "%s/%s.db", folder, name);
    return path;
}

static struct run bench_appends(const char *folder, const char *store)
{
    struct bench bench = {.end = 0};
    struct bt_error error;
    open_ledger(&bench, folder, store);
    if (bt_ledger_writer_open(bench.ledger, &bench.env, &bench.writer, &error) != BT_OK) {
        fail("writer", error.text);
    }
    bench.end = now_s() + SECONDS;
    const struct run run = run_threads(append_until, &bench);
    bt_ledger_writer_close(bench.writer);
    bt_ledger_close(bench.ledger);
    bt_arena_free(&bench.arena);
    return run;
}

/* ---- The bare back end ----------------------------------------------------------------------- */

/* Group commit as plain as it gets: whoever comes first writes for all that wait. */
struct bare {
    sqlite3 *db;
    sqlite3_stmt *insert;
    pthread_mutex_t lock;
    pthread_cond_t done;
    uint64_t asked;
    uint64_t written;
    bool is_writing;
    double end;
};

static void write_batch(struct bare *bare, uint64_t from, uint64_t to)
{
    static const char row[ROW_BYTES];
    int code = sqlite3_exec(bare->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    for (uint64_t i = from; i < to && code == SQLITE_OK; i++) {
        (void)sqlite3_bind_blob(bare->insert, 1, row, sizeof(row), SQLITE_STATIC);
        code = sqlite3_step(bare->insert) == SQLITE_DONE ? SQLITE_OK : SQLITE_ERROR;
        (void)sqlite3_reset(bare->insert);
    }
    if (code != SQLITE_OK || sqlite3_exec(bare->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK) {
        fail("bare", sqlite3_errmsg(bare->db));
    }
}

static void *insert_until(void *context)
{
    struct bare *bare = context;
    uintptr_t count = 0;
    (void)pthread_mutex_lock(&bare->lock);
    while (now_s() < bare->end) {
        const uint64_t mine = ++bare->asked;
        while (bare->written < mine) {
            if (bare->is_writing) {
                (void)pthread_cond_wait(&bare->done, &bare->lock);
                continue;
            }
            bare->is_writing = true;
            const uint64_t to = bare->asked;
            (void)pthread_mutex_unlock(&bare->lock);
            write_batch(bare, bare->written, to);
            (void)pthread_mutex_lock(&bare->lock);
            bare->written = to;
            bare->is_writing = false;
            (void)pthread_cond_broadcast(&bare->done);
        }
        count++;
    }
    (void)pthread_mutex_unlock(&bare->lock);
    return (void *)count;
}

static struct run bench_bare(const char *folder, int round)
{
    struct bare bare = {.asked = 0};
    char path[512];
    (void)snprintf(path, sizeof(path), "%s/bare%d.db", folder, round);
    if (sqlite3_open(path, &bare.db) != SQLITE_OK ||
        sqlite3_exec(bare.db,
                     "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                     "CREATE TABLE row (n INTEGER PRIMARY KEY, bytes BLOB)",
                     NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(bare.db, "INSERT INTO row (bytes) VALUES (?1)", -1, &bare.insert,
                           NULL) != SQLITE_OK) {
        fail("bare", sqlite3_errmsg(bare.db));
    }
    (void)pthread_mutex_init(&bare.lock, NULL);
    (void)pthread_cond_init(&bare.done, NULL);
    bare.end = now_s() + SECONDS;
    const struct run run = run_threads(insert_until, &bare);
    (void)sqlite3_finalize(bare.insert);
    (void)sqlite3_close(bare.db);
    return run;
}

/* ---- A large log ----------------------------------------------------------------------------- */

static const char *const sort_names[] = {"raw", "handoff"};

static void fill(struct bench *bench, enum sort sort, uint64_t entries)
{
    for (uint64_t done = 0; done < entries; done += BATCH) {
        struct bt_arena arena;
        struct bt_error error = {.text = ""};
        const size_t count = entries - done < BATCH ? (size_t)(entries - done) : BATCH;
        bt_arena_init(&arena, SIZE_MAX);
        struct bt_findings *none = bt_findings_new(&arena);
        struct bt_findings *alarms = bt_findings_new(&arena);
        struct bt_judgement *judged = BT_NEW_ARRAY(&arena, struct bt_judgement, count);
        struct bt_submission *all = BT_NEW_ARRAY(&arena, struct bt_submission, count);
        struct bt_submission **items = BT_NEW_ARRAY(&arena, struct bt_submission *, count);
        for (size_t i = 0; i < count; i++) {
            items[i] = &all[i];
            init_item(items[i], &arena, &judged[i], none);
            make_item(&arena, sort, done + i, &judged[i], items[i]);
        }
        struct bt_ledger_batch batch = {.items = items, .count = count};
        if (bt_ledger_append(bench->ledger, &bench->env, &arena, &batch, alarms, &error) != BT_OK) {
            fail("fill", error.text);
        }
        bt_arena_free(&arena);
    }
}

/* One call of libcrypto's SHA-256 over as many bytes as the entries have. */
static void time_hash(size_t size, struct taken *best)
{
    unsigned char *bytes = malloc(size);
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int length = 0;
    if (!bytes) {
        fail("hash", "no memory");
    }
    memset(bytes, 1, size);
    const struct taken begin = now_taken();
    if (EVP_Digest(bytes, size, digest, &length, EVP_sha256(), NULL) != 1) {
        fail("hash", "libcrypto");
    }
    keep_best(best, begin);
    free(bytes);
}

/* A verification, of the store or of its export. */
static void time_verify(struct bench *bench, const char *tree, size_t threads, struct taken *best)
{
    struct bt_error error = {.text = ""};
    struct bt_judgement judged;
    const struct bt_ledger_verify_options options = {
        .keys = bench->keys, .no_head = true, .threads = threads};
    const struct taken begin = now_taken();
    const enum bt_status status =
        tree ? bt_ledger_verify_files(bt_str_of(tree), &bench->arena, &options, &judged, &error)
             : bt_ledger_verify(bench->ledger, &bench->arena, &options, &judged, &error);
    if (status != BT_OK || judged.verdict != BT_VERDICT_ACCEPTED) {
        fail("verify", error.text);
    }
    keep_best(best, begin);
}

static void export_tree(struct bench *bench, char tree[PATH_BYTES])
{
    struct bt_error error = {.text = ""};
    struct bt_ledger_export_result out;
    struct bt_findings *alarms = bt_findings_new(&bench->arena);
    (void)snprintf(tree, PATH_BYTES, "%s.tree", bench->store);
    const struct bt_ledger_export_options wanted = {.folder = tree};
    bench->keys = bt_verifier_keys_new(&bench->arena, BT_VERIFIER_KEY_LOG);
    if (!alarms || !bench->keys ||
        bt_verifier_keys_add(bench->keys, bench->vkey, &error) != BT_OK ||
        bt_ledger_export_options(bench->ledger, &bench->arena, &wanted, alarms, &out, &error) !=
            BT_OK) {
        fail("export", error.text);
    }
}

/* All sides by turns, the best of three: a busy moment does not count against one of them. */
static void compare_verify(struct bench *bench, size_t bytes)
{
    enum { TURNS = 3, WAYS = 4 };
    static const struct taken never = {1e9, 1e9};
    char tree[PATH_BYTES];
    struct taken hash = never;
    struct taken verify[WAYS] = {never, never, never, never};
    const size_t cores = (size_t)sysconf(_SC_NPROCESSORS_ONLN);
    const size_t threads[] = {
        1, cores < BT_LEDGER_VERIFY_THREADS_MAX ? cores : (size_t)BT_LEDGER_VERIFY_THREADS_MAX};
    export_tree(bench, tree);
    for (int turn = 0; turn < TURNS; turn++) {
        time_hash(bytes, &hash);
        for (size_t i = 0; i < WAYS; i++) {
            time_verify(bench, i < WAYS / 2 ? NULL : tree, threads[i % 2], &verify[i]);
        }
    }
    const double megabytes = (double)bytes / 1e6;
    (void)printf("SHA-256, one call over %4.0f MB %8.1f MB/s\n", megabytes,
                 megabytes / hash.clock_s);
    for (size_t i = 0; i < WAYS; i++) {
        (void)printf("verify, %s, threads %zu %9.1f MB/s   ratio %.2f, by processor time %.2f\n",
                     i < WAYS / 2 ? "store " : "export", threads[i % 2],
                     megabytes / verify[i].clock_s, hash.clock_s / verify[i].clock_s,
                     hash.processor_s / verify[i].processor_s);
    }
}

/* The bytes of all entries. */
static size_t entry_bytes(const struct bench *bench)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    if (sqlite3_open(bench->store, &db) != SQLITE_OK ||
        sqlite3_prepare_v2(db, "SELECT SUM(LENGTH(entry)) FROM ledger_entry", -1, &statement,
                           NULL) != SQLITE_OK ||
        sqlite3_step(statement) != SQLITE_ROW) {
        fail("sum", sqlite3_errmsg(db));
    }
    const size_t bytes = (size_t)sqlite3_column_int64(statement, 0);
    (void)sqlite3_finalize(statement);
    (void)sqlite3_close(db);
    return bytes;
}

static void bench_proofs(struct bench *bench, uint64_t entries)
{
    enum { PROOFS = 1000 };
    struct bt_error error = {.text = ""};
    struct bt_buf buf;
    bt_buf_init(&buf, 1 << 20);
    const double begin = now_s();
    for (uint64_t i = 0; i < PROOFS; i++) {
        bt_buf_clear(&buf);
        if (bt_ledger_prove_inclusion(bench->ledger, i * 7919 % entries, BT_LEDGER_SEQ_NONE,
                                      BT_RECEIPT_FORMAT_TEXT, &buf, &error) != BT_OK) {
            fail("prove", error.text);
        }
    }
    (void)printf("receipt                     %9.3f ms\n", (now_s() - begin) / PROOFS * 1e3);
    bt_buf_free(&buf);
}

static void bench_large(const char *folder, enum sort sort, uint64_t entries)
{
    struct bench bench = {.end = 0};
    open_ledger(&bench, folder, file_in(folder, sort_names[sort], bench.store));
    const double begin = now_s();
    fill(&bench, sort, entries);
    const double taken = now_s() - begin;
    const size_t bytes = entry_bytes(&bench);
    (void)printf("\n%" PRIu64 " entries (%s, %zu bytes each)\n", entries, sort_names[sort],
                 bytes / (size_t)entries);
    (void)printf("fill, batches of %d      %9.0f entries/s\n", BATCH, (double)entries / taken);
    bench_proofs(&bench, entries);
    compare_verify(&bench, bytes);
    bt_ledger_close(bench.ledger);
    bt_arena_free(&bench.arena);
}

static int compare_runs(const void *a, const void *b)
{
    const double left = ((const struct run *)a)->rate;
    const double right = ((const struct run *)b)->rate;
    return (left > right) - (left < right);
}

/* Sort the runs, print the middle one and the bounds. */
static struct run print_runs(const char *name, struct run runs[ROUNDS]);

static struct run bench_version(const char *folder, unsigned entries, int round)
{
    struct bench bench = {.sort = HANDOFF};
    struct bt_error error;
    struct bt_ledger_migrate_result done;
    const struct bt_ledger_migrate_options how = {.entries = entries};
    char name[32];
    char path[512];
    (void)snprintf(name, sizeof(name), "version%u-%d", entries, round);
    open_ledger(&bench, folder, file_in(folder, name, path));
    if (bt_ledger_migrate(bench.ledger, &bench.arena, &how, &done, &error) != BT_OK ||
        bt_ledger_writer_open(bench.ledger, &bench.env, &bench.writer, &error) != BT_OK) {
        fail("writer", error.text);
    }
    bench.end = now_s() + SECONDS;
    const struct run run = run_threads(append_until, &bench);
    bt_ledger_writer_close(bench.writer);
    bt_ledger_close(bench.ledger);
    bt_arena_free(&bench.arena);
    return run;
}

/* Entries of both versions, by turns. */
static void bench_versions(const char *folder)
{
    struct run runs[2][ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        runs[0][i] = bench_version(folder, 1, i);
        runs[1][i] = bench_version(folder, 2, i);
    }
    const struct run first = print_runs("handoffs, entries version 1", runs[0]);
    const struct run second = print_runs("handoffs, entries version 2", runs[1]);
    (void)printf("ratio                       %8.2f     by processor time %.2f\n",
                 second.rate / first.rate, first.processor_us / second.processor_us);
}

static struct run print_runs(const char *name, struct run runs[ROUNDS])
{
    qsort(runs, ROUNDS, sizeof(runs[0]), compare_runs);
    const struct run middle = runs[ROUNDS / 2];
    (void)printf("%s %8.0f /s   (%.0f to %.0f), %.1f us of processor each\n", name, middle.rate,
                 runs[0].rate, runs[ROUNDS - 1].rate, middle.processor_us);
    return middle;
}

/* Both take turns, and the medians count, so that a busy moment does not count against one. */
static void bench_both(const char *folder)
{
    struct run ledger[ROUNDS];
    struct run bare[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        char name[32];
        char path[512];
        (void)snprintf(name, sizeof(name), "ledger%d", i);
        ledger[i] = bench_appends(folder, file_in(folder, name, path));
        bare[i] = bench_bare(folder, i);
    }
    (void)printf("%d writers, group commit\n", WRITERS);
    const struct run ours = print_runs("durable appends            ", ledger);
    const struct run theirs = print_runs("bare SQLite, rows as large ", bare);
    (void)printf("ratio                       %8.2f     by processor time %.2f\n",
                 ours.rate / theirs.rate, theirs.processor_us / ours.processor_us);
}

int main(int argc, char **argv)
{
    uint64_t entries = 1000000;
    const bool has_url = argc > 2 && strchr(argv[2], ':');
    if (argc < 2 ||
        (argc > 2 && !has_url && bt_str_to_u64(bt_str_of(argv[2]), &entries) != BT_OK)) {
        (void)fprintf(stderr, "usage: bench_ledger FOLDER [ENTRIES|URL]\n");
        return 2;
    }
    if (has_url) {
        (void)printf("%.0f\n", bench_appends(argv[1], argv[2]).rate);
        return 0;
    }
    bench_both(argv[1]);
    bench_versions(argv[1]);
    bench_large(argv[1], RAW, entries);
    bench_large(argv[1], HANDOFF, entries);
    return 0;
}
