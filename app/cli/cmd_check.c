/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_check.c - baton check PATH...
 *
 * Judges documents and prints the findings. Nothing is recorded or delivered, and nothing is
 * changed without --fix.
 *
 * Paths become jobs, in the order of the operands; OS threads judge them (check_run.c); the results
 * are reported in the order of the jobs.
 */
#define _DEFAULT_SOURCE /* realpath() */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "check/failure.h"
#include "check_run.h"
#include "cli.h"
#include "input.h"
#include "json/emit.h"
#include "operation/rule_codes.h"
#include "output.h"

enum {
    MEMBERS_BYTES_MAX = 16 << 20, /* also of the notes */
    TAKE_MS = 100,                /* until the progress line is updated */
    TAKE_EVERY = 256,             /* jobs that are added before results are taken */
    TIME_BYTES = sizeof("00:00:00"),
};

static void fail_run(struct cli_check_run *run, const char *verb, const struct bt_failure *failure)
{
    cli_progress_hide(&run->progress);
    cli_fail(run->options, verb, failure);
    run->folder.failures++;
}

/* ---- Results --------------------------------------------------------------------------------- */

/* A folder in which nothing was judged is not a pass. */
static void end_folder(struct cli_check_run *run, const struct cli_check_job *job)
{
    const struct cli_check_folder *folder = job->result.folder;
    const struct check_walk_counts *dropped = &folder->dropped;
    const bool is_empty = run->folder.documents == 0 && run->folder.failures == 0;
    if (is_empty && !folder->has_repeated && !cli_given(run->options, &flag_allow_empty)) {
        char message[160];
        (void)snprintf(message, sizeof(message),
                       "it holds no document; files looked at: %zu, ignored: %zu",
                       dropped->unrecognised + run->folder.others,
                       dropped->excluded + dropped->gitignored + dropped->hidden);
        const struct bt_failure failure = {job->path, BT_FAILURE_NO_DOCUMENTS, bt_str_of(message)};
        fail_run(run, "judge", &failure);
        cli_print_hint("name the document itself, say with --as what the files are, or give "
                       "--allow-empty");
    }
    memset(&run->folder, 0, sizeof(run->folder));
}

static void report_judged(struct cli_check_run *run, const struct cli_check_job *job)
{
    const bool is_found = job->kind == CLI_CHECK_FOUND;
    if (bt_report_keep(run->report, job->result.judged.document) != BT_OK ||
        config_select_note(&run->settings->select, job->real, job->result.judged.selected) !=
            BT_OK) {
        const struct bt_failure failure = {job->path, BT_FAILURE_MEMORY,
                                           bt_str_of(bt_status_text(BT_ENOMEM))};
        fail_run(run, "judge", &failure);
        return;
    }
    run->folder.documents += is_found;
    if (is_found) {
        check_walk_count_judged(run->walk);
    }
}

static void report_unrecognised(struct cli_check_run *run, const struct cli_check_job *job)
{
    const struct bt_failure failure = {job->path, BT_FAILURE_UNRECOGNISED,
                                       BT_STR("its dialect is not recognised; name it with --as")};
    const bool is_found = job->kind == CLI_CHECK_FOUND;
    if (!is_found && !cli_given(run->options, &flag_skip_unknown)) {
        fail_run(run, "judge", &failure);
        return;
    }
    check_walk_skip(run->walk, job->path, CHECK_LEFT_OUT_UNRECOGNISED);
    run->folder.others += is_found;
}

static void report_job(struct cli_check_run *run, const struct cli_check_job *job)
{
    const struct bt_failure failure = {job->path, job->result.failure.reason,
                                       job->result.failure.message};
    switch (job->outcome) {
    case CLI_CHECK_NONE:
        end_folder(run, job);
        break;
    case CLI_CHECK_JUDGED:
        report_judged(run, job);
        break;
    case CLI_CHECK_FAILED:
        fail_run(run, job->result.failure.verb, &failure);
        break;
    case CLI_CHECK_UNRECOGNISED:
        report_unrecognised(run, job);
        break;
    case CLI_CHECK_NO_BLOCK:
    case CLI_CHECK_NO_ENVELOPE:
        run->folder.others++;
        check_walk_skip(run->walk, job->path,
                        job->outcome == CLI_CHECK_NO_BLOCK ? CHECK_LEFT_OUT_NO_BLOCK
                                                           : CHECK_LEFT_OUT_NO_ENVELOPE);
        break;
    }
}

/* Report the jobs that are done; with `waits`, all of them. */
static void take_results(struct cli_check_run *run, bool waits)
{
    while (run->taken < check_queue_count(run->queue)) {
        const uint64_t until = waits ? bt_clock_monotonic_ms() + TAKE_MS : 0;
        const struct cli_check_job *job = check_queue_take(run->queue, until);
        if (job) {
            run->taken++;
            report_job(run, job);
        }
        cli_progress_report(&run->progress, run->taken, check_queue_count(run->queue));
        run->has_ended =
            run->has_ended || (!job && run->watch && check_watch_has_ended(run->watch));
        if ((!job && !waits) || run->has_ended) {
            return;
        }
    }
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

/* Add a job, which is copied. */
static void add_job(struct cli_check_run *run, const struct cli_check_job *wanted)
{
    struct cli_check_job *job = BT_NEW(&run->arena, struct cli_check_job);
    bool is_added = job != NULL;
    if (job) {
        *job = *wanted;
        is_added = bt_arena_copy(&run->arena, wanted->path, &job->path) == BT_OK &&
                   bt_arena_copy(&run->arena, wanted->real, &job->real) == BT_OK &&
                   check_queue_add(run->queue, job) == BT_OK;
    }
    if (!is_added) {
        const struct bt_failure failure = {wanted->path, BT_FAILURE_MEMORY,
                                           bt_str_of(bt_status_text(BT_ENOMEM))};
        fail_run(run, "judge", &failure);
    }
    if (check_queue_count(run->queue) % TAKE_EVERY == 0) {
        take_results(run, false);
    }
}

static void add_failure(struct cli_check_run *run, const char *verb,
                        const struct bt_failure *failure)
{
    struct cli_check_job job = {.kind = CLI_CHECK_FAILURE,
                                .path = failure->path,
                                .real = BT_STR(""),
                                .content = BT_STR("")};
    cli_check_fail_job(&job, &run->arena, verb, failure->reason, failure->message);
    add_job(run, &job);
}

static void add_text(struct cli_check_run *run, bt_str path, bt_str content)
{
    const struct cli_check_job job = {.kind = CLI_CHECK_TEXT,
                                      .dialect = run->options->dialect,
                                      .path = path,
                                      .real = BT_STR(""),
                                      .content = content};
    add_job(run, &job);
}

static void add_stdin(struct cli_check_run *run)
{
    const char *name = cli_given(run->options, &flag_stdin_filename);
    struct cli_input input;
    struct bt_error error;
    const enum bt_status status =
        cli_input_try(&run->arena, "-", run->options->limits.document_bytes, &input, &error);
    const bt_str path = name ? bt_str_of(name) : input.path;
    if (status == BT_OK) {
        add_text(run, path, input.content);
        return;
    }
    const struct bt_failure failure = {
        path, status == BT_ENOMEM ? BT_FAILURE_MEMORY : BT_FAILURE_IO, bt_str_of(error.text)};
    add_failure(run, "read", &failure);
}

static void add_file(struct cli_check_run *run, const char *path)
{
    const struct cli_check_job job = {.kind = CLI_CHECK_NAMED,
                                      .dialect = run->options->dialect,
                                      .path = bt_str_of(path),
                                      .real = BT_STR(""),
                                      .content = BT_STR("")};
    add_job(run, &job);
}

static void add_found(struct cli_check_run *run, const struct check_walk_item *item)
{
    if (item->kind == CHECK_WALK_FAILURE) {
        const struct bt_failure failure = {item->path, item->reason, bt_str_of(item->message)};
        add_failure(run, "look through", &failure);
        return;
    }
    const struct cli_check_job job = {.kind = CLI_CHECK_FOUND,
                                      .dialect = item->dialect,
                                      .is_regular = item->is_regular,
                                      .path = item->path,
                                      .real = item->real,
                                      .content = BT_STR("")};
    add_job(run, &job);
}

static void add_folder(struct cli_check_run *run, const char *path)
{
    struct check_walk_item item;
    struct cli_check_folder *folder = BT_NEW(&run->arena, struct cli_check_folder);
    struct cli_check_job end = {.kind = CLI_CHECK_FOLDER_END,
                                .path = bt_str_of(path),
                                .real = BT_STR(""),
                                .content = BT_STR("")};
    check_walk_begin(run->walk, path);
    while (!run->has_ended && check_walk_next(run->walk, &item)) {
        add_found(run, &item);
    }
    if (!folder) {
        const struct bt_failure failure = {end.path, BT_FAILURE_MEMORY,
                                           bt_str_of(bt_status_text(BT_ENOMEM))};
        add_failure(run, "look through", &failure);
        return;
    }
    folder->dropped = check_walk_dropped(run->walk);
    folder->has_repeated = check_walk_has_repeated(run->walk);
    end.result.folder = folder;
    add_job(run, &end);
}

static void add_path(struct cli_check_run *run, const char *path)
{
    struct stat info;
    if (check_walk_leaves_out(run->walk, path)) {
        return;
    }
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        add_folder(run, path);
    } else {
        add_file(run, path);
    }
}

/* Judge every path, and the text of --text. */
static void check_all(struct cli_check_run *run, const struct check_path_list *paths)
{
    const char *text = cli_given(run->options, &flag_text);
    bool stdin_read = false;
    if (text) {
        add_text(run, BT_STR("<text>"), bt_str_of(text));
    }
    for (size_t i = 0; i < paths->count && !run->has_ended; i++) {
        const struct check_path_list_item *path = &paths->items[i];
        const struct bt_failure again = {BT_STR("<stdin>"), BT_FAILURE_IO,
                                         BT_STR("standard input was read already")};
        if (!path->is_stdin) {
            add_path(run, path->path);
        } else if (stdin_read) {
            add_failure(run, "judge", &again);
        } else {
            stdin_read = true;
            add_stdin(run);
        }
    }
    take_results(run, true);
    if (paths->count == 0 && !text && !cli_given(run->options, &flag_allow_empty)) {
        const struct bt_failure failure = {bt_str_of(cli_given(run->options, &flag_files_from)),
                                           BT_FAILURE_NO_DOCUMENTS,
                                           BT_STR("the list names no path")};
        fail_run(run, "judge", &failure);
    }
}

/* ---- The report ------------------------------------------------------------------------------ */

/* True when a person reads the report and did not ask for silence. */
static bool prints_notes(const struct cli_options *options)
{
    return cli_prints_text(options) && !cli_is_quiet(options);
}

/* Tell a person what is to be said about the settings that chose findings. */
static void print_selected(const struct cli_check_run *run, const struct config_select_end *end)
{
    const struct config_select *select = &run->settings->select;
    for (size_t i = 0; i < end->about_count; i++) {
        for (size_t j = 0; j < bt_findings_count(end->about[i].findings); j++) {
            const struct bt_finding *finding = bt_findings_at(end->about[i].findings, j);
            if (finding->code != BT_CODE_CONFIG_NOT_FROM_PROJECT) { /* which was printed before */
                cli_print_error("note: %.*s: %.*s %.*s", BT_STR_ARG(end->about[i].path),
                                BT_STR_ARG(finding->rule->code), BT_STR_ARG(finding->message));
            }
        }
    }
    if (select->select.mode == BT_SELECT_BASELINE_WRITE && select->select.baseline) {
        const struct bt_select_baseline_totals *totals = &select->totals;
        cli_print_error("note: %.*s has %" PRIu64 " entries: %" PRIu64 " added, %" PRIu64
                        " removed; findings of protected rules, which it cannot hold: %" PRIu64,
                        BT_STR_ARG(select->baseline_path), totals->entries, totals->added,
                        totals->removed, totals->refused);
    }
}

/* End what chooses findings, and put its members. A failure is in the report afterwards. */
static enum bt_status put_selected(struct cli_check_run *run, struct bt_emit *emit)
{
    struct config_select *select = &run->settings->select;
    struct config_select_end end;
    struct bt_error error = {0};
    if (!select->usage) { /* it was not opened */
        return BT_OK;
    }
    const enum bt_status status = config_select_finish(select, emit, &end, &error);
    if (status == BT_ENOMEM) {
        return status;
    }
    if (status != BT_OK) {
        const struct bt_failure failure = {select->baseline_path, BT_FAILURE_CONFIG,
                                           bt_str_of(error.text)};
        fail_run(run, "write the baseline", &failure);
    } else if (prints_notes(run->options)) {
        print_selected(run, &end);
    }
    return BT_OK;
}

/* Put the further top-level members of the report, without braces around them. */
static void put_members(struct cli_check_run *run, struct bt_buf *buf)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    if (run->walk) {
        check_walk_put_members(run->walk, &emit);
    }
    const enum bt_status status = put_selected(run, &emit);
    if (status != BT_OK) {
        buf->status = status;
        return;
    }
    bt_emit_end(&emit);
    if (buf->status == BT_OK) {
        memmove(buf->ptr, buf->ptr + 1, buf->len - 2);
        buf->len -= 2;
    }
}

/* The time as HH:MM:SS where the user is. */
static bt_str format_time(const struct bt_env *env, char out[TIME_BYTES])
{
    const time_t seconds = (time_t)bt_env_now(env).seconds;
    struct tm parts;
    const size_t len =
        localtime_r(&seconds, &parts) ? strftime(out, TIME_BYTES, "%H:%M:%S", &parts) : 0;
    return (bt_str){out, len};
}

/* Put the configuration files and what the walks left out, for --verbose. */
static enum bt_status put_notes(struct cli_check_run *run, struct bt_buf *buf)
{
    const struct config_load_loaded *files = run->options->files;
    for (size_t i = 0; files && i < files->count; i++) {
        bt_str path;
        BT_TRY(config_shown_path(&run->arena, files->files[i].path, &path));
        bt_buf_put_text(buf, "configuration: ");
        bt_buf_put_printable(buf, path, SIZE_MAX);
        bt_buf_printf(buf, " (%.*s)\n", BT_STR_ARG(config_kind_name(files->files[i].kind)));
    }
    if (files && files->count == 0) {
        bt_buf_put_text(buf, "configuration: none\n");
    }
    if (run->walk) {
        check_walk_put_dropped(run->walk, buf);
    }
    return buf->status;
}

/* Print the time that each stage of the run took, for --verbose. Standard output has no times, so
 * that it is the same for every run. */
static void print_times(const struct cli_check_run *run, uint64_t judged_us, uint64_t end_us)
{
    uint64_t read_us = 0;
    uint64_t judge_us = 0;
    for (size_t i = 0; run->workers && i < run->worker_count; i++) {
        read_us += run->workers[i].read_us;
        judge_us += run->workers[i].judge_us;
    }
    const struct {
        const char *stage;
        uint64_t us;
    } rows[] = {{"settings", run->opened_us - run->begun_us},
                {"find, read and check", judged_us - run->opened_us},
                {"  read (all threads)", read_us},
                {"  check (all threads)", judge_us},
                {"report", end_us - judged_us}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        (void)fprintf(stderr, "time: %-22s %" PRIu64 ".%03" PRIu64 " ms\n", rows[i].stage,
                      rows[i].us / 1000, rows[i].us % 1000);
    }
}

/* Print the report or, with --diff, the changes. */
static bool write_report(struct cli_check_run *run)
{
    struct cli_fix_run *fixing = &run->settings->fixing;
    char clock[TIME_BYTES];
    const bt_str time = run->watch ? format_time(&run->env, clock) : BT_STR("");
    struct bt_buf members;
    bt_buf_init(&members, MEMBERS_BYTES_MAX);
    put_members(run, &members);
    const bool is_written =
        members.status != BT_OK ? cli_refuse_status(members.status)
        : cli_fix_run_has_one_document(run->options, fixing)
            ? cli_fixing_print(fixing)
            : cli_report_write_timed(run->options, run->report, bt_buf_str(&members), time);
    bt_buf_free(&members);
    return is_written;
}

/* Print the report; with --verbose, what was left out and how long everything took as well. */
static bool print_report(struct cli_check_run *run)
{
    const uint64_t judged_us = bt_clock_monotonic_us();
    struct bt_buf notes;
    if (!cli_given(run->options, &flag_verbose)) {
        return write_report(run);
    }
    bt_buf_init(&notes, MEMBERS_BYTES_MAX);
    enum bt_status status = put_notes(run, &notes);
    bt_report_set_notes(run->report, bt_buf_str(&notes));
    const bool is_written = status == BT_OK ? write_report(run) : cli_refuse_status(status);
    bt_report_set_notes(run->report, BT_STR(""));
    bt_buf_free(&notes);
    if (prints_notes(run->options)) {
        print_times(run, judged_us, bt_clock_monotonic_us());
    }
    return is_written;
}

/* Tell a person of the files that only their names call documents. */
static void print_skipped(const struct cli_check_run *run)
{
    const struct cli_options *options = run->options;
    const size_t count = run->walk ? check_walk_skipped_count(run->walk) : 0;
    if (count > 0 && prints_notes(options)) {
        cli_print_error("%zu file%s passed over; --as judges %s", count,
                        count == 1 ? " was" : "s were", count == 1 ? "it" : "them");
    }
}

/* Report what was judged and what was not, and return the exit code. */
static int finish_run(struct cli_check_run *run)
{
    cli_progress_end(&run->progress);
    if (run->has_ended) {
        return CLI_FAILED;
    }
    print_skipped(run);
    const bool was_printed = print_report(run);
    const struct bt_report_totals summary = bt_report_get_totals(run->report);
    if (!was_printed || summary.failures > 0) {
        return CLI_FAILED;
    }
    const bool is_good = summary.accepted == summary.documents;
    return is_good || cli_given(run->options, &flag_exit_zero) ? CLI_DONE : CLI_REJECTED;
}

/* ---- Settings -------------------------------------------------------------------------------- */

static bool open_root(struct cli_check_run *run)
{
    const char *path = run->options->root;
    struct cli_check_settings *settings = run->settings;
    struct bt_error error;
    const enum bt_status status =
        path ? bt_dir_open(bt_str_of(path), &settings->root, &error) : BT_OK;
    if (status != BT_OK) {
        const struct bt_failure failure = {bt_str_of(path), cli_reason_of_path(path, status),
                                           bt_str_of(error.text)};
        cli_fail(run->options, "use the root", &failure);
    }
    settings->plan.dir = settings->root;
    return status == BT_OK;
}

static bool open_walk(struct cli_check_run *run)
{
    if (!cli_check_walk_options(run->options, &run->settings->select, &run->arena,
                                &run->walk_options)) {
        return false;
    }
    run->walk = check_walk_create(&run->walk_options, run->env.hash_seed);
    if (!run->walk) {
        (void)cli_fail_status(BT_ENOMEM);
        cli_note_failure(run->options, BT_STR(""), BT_FAILURE_MEMORY, bt_status_text(BT_ENOMEM));
    }
    return run->walk != NULL;
}

/*
 * Open what the flags name. False after an error message; without a failure in the report it is a
 * usage error.
 */
bool cli_check_is_next_hop(struct cli_check_worker *worker, struct cli_check_job *job,
                           enum bt_dialect_id dialect)
{
    const bool is_next =
        dialect != BT_DIALECT_UNIVERSAL ||
        cli_universal_is_same_trace(&worker->universal, &worker->env, &worker->arena, job->content);
    if (!is_next) {
        cli_check_fail_job(job, &worker->arena, "judge", BT_FAILURE_UNRECOGNISED,
                           BT_STR(CLI_OTHER_TRACE));
    }
    return is_next;
}

static bool open_inputs(struct cli_check_run *run)
{
    const struct cli_options *options = run->options;
    struct cli_check_settings *settings = run->settings;
    return cli_check_select_open(options, &run->arena, &settings->select) && open_root(run) &&
           cli_skills_open(options, &run->arena, &settings->universal.catalogue) &&
           cli_universal_previous(options, &run->env, &run->arena, &settings->universal) &&
           cli_contract_options(options, &run->env, &run->arena, &settings->contract) &&
           cli_message_options_init(options, &run->env, &settings->xml) &&
           cli_governed_options(options, &run->arena, &settings->governed) && open_walk(run) &&
           cli_check_start(run);
}

static int run_prepared(struct cli_check_run *run, const struct check_path_list *paths)
{
    const bool is_open = open_inputs(run);
    run->opened_us = bt_clock_monotonic_us();
    if (is_open) {
        check_all(run, paths);
    } else if (bt_report_failure_count(run->report) == 0) {
        return CLI_FAILED;
    }
    return finish_run(run);
}

/* Read the flags that choose how to judge. False after an error message. */
static bool take_settings(const struct cli_options *options, struct cli_check_settings *out,
                          size_t *out_threads)
{
    if (!cli_universal_options(options, &out->universal) ||
        !cli_plan_options(options, &out->plan) || !cli_fixing_begin(options, &out->fixing) ||
        !cli_check_take_jobs(options, out_threads)) {
        return false;
    }
    /* Fixing makes identifiers and prints, and a trace log is written in the order of documents. */
    if (out->fixing.wanted || cli_given(options, &flag_trace_log)) {
        *out_threads = 1;
    }
    return true;
}

static void free_settings(struct cli_check_settings *settings)
{
    cli_message_options_free(&settings->xml);
    cli_fixing_end(&settings->fixing);
    bt_dir_close(settings->root);
    cli_governed_close(&settings->governed);
    (void)pthread_mutex_destroy(&settings->governed_lock);
}

int cli_check_run_once(const struct cli_options *options, const struct check_path_list *paths,
                       struct check_watch *watch, bool *out_ended)
{
    struct cli_check_settings settings = {.root = NULL};
    struct cli_check_run run = {
        .options = options, .report = options->report, .settings = &settings, .watch = watch};
    run.begun_us = run.opened_us = bt_clock_monotonic_us();
    if (!take_settings(options, &settings, &run.worker_count) ||
        pthread_mutex_init(&settings.governed_lock, NULL) != 0) {
        return CLI_FAILED;
    }
    bt_arena_init(&run.arena, CLI_CHECK_BYTES_MAX);
    organism_file_begin(&settings.xml.file);
    cli_progress_begin(&run.progress, "checking", "files");
    if (!cli_check_shows_progress(options)) {
        run.progress.callback.report = NULL;
    }
    int code = CLI_FAILED;
    if (cli_env_init(options, &run.env)) {
        code = run_prepared(&run, paths);
    } else {
        cli_note_failure(options, BT_STR(""), BT_FAILURE_IO, "the program could not start");
        (void)finish_run(&run);
    }
    *out_ended = run.has_ended;
    cli_check_stop(&run);
    check_walk_destroy(run.walk);
    free_settings(&settings);
    bt_arena_free(&run.arena);
    return code;
}

int cmd_check(const struct cli_options *options)
{
    struct check_path_list paths;
    struct bt_arena arena;
    struct cli_options own = *options;
    int code = CLI_FAILED;
    bool has_ended = false;
    bt_arena_init(&arena, CLI_CHECK_BYTES_MAX);
    if (cli_check_take_strict(&own, &arena) && cli_check_take_paths(&own, &arena, &paths)) {
        code = cli_given(options, &flag_watch) ? cli_check_watch_paths(&own, &paths)
                                               : cli_check_run_once(&own, &paths, NULL, &has_ended);
    }
    bt_arena_free(&arena);
    return code;
}
