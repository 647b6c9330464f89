/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spans.c - the range of a replay on several OS threads.
 *
 * The range is divided into spans of a fixed size, whose results are taken in their order, so the
 * output does not depend on the number of threads.
 */
#include <inttypes.h>

#include "check/queue.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "engine/check.h"
#include "replay/replay.h"

enum { WORK_BYTES_MAX = 512 << 20, RESULTS_BYTES_MAX = 2000000000 };

/* ---- Workers --------------------------------------------------------------------------------- */

static enum bt_status open_worker(struct replay_worker *worker, struct bt_error *error)
{
    worker->checker = worker->checker ? worker->checker : bt_checker_create(&worker->env);
    if (!worker->checker) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    return worker->ledger ? BT_OK
                          : bt_ledger_open(&worker->run->where, false, &worker->ledger, error);
}

static enum bt_status judge_span(struct replay_worker *worker, struct replay_span *span)
{
    const struct bt_recorded_options options = {
        .first = span->first, .end = span->end, .dialects = worker->run->settings.dialects};
    worker->span = span;
    BT_TRY(open_worker(worker, &span->error));
    return bt_ledger_read_handoffs(worker->ledger, &worker->memory, &options, replay_judge, worker,
                                   &span->error);
}

static void work_on_span(void *context, size_t number, void *item)
{
    struct replay_run *run = context;
    struct replay_span *span = item;
    span->status = judge_span(&run->workers[number], span);
}

static bool make_workers(struct replay_run *run)
{
    struct bt_arena *arena = &run->cli->arena;
    run->workers = BT_NEW_ARRAY(arena, struct replay_worker, run->worker_count);
    for (size_t i = 0; run->workers && i < run->worker_count; i++) {
        struct replay_worker *worker = &run->workers[i];
        *worker =
            (struct replay_worker){.run = run, .env = run->cli->env, .plan = run->settings.plan};
        bt_recorded_memory_init(&worker->memory, WORK_BYTES_MAX);
        bt_arena_init(&worker->results, RESULTS_BYTES_MAX);
        worker->ledger = i == 0 ? run->cli->ledger : NULL;
    }
    return run->workers || cli_refuse_status(BT_ENOMEM);
}

void replay_spans_free(struct replay_run *run)
{
    for (size_t i = 0; run->workers && i < run->worker_count; i++) {
        struct replay_worker *worker = &run->workers[i];
        bt_checker_destroy(worker->checker);
        bt_ledger_close(i == 0 ? NULL : worker->ledger);
        bt_recorded_memory_free(&worker->memory);
        bt_arena_free(&worker->results);
    }
}

/* ---- The range ------------------------------------------------------------------------------- */

static bool make_spans(struct replay_run *run)
{
    const uint64_t entries = run->end - run->first;
    const uint64_t width = run->settings.program.path ? 1 : REPLAY_SPAN; /* a process costs more */
    run->span_count = (size_t)(entries / width + (entries % width > 0));
    run->spans = BT_NEW_ARRAY(&run->cli->arena, struct replay_span, run->span_count + 1);
    for (size_t i = 0; run->spans && i < run->span_count; i++) {
        const uint64_t first = run->first + i * width;
        run->spans[i].first = first;
        run->spans[i].end = run->end - first > width ? first + width : run->end;
    }
    return run->spans || cli_refuse_status(BT_ENOMEM);
}

static void add_counts(struct replay_counts *to, const struct replay_counts *from)
{
    to->candidates += from->candidates;
    to->judged += from->judged;
    to->same += from->same;
    to->changed += from->changed;
    for (size_t i = 0; i < REPLAY_REASON__MAX; i++) {
        to->unjudged[i] += from->unjudged[i];
    }
}

/* A status without a text of its own is about memory or this machine. */
static bool refuse_span(const struct replay_span *span)
{
    const bool is_damaged = span->status == BT_ECORRUPT;
    (void)cli_refuse("cannot replay: %s",
                     span->error.text[0] ? span->error.text : bt_status_text(span->status));
    if (is_damaged) {
        cli_print_hint("baton ledger verify says what is wrong with the ledger");
    }
    return false;
}

static bool take_spans(struct replay_run *run, struct check_queue *queue,
                       struct cli_progress *progress)
{
    for (size_t i = 0; i < run->span_count; i++) {
        if (check_queue_add(queue, &run->spans[i]) != BT_OK) {
            return cli_refuse_status(BT_ENOMEM);
        }
    }
    const struct replay_span *span = NULL;
    while ((span = check_queue_take(queue, UINT64_MAX))) {
        if (span->status != BT_OK) {
            cli_progress_hide(progress);
            return refuse_span(span);
        }
        add_counts(&run->counts, &span->counts);
        cli_progress_report(progress, span->end - run->first, run->end - run->first);
    }
    return true;
}

bool replay_spans_judge(struct replay_run *run)
{
    struct cli_progress progress;
    if (!make_workers(run) || !make_spans(run)) {
        return false;
    }
    struct check_queue *queue = check_queue_create(run->worker_count, work_on_span, run);
    if (!queue) {
        return cli_refuse_status(BT_ENOMEM);
    }
    cli_progress_begin(&progress, "replaying", "entries");
    const bool is_done = take_spans(run, queue, &progress);
    check_queue_destroy(queue);
    cli_progress_end(&progress);
    return is_done;
}
