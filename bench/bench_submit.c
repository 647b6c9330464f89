/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_submit.c - FOLDER DOCUMENT THREADS SECONDS: submissions a second without a server. The same
 * handoff is recorded and put into the inbox of its target again and again, each time with another
 * trace id, by threads that share a writer. It was judged once, beforehand.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <baton/check.h>

#include "base/file.h"
#include "dialect/universal/universal.h"
#include "engine/submit.h"
#include "measure.h"

enum { THREADS_MAX = 256, DIGITS = 8, DOCUMENT_BYTES_MAX = 1 << 20 };

/* Where the trace id begins that differs from time to time. */
static const char trace_id[] = "6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4";

struct bench {
    struct bt_env env;
    struct bt_arena arena;
    struct bt_ledger *ledger;
    struct bt_ledger_writer *writer;
    bt_str text;
    double end;
};

struct worker {
    struct bench *bench;
    unsigned number;
    unsigned long count;
    pthread_t thread;
};

static void open_ledger(struct bench *bench, const char *folder)
{
    char store[512];
    (void)snprintf(store, sizeof(store), "%s/ledger.db", folder);
    const struct bt_ledger_options options = {.store = store, .root = folder};
    bench->ledger = make_ledger(&bench->env, &bench->arena, &options, NULL);
    bench->writer = make_writer(bench->ledger, &bench->env);
}

static void submit(struct worker *worker, const struct bt_judgement *judged, bt_str text,
                   struct bt_arena *arena)
{
    struct bench *bench = worker->bench;
    const struct timespec until = seconds_from_now(10);
    struct bt_error error = {.text = "no memory"};
    struct bt_judgement mine = *judged;
    struct bt_submission submission;
    struct bt_submission *item = &submission;
    bt_submission_init(item, arena, &mine, BT_STR("serve/local"), text, UINT64_MAX);
    bt_submission_set_names(item);
    item->delivery.has_inbox = true;
    const struct bt_deliver deliver = {.ledger = bench->ledger,
                                       .writer = bench->writer,
                                       .until = &until,
                                       .env = &bench->env,
                                       .arena = arena,
                                       .actor = BT_STR("serve/local"),
                                       .alarms = bt_findings_new(arena)};
    if (!deliver.alarms || bt_submit(&deliver, &item, 1, &error) != BT_OK ||
        !item->delivery.is_queued) {
        fail("submit", error.text);
    }
}

static void *work(void *context)
{
    struct worker *worker = context;
    struct bench *bench = worker->bench;
    struct bt_arena kept;
    struct bt_arena arena;
    struct bt_judgement judged;
    struct bt_env env = bench->env;
    struct bt_checker *checker = bt_checker_create(&env);
    struct bt_universal_options options = bt_universal_options_default();
    const struct bt_check_options check = {
        .dialect = bt_dialect_find(BT_STR("universal")), .checker = checker, .universal = &options};
    bt_str text;
    bt_arena_init(&kept, SIZE_MAX);
    bt_arena_init(&arena, SIZE_MAX);
    if (!checker || bt_arena_copy(&kept, bench->text, &text) != BT_OK ||
        bt_check_document(&env, &kept, BT_STR("document"), text, &check, &judged) != BT_OK ||
        judged.verdict != BT_VERDICT_ACCEPTED) {
        fail("check", "the document is not accepted");
    }
    const char *found = strstr(text.ptr, trace_id);
    char *digits = found ? &((char *)(uintptr_t)text.ptr)[found - text.ptr] : NULL;
    if (!digits) {
        fail("check", "the document has another trace id");
    }
    while (now_s() < bench->end) {
        char fresh[DIGITS + 1];
        (void)snprintf(fresh, sizeof(fresh), "%08lx",
                       (worker->count * THREADS_MAX + worker->number) & 0xffffffffUL);
        memcpy(digits, fresh, DIGITS);
        bt_arena_reset(&arena);
        submit(worker, &judged, text, &arena);
        worker->count++;
    }
    bt_checker_destroy(checker);
    bt_arena_free(&arena);
    bt_arena_free(&kept);
    return NULL;
}

int main(int argc, char **argv)
{
    static struct bench bench;
    static struct worker workers[THREADS_MAX];
    uint64_t threads = 0;
    uint64_t seconds = 0;
    unsigned long count = 0;
    struct bt_error error;
    if (argc != 5 || bt_str_to_u64(bt_str_of(argv[3]), &threads) != BT_OK ||
        bt_str_to_u64(bt_str_of(argv[4]), &seconds) != BT_OK || threads > THREADS_MAX) {
        (void)fprintf(stderr, "usage: bench_submit FOLDER DOCUMENT THREADS SECONDS\n");
        return 2;
    }
    bt_arena_init(&bench.arena, SIZE_MAX);
    if (bt_env_init(&bench.env) != BT_OK ||
        bt_file_read(&bench.arena, bt_str_of(argv[2]), DOCUMENT_BYTES_MAX, &bench.text, &error) !=
            BT_OK) {
        fail("read", error.text);
    }
    open_ledger(&bench, argv[1]);
    const double begin = now_s();
    bench.end = begin + (double)seconds;
    for (unsigned i = 0; i < threads; i++) {
        workers[i] = (struct worker){.bench = &bench, .number = i};
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) {
            fail("thread", "the system gives no more");
        }
    }
    for (unsigned i = 0; i < threads; i++) {
        (void)pthread_join(workers[i].thread, NULL);
        count += workers[i].count;
    }
    (void)printf("%.0f\n", (double)count / (now_s() - begin));
    bt_ledger_writer_close(bench.writer);
    bt_ledger_close(bench.ledger);
    return 0;
}
