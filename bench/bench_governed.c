/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_governed.c - governed handoffs submitted by many threads, beside bare appends through the
 * ledger's writer in the same run. Both commit in groups: whatever waits when the disk is free.
 *
 *     bench_governed FOLDER EXAMPLES
 *
 * A submission is everything: the catalogue read and both prompts hashed anew, all checks, replay,
 * the row of the handoff and the ledger. Nothing is cached from one to the next.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decide/governed_state.h"
#include "engine/submit.h"
#include "measure.h"

enum {
    WRITERS = 32,

    SECONDS = 3,
    ROUNDS = 3,
    ARENA_BYTES = 64 << 20,
    DOCUMENT_BYTES = 1 << 16
};

struct bench {
    struct bt_env env;
    struct bt_arena arena;
    struct bt_ledger *ledger;
    struct bt_ledger_writer *writer;
    const char *examples;
    bt_str handoff; /* a document that is accepted, but for its id */
    size_t id_at;   /* where its id begins */
    uint32_t next;  /* number of the next thread */
    double end;
};

/* ---- Threads --------------------------------------------------------------------------------- */

struct worker {
    struct bench *bench;
    struct bt_env env;
    struct bt_arena arena;
    struct bt_governed_checker *governed;
    struct bt_governed_options options;
    struct bt_dir *root;
    uint32_t number;
    uint64_t count;
};

static void open_worker(struct worker *worker, struct bench *bench)
{
    char path[512];
    struct bt_error error;
    *worker = (struct worker){.bench = bench, .env = bench->env};
    worker->number = __atomic_fetch_add(&bench->next, 1, __ATOMIC_RELAXED);
    bt_arena_init(&worker->arena, ARENA_BYTES);
    (void)snprintf(path, sizeof(path), "%s/catalogue", bench->examples);
    worker->options = bt_governed_options_default();
    if (bt_dir_open(bt_str_of(path), &worker->root, &error) != BT_OK ||
        bt_governed_checker_create(&worker->env, &worker->governed) != BT_OK) {
        fail("catalogue", error.text);
    }
    worker->options.dir = worker->root;
}

static void close_worker(struct worker *worker)
{
    bt_governed_checker_destroy(worker->governed);
    bt_dir_close(worker->root);
    bt_arena_free(&worker->arena);
}

static void init_item(struct bt_submission *item, struct bt_arena *arena,
                      struct bt_judgement *judged, enum bt_dialect_id dialect, bt_str bytes)
{
    *judged = (struct bt_judgement){.path = BT_STR("x"),
                                    .dialect = dialect,
                                    .source = BT_STR(""),
                                    .verdict = BT_VERDICT_RECORDED,
                                    .findings = bt_findings_new(arena),
                                    .extra_members = BT_STR("")};
    bt_submission_init(item, arena, judged, BT_STR("cli"), bytes, UINT64_MAX);
}

static void append(struct worker *worker, struct bt_submission *item)
{
    struct bt_error error;
    const struct timespec until = seconds_from_now(20);
    const struct bt_deliver deliver = {.writer = worker->bench->writer,
                                       .until = &until,
                                       .env = &worker->env,
                                       .arena = &worker->arena};
    if (bt_submit(&deliver, &item, 1, &error) != BT_OK) {
        fail("append", error.text);
    }
}

/* The document with an id of its own. */
static bt_str document_of(const struct worker *worker, char out[DOCUMENT_BYTES])
{
    const struct bench *bench = worker->bench;
    char tail[40];
    memcpy(out, bench->handoff.ptr, bench->handoff.len);
    (void)snprintf(tail, sizeof(tail), "%08" PRIx32 "-0000-4000-8000-%012" PRIx64, worker->number,
                   worker->count);
    memcpy(out + bench->id_at, tail, 36);
    return (bt_str){out, bench->handoff.len};
}

static void submit(struct worker *worker)
{
    static _Thread_local char text[DOCUMENT_BYTES];
    const struct bt_governed_input document = {.kind = BT_GOVERNED_SUBMISSION_HANDOFF,
                                               .path = BT_STR("h.json"),
                                               .text = document_of(worker, text),
                                               .options = &worker->options};
    struct bt_governed_submission *item = NULL;
    struct bt_judgement judged;
    struct bt_submission submission;
    if (bt_governed_submission_open(worker->governed, &worker->arena, &document, &item) != BT_OK) {
        fail("open", bt_governed_last_error(worker->governed));
    }
    init_item(&submission, &worker->arena, &judged, BT_DIALECT_GOVERNED, document.text);
    bt_governed_submission_name(item, &submission);
    submission.decision = item;
    append(worker, &submission);
    if (judged.verdict != BT_VERDICT_ACCEPTED) {
        fail("submit", "a handoff was refused");
    }
}

static void append_bare(struct worker *worker)
{
    static _Thread_local char text[DOCUMENT_BYTES];
    struct bt_judgement judged;
    struct bt_submission item;
    init_item(&item, &worker->arena, &judged, BT_DIALECT_RAW, document_of(worker, text));
    item.entry.kind = BT_STR("raw");
    append(worker, &item);
}

typedef void step_fn(struct worker *worker);

struct task {
    struct bench *bench;
    step_fn *step;
};

static void *work(void *context)
{
    const struct task *task = context;
    struct worker worker;
    open_worker(&worker, task->bench);
    while (now_s() < task->bench->end) {
        bt_arena_reset(&worker.arena);
        task->step(&worker);
        worker.count++;
    }
    const uintptr_t count = worker.count;
    close_worker(&worker);
    return (void *)count;
}

static double run(struct bench *bench, step_fn *step)
{
    pthread_t threads[WRITERS];
    struct task task = {bench, step};
    uintptr_t total = 0;
    const double begin = now_s();
    bench->end = begin + SECONDS;
    for (size_t i = 0; i < WRITERS; i++) {
        if (pthread_create(&threads[i], NULL, work, &task) != 0) {
            fail("thread", "cannot start");
        }
    }
    for (size_t i = 0; i < WRITERS; i++) {
        void *count = NULL;
        (void)pthread_join(threads[i], &count);
        total += (uintptr_t)count;
    }
    return (double)total / (now_s() - begin);
}

/* ---- Setting up ------------------------------------------------------------------------------ */

static void read_handoff(struct bench *bench)
{
    char path[512];
    struct bt_error error;
    (void)snprintf(path, sizeof(path), "%s/accepted.json", bench->examples);
    if (bt_file_read(&bench->arena, bt_str_of(path), DOCUMENT_BYTES - 1, &bench->handoff, &error) !=
        BT_OK) {
        fail(path, error.text);
    }
    const char *member = strstr(bench->handoff.ptr, "\"handoff_id\": \"");
    if (!member) {
        fail(path, "no id");
        return;
    }
    bench->id_at = (size_t)(member - bench->handoff.ptr) + sizeof("\"handoff_id\": \"") - 1;
}

static void open_bench(struct bench *bench, const char *folder)
{
    char store[512];
    bt_instant now;
    (void)snprintf(store, sizeof(store), "%s/s.db", folder);
    const struct bt_ledger_options options = {.store = store, .deadline_ms = 20000};
    if (bt_env_init(&bench->env) != BT_OK ||
        bt_instant_parse(BT_STR("2026-03-04T10:01:00Z"), &now) != BT_OK) {
        fail("env", "cannot start");
    }
    bt_env_pin_clock(&bench->env, &now);
    bt_arena_init(&bench->arena, ARENA_BYTES);
    read_handoff(bench);
    bench->ledger = make_ledger(&bench->env, &bench->arena, &options, NULL);
    bench->writer = make_writer(bench->ledger, &bench->env);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fail("usage", "bench_governed FOLDER EXAMPLES");
    }
    struct bench bench = {.examples = argv[2]};
    open_bench(&bench, argv[1]);
    sleep(3); /* files that were just written are read twice */
    for (int i = 0; i < ROUNDS; i++) {
        const double bare = run(&bench, append_bare);
        const double governed = run(&bench, submit);
        (void)printf("bare appends %8.0f/s   governed submissions %8.0f/s   ratio %.2f\n", bare,
                     governed, governed / bare);
    }
    bt_ledger_writer_close(bench.writer);
    bt_ledger_close(bench.ledger);
    bt_arena_free(&bench.arena);
    return 0;
}
