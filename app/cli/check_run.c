/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_run.c - the flags of `baton check`, and the judging of its documents on OS threads.
 *
 * Judging prints nothing, except with --fix: results and errors are left in the job, and the thread
 * that runs the command reports them in the order of the jobs.
 */
#define _DEFAULT_SOURCE /* realpath() */

#include "check_run.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "check/keep.h"
#include "input.h"
#include "operation/rule_codes.h"
#include "output.h"
#include "suggest.h"

enum { OWN_FILES_MAX = 32 };

/* ---- Flags ----------------------------------------------------------------------------------- */

/* Check that --watch can repeat everything. */
static bool is_watchable(const struct cli_options *options, bool has_stdin)
{
    static const struct cli_flag *const others[] = {&flag_fix, &flag_diff, &flag_text};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (cli_given(options, others[i])) {
            return cli_refuse_usage(options, "--watch and --%s exclude each other",
                                    others[i]->name);
        }
    }
    const char *baseline = cli_given(options, &flag_check_baseline);
    if (baseline && strcmp(baseline, "write") == 0) {
        return cli_refuse_usage(options, "--watch and --baseline write exclude each other");
    }
    if (has_stdin) {
        return cli_refuse_usage(options, "--watch cannot read standard input again: name files or "
                                         "folders");
    }
    for (size_t i = 0; i < options->output_count; i++) {
        const struct cli_output *output = &options->outputs[i];
        if (!output->path && output->format > BT_REPORT_FORMAT_CONCISE &&
            output->format != BT_REPORT_FORMAT_JSONL) {
            return cli_refuse_usage(options, "--watch prints full, concise or jsonl: give other "
                                             "formats a file with -o");
        }
    }
    return true;
}

/* Check that there is something to judge, and that everything to be fixed can be changed. */
static bool is_usable(const struct cli_options *options)
{
    const char *text = cli_given(options, &flag_text);
    const char *list = cli_given(options, &flag_files_from);
    bool has_stdin = false;
    for (size_t i = 0; i < options->operand_count; i++) {
        has_stdin = has_stdin || cli_is_stdin(options->operands[i]);
    }
    if (options->operand_count == 0 && !text && !list) {
        return cli_refuse_usage(options, "nothing to check: give a PATH, or - for standard input");
    }
    if (text && cli_given(options, &flag_fix)) {
        return cli_refuse_usage(options, "--fix cannot change the text of --text");
    }
    if (cli_given(options, &flag_null) && !list) {
        return cli_refuse_usage(options, "--null says how --files-from ends paths: give both");
    }
    if (has_stdin && list && cli_is_stdin(list)) {
        return cli_refuse_usage(options, "--files-from - and the operand - both read standard "
                                         "input");
    }
    if (cli_given(options, &flag_stdin_filename) && !has_stdin) {
        return cli_refuse_usage(options, "--stdin-filename names standard input: give the operand "
                                         "- as well");
    }
    return !cli_given(options, &flag_watch) || is_watchable(options, has_stdin);
}

static bool take_list(const struct cli_options *options, struct bt_arena *arena, const char *file,
                      struct check_path_list *out)
{
    struct cli_input input;
    if (!cli_input_read_all(arena, file, CHECK_PATH_LIST_BYTES_MAX, &input)) {
        return false;
    }
    const enum bt_status status = check_path_list_add_lines(arena, out, input.content,
                                                            cli_given(options, &flag_null) != NULL);
    if (status == BT_EINVAL) {
        return cli_refuse_usage(options,
                                "--files-from %s: a line has a NUL byte in it; --null is "
                                "for paths that end in one",
                                file);
    }
    return status == BT_OK ||
           cli_refuse_usage(options, "--files-from %s: %s", file,
                            status == BT_ELIMIT ? "too many paths" : bt_status_text(status));
}

bool cli_check_take_paths(const struct cli_options *options, struct bt_arena *arena,
                          struct check_path_list *out)
{
    *out = (struct check_path_list){NULL, 0, 0};
    if (!is_usable(options)) {
        return false;
    }
    for (size_t i = 0; i < options->operand_count; i++) {
        if (check_path_list_add(arena, out, options->operands[i]) != BT_OK) {
            return cli_refuse_status(BT_ENOMEM);
        }
    }
    const char *file = NULL;
    bool reads_stdin = false;
    for (size_t i = 0; (file = cli_given_at(options, &flag_files_from, i)); i++) {
        if (cli_is_stdin(file) && reads_stdin) {
            return cli_refuse_usage(options, "--files-from - can be given once");
        }
        reads_stdin = reads_stdin || cli_is_stdin(file);
        if (!take_list(options, arena, file, out)) {
            return false;
        }
    }
    return true;
}

bool cli_check_take_jobs(const struct cli_options *options, size_t *out)
{
    const char *given = cli_given(options, &flag_jobs);
    uint64_t jobs = 0;
    *out = check_queue_cores();
    if (!given) {
        return true;
    }
    if (bt_str_to_u64(bt_str_of(given), &jobs) != BT_OK || jobs < 1 ||
        jobs > CHECK_QUEUE_THREADS_MAX) {
        return cli_refuse_usage(options, "--jobs wants a number from 1 to %d, not %s",
                                CHECK_QUEUE_THREADS_MAX, given);
    }
    *out = (size_t)jobs;
    return true;
}

/* ---- Choosing findings ----------------------------------------------------------------------- */

bool cli_check_take_strict(struct cli_options *options, struct bt_arena *arena)
{
    if (!cli_given(options, &flag_check_strict)) {
        return true;
    }
    const struct cli_flag *const others[] = {&flag_rule, &flag_check_baseline, &flag_baseline_file};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (cli_given(options, others[i])) {
            return cli_refuse_usage(options, "--strict and --%s exclude each other",
                                    others[i]->name);
        }
    }
    return cli_is_ok(bt_config_without_choices(options->config, arena, &options->config));
}

/* The codes whose severity a flag sets, by code: no file changes it. */
static bool find_flagged(const struct cli_options *options, struct bt_arena *arena,
                         const bool **out)
{
    static const struct {
        const struct cli_flag *flag;
        enum bt_code codes[3]; /* ended by none */
    } rows[] = {
        {&flag_strict_expiry, {BT_CODE_EXPIRED}},
        {&flag_semantics,
         {BT_CODE_SELF_LOOP, BT_CODE_REENTRY_WITHOUT_REASON, BT_CODE_CHAIN_NEEDS_APPROVAL}},
        {&flag_transitions, {BT_CODE_ILLEGAL_TRANSITION}},
        {&flag_off_list, {BT_CODE_UPDATE_CONTRACTS_NOT_WRITABLE}},
        {&flag_approval_ids, {BT_CODE_APPROVAL_ID_NOT_PENDING}},
    };
    bool *flagged = BT_NEW_ARRAY(arena, bool, BT_CODE__MAX);
    for (size_t i = 0; flagged && i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (size_t j = 0; cli_given(options, rows[i].flag) && j < 3; j++) {
            flagged[rows[i].codes[j]] = true;
        }
    }
    *out = flagged;
    return flagged || cli_refuse_status(BT_ENOMEM);
}

static enum config_baseline baseline_mode_of(const struct cli_options *options)
{
    static const enum config_baseline modes[] = {CONFIG_BASELINE_USE, CONFIG_BASELINE_WRITE,
                                                 CONFIG_BASELINE_OFF};
    const char *word = cli_given(options, &flag_check_baseline);
    size_t index = 0;
    return word && cli_kind_find(CLI_BASELINE, word, &index) ? modes[index]
                                                             : CONFIG_BASELINE_DEFAULT;
}

bool cli_check_select_open(const struct cli_options *options, struct bt_arena *arena,
                           struct config_select *out)
{
    char *today = bt_arena_alloc(arena, BT_DATE_BYTES + 1);
    const char **rules = BT_NEW_ARRAY(arena, const char *, options->given_count + 1);
    struct config_select_options wanted = {.config = options->config,
                                           .files = options->files,
                                           .rules = rules,
                                           .baseline_file =
                                               cli_given(options, &flag_baseline_file)};
    struct bt_error error = {0};
    if (!today || !rules) {
        return cli_refuse_status(BT_ENOMEM);
    }
    for (size_t i = 0; (rules[i] = cli_given_at(options, &flag_rule, i)); i++) {
    }
    cli_today(options, today);
    wanted.today = bt_str_of(today);
    wanted.baseline = baseline_mode_of(options);
    if (!find_flagged(options, arena, &wanted.set_by_flag)) {
        return false;
    }
    switch (config_select_open(arena, &wanted, out, &error)) {
    case CONFIG_SELECT_NONE:
        break;
    case CONFIG_SELECT_RULE:
        return cli_refuse_usage(options, "%s", error.text);
    case CONFIG_SELECT_BASELINE: {
        const struct bt_failure failure = {out->baseline_path, BT_FAILURE_CONFIG,
                                           bt_str_of(error.text)};
        cli_fail(options, "use the baseline", &failure);
        if (bt_file_kind_of(out->baseline_path) == BT_FILE_NONE) {
            cli_print_hint("baton check --baseline write makes it");
        }
        return false;
    }
    case CONFIG_SELECT_MEMORY:
        return cli_refuse_status(BT_ENOMEM);
    }
    if (out->select.baseline) {
        bt_report_set_baseline(options->report);
    }
    return true;
}

bool cli_check_shows_progress(const struct cli_options *options)
{
    const char *when = cli_given(options, &flag_progress);
    return !when || strcmp(when, "never") != 0;
}

/* ---- Walks ----------------------------------------------------------------------------------- */

static bool add_pattern(const struct cli_options *options, struct bt_arena *arena,
                        struct bt_ignore_list *list, bt_str text)
{
    const enum bt_status status =
        list->count < BT_IGNORE_PATTERNS_MAX ? bt_ignore_add(arena, list, text) : BT_ELIMIT;
    if (status == BT_ELIMIT && list->count == BT_IGNORE_PATTERNS_MAX) {
        return cli_refuse_usage(options, "there are more than %d patterns",
                                (int)BT_IGNORE_PATTERNS_MAX);
    }
    if (status == BT_ELIMIT) {
        return cli_refuse_usage(options, "a pattern has more than %d bytes: %.*s...",
                                (int)BT_IGNORE_PATTERN_BYTES_MAX, 40, text.ptr);
    }
    return cli_is_ok(status);
}

/* The absolute path of a folder; "" stands for the current one. */
static bool find_real(struct bt_arena *arena, bt_str folder, bt_str *out)
{
    char real[PATH_MAX];
    bt_str path = BT_STR("");
    if (bt_arena_copy(arena, folder.len > 0 ? folder : BT_STR("."), &path) != BT_OK) {
        return cli_refuse_status(BT_ENOMEM);
    }
    if (!realpath(path.ptr, real)) {
        return cli_refuse("cannot find the folder %.*s: %s", BT_STR_ARG(path), strerror(errno));
    }
    return cli_is_ok(bt_arena_copy(arena, bt_str_of(real), out));
}

/* The patterns of a flag, below them those of the key with the same name. */
static bool take_patterns(const struct cli_options *options, const struct cli_flag *flag,
                          struct bt_arena *arena, struct bt_ignore_list *out)
{
    struct bt_ignore_list *config = BT_NEW(arena, struct bt_ignore_list);
    *out = (struct bt_ignore_list){.parent = config};
    if (!config) {
        return cli_refuse_status(BT_ENOMEM);
    }
    for (size_t i = 0; i < bt_config_count(options->config, flag->name); i++) {
        if (!add_pattern(options, arena, config, bt_config_item(options->config, flag->name, i))) {
            return false;
        }
    }
    const char *text = NULL;
    for (size_t i = 0; (text = cli_given_at(options, flag, i)); i++) {
        if (!add_pattern(options, arena, out, bt_str_of(text))) {
            return false;
        }
    }
    return find_real(arena, bt_config_folder(options->config, flag->name), &config->folder) &&
           find_real(arena, BT_STR(""), &out->folder);
}

/* Add a file that the run reads or writes; one that does not exist cannot be found by a walk. */
static bool add_own_file(struct bt_arena *arena, bt_str path, bt_str *files, size_t *count)
{
    char real[PATH_MAX];
    bt_str name;
    if (!cli_is_ok(bt_arena_copy(arena, path, &name))) {
        return false;
    }
    return *count == OWN_FILES_MAX || !realpath(name.ptr, real) ||
           cli_is_ok(bt_arena_copy(arena, bt_str_of(real), &files[(*count)++]));
}

/* The configuration files, the baseline and the files of -o: no walk judges them. */
static bool find_own_files(const struct cli_options *options, const struct config_select *select,
                           struct bt_arena *arena, struct check_walk_options *out)
{
    bt_str *files = BT_NEW_ARRAY(arena, bt_str, OWN_FILES_MAX);
    if (!files) {
        return cli_refuse_status(BT_ENOMEM);
    }
    for (size_t i = 0; options->files && i < options->files->count; i++) {
        if (!add_own_file(arena, options->files->files[i].path, files, &out->own_file_count)) {
            return false;
        }
    }
    for (size_t i = 0; i < options->output_count; i++) {
        if (options->outputs[i].path && !add_own_file(arena, bt_str_of(options->outputs[i].path),
                                                      files, &out->own_file_count)) {
            return false;
        }
    }
    out->own_files = files;
    return select->baseline_path.len == 0 ||
           add_own_file(arena, select->baseline_path, files, &out->own_file_count);
}

/* The dialect that `paths` gives a file, for walks. */
static enum bt_dialect_id dialect_by_path(const void *settings, bt_str real)
{
    const struct config_select *select = settings;
    return bt_select_for_path(&select->select, real).as;
}

bool cli_check_walk_options(const struct cli_options *options, const struct config_select *select,
                            struct bt_arena *arena, struct check_walk_options *out)
{
    *out = (struct check_walk_options){
        .uses_gitignore =
            !cli_given(options, &flag_no_gitignore) && bt_config_bool(options->config, "gitignore"),
        .forces_patterns = cli_given(options, &flag_force_exclude) != NULL,
        .lists_dropped = cli_given(options, &flag_verbose) != NULL,
        .dialect = options->dialect,
        .dialect_of = select->select.path_count > 0 ? dialect_by_path : NULL,
        .settings = select};
    return take_patterns(options, &flag_include, arena, &out->include) &&
           take_patterns(options, &flag_exclude, arena, &out->exclude) &&
           find_own_files(options, select, arena, out);
}

/* ---- Failures -------------------------------------------------------------------------------- */

void cli_check_fail_job(struct cli_check_job *job, struct bt_arena *arena, const char *verb,
                        enum bt_failure_reason reason, bt_str message)
{
    job->outcome = CLI_CHECK_FAILED;
    job->result.failure.verb = verb;
    job->result.failure.reason = reason;
    if (bt_arena_copy(arena, message, &job->result.failure.message) != BT_OK) {
        job->result.failure.message = bt_str_of(bt_status_text(BT_ENOMEM));
    }
}

static void fail_job(struct cli_check_worker *worker, struct cli_check_job *job, const char *verb,
                     enum bt_failure_reason reason, const char *message)
{
    cli_check_fail_job(job, &worker->arena, verb, reason, bt_str_of(message));
}

/* ---- Judging --------------------------------------------------------------------------------- */

static struct bt_check_options options_of(const struct cli_check_worker *worker,
                                          enum bt_dialect_id dialect)
{
    const struct cli_check_settings *settings = worker->run->settings;
    return (struct bt_check_options){.dialect = dialect,
                                     .fail_level = worker->fail_level,
                                     .checker = worker->checker,
                                     .universal = &worker->universal,
                                     .contract = &settings->contract.options,
                                     .plan = &settings->plan,
                                     .xml = &settings->xml.options,
                                     .governed = &settings->governed.options,
                                     .lists_skipped = true};
}

static enum bt_status judge_as_it_is(struct cli_check_worker *worker,
                                     const struct cli_check_job *job, enum bt_dialect_id dialect,
                                     struct bt_judgement *out)
{
    const struct bt_check_options options = options_of(worker, dialect);
    return bt_check_document(&worker->env, &worker->work, job->path, job->content, &options, out);
}

/* Fix a document and judge the result. Only the thread that runs the command does this. */
static enum bt_status judge_fixed(struct cli_check_worker *worker, const struct cli_check_job *job,
                                  enum bt_dialect_id dialect, struct bt_judgement *out)
{
    struct cli_fix_run *fixing = &worker->run->settings->fixing;
    const struct bt_check_options options = options_of(worker, dialect);
    struct bt_fix_input document = {.env = &worker->env,
                                    .path = job->path,
                                    .content = job->content,
                                    .options = &options,
                                    .choice = {.unsafe = fixing->unsafe}};
    bool written = false;
    BT_TRY(config_select_leave_suppressed(&worker->run->settings->select, &worker->work, job->real,
                                          &document));
    BT_TRY(cli_fix_document(fixing, &document, &worker->work, out, &written));
    if (!written) {
        cli_note_failure(worker->run->options, job->path, BT_FAILURE_IO,
                         "the fixed document could not be written");
    }
    return BT_OK;
}

/* True when a report shows lines of the sources. */
static bool shows_source(const struct cli_options *options)
{
    bool shows = options->output_count == 0;
    for (size_t i = 0; i < options->output_count && !shows; i++) {
        shows = options->outputs[i].format == BT_REPORT_FORMAT_FULL ||
                options->outputs[i].format == BT_REPORT_FORMAT_SARIF;
    }
    return shows;
}

static enum bt_status judge_document(struct cli_check_worker *worker, struct cli_check_job *job,
                                     enum bt_dialect_id dialect)
{
    struct bt_judgement judged;
    BT_TRY(worker->run->settings->fixing.wanted ? judge_fixed(worker, job, dialect, &judged)
                                                : judge_as_it_is(worker, job, dialect, &judged));
    BT_TRY(cli_trace_judgement(worker->run->options, &worker->env, &worker->work,
                               BT_TRACE_EVENT_HANDOFF_VALIDATED, &judged));
    BT_TRY(check_keep(&worker->arena, shows_source(worker->run->options), &judged));
    struct bt_judgement *kept = BT_NEW(&worker->arena, struct bt_judgement);
    struct bt_select_result *selected = BT_NEW(&worker->arena, struct bt_select_result);
    BT_TRY(kept && selected ? BT_OK : BT_ENOMEM);
    BT_TRY(config_select_judgement(&worker->run->settings->select, &worker->arena, job->real,
                                   worker->fail_level, &judged, selected));
    *kept = judged;
    job->outcome = CLI_CHECK_JUDGED;
    job->result.judged.document = kept;
    job->result.judged.selected = selected;
    return BT_OK;
}

/* Why something could not be judged; for a governed root, with the file at fault. */
static const char *message_of(struct cli_check_worker *worker, enum bt_status status)
{
    struct bt_governed_checker *governed = NULL;
    const char *trouble = bt_checker_governed(worker->checker, &governed) == BT_OK
                              ? bt_governed_last_error(governed)
                              : "";
    return trouble[0] ? trouble : bt_status_text(status);
}

/*
 * A governed document that was named needs a governed root, or --structure-only. One that was found
 * in a folder is judged by its structure alone, which its findings state. False when it cannot be
 * judged; the job says why.
 */
static bool is_governable(struct cli_check_worker *worker, struct cli_check_job *job,
                          enum bt_dialect_id dialect)
{
    const struct cli_options *options = worker->run->options;
    struct cli_check_settings *settings = worker->run->settings;
    struct bt_error error;
    if (dialect != BT_DIALECT_GOVERNED && dialect != BT_DIALECT_RESPONSE) {
        return true;
    }
    (void)pthread_mutex_lock(&settings->governed_lock);
    const enum bt_status status = cli_governed_try(options, &settings->governed, &error);
    (void)pthread_mutex_unlock(&settings->governed_lock);
    if (status != BT_OK) {
        struct bt_error message;
        (void)bt_error_set(&message, status, "the root of its catalogue cannot be used: %s",
                           error.text);
        fail_job(worker, job, "judge", cli_reason_of_path(settings->governed.root_path.ptr, status),
                 message.text);
        return false;
    }
    if (!settings->governed.options.dir && job->kind != CLI_CHECK_FOUND &&
        !cli_given(options, &flag_structure_only)) {
        fail_job(worker, job, "judge", BT_FAILURE_NEEDS_ROOT,
                 "it needs a catalogue: give --root DIR, or --structure-only");
        return false;
    }
    return true;
}

/* Let what `paths` sets for the document count where no flag does. Returns its dialect, if any. */
static enum bt_dialect_id take_path_settings(struct cli_check_worker *worker,
                                             const struct cli_check_job *job)
{
    const struct cli_options *options = worker->run->options;
    const struct cli_check_settings *settings = worker->run->settings;
    const struct bt_select_path set = bt_select_for_path(&settings->select.select, job->real);
    worker->universal = settings->universal;
    worker->fail_level = options->fail_level;
    if (set.budget > 0 && !cli_given(options, &flag_token_budget)) {
        worker->universal.budget = set.budget;
    }
    if (set.tokens.len > 0 && !cli_given(options, &flag_tokens)) {
        const enum bt_status status = bt_encoding_parse(set.tokens, &worker->universal.encoding);
        assert(status == BT_OK); /* the configuration was checked */
        (void)status;
    }
    if (set.fail_level && !cli_given(options, &flag_fail_level)) {
        worker->fail_level = set.fail_level;
    }
    return set.as;
}

/* Judge the content of a job. */
static void judge_job(struct cli_check_worker *worker, struct cli_check_job *job)
{
    const enum bt_dialect_id set = take_path_settings(worker, job);
    const enum bt_dialect_id dialect = job->dialect ? job->dialect
                                       : set        ? set
                                                    : bt_dialect_recognise(job->path, job->content);
    if (!dialect) {
        job->outcome = CLI_CHECK_UNRECOGNISED;
        return;
    }
    if (!is_governable(worker, job, dialect) || !cli_check_is_next_hop(worker, job, dialect)) {
        return;
    }
    const uint64_t begun_us = bt_clock_monotonic_us();
    const enum bt_status status = judge_document(worker, job, dialect);
    worker->judge_us += bt_clock_monotonic_us() - begun_us;
    if (status != BT_OK) {
        fail_job(worker, job, "judge", status == BT_ENOMEM ? BT_FAILURE_MEMORY : BT_FAILURE_IO,
                 message_of(worker, status));
    }
}

/* ---- Reading --------------------------------------------------------------------------------- */

static void fail_reading(struct cli_check_worker *worker, struct cli_check_job *job,
                         enum bt_status status, const char *message)
{
    fail_job(worker, job, "read", cli_reason_of_path(job->path.ptr, status), message);
}

static void judge_named(struct cli_check_worker *worker, struct cli_check_job *job)
{
    struct cli_input input;
    struct bt_error error;
    const enum bt_status status = cli_input_try(
        &worker->work, job->path.ptr, worker->run->options->limits.document_bytes, &input, &error);
    if (status != BT_OK) {
        fail_reading(worker, job, status, error.text);
        return;
    }
    job->content = input.content;
    judge_job(worker, job);
}

static enum cli_check_outcome outcome_of(enum bt_walk_choice choice)
{
    return choice == BT_WALK_NO_BLOCK      ? CLI_CHECK_NO_BLOCK
           : choice == BT_WALK_NO_ENVELOPE ? CLI_CHECK_NO_ENVELOPE
                                           : CLI_CHECK_UNRECOGNISED;
}

static void judge_found(struct cli_check_worker *worker, struct cli_check_job *job)
{
    /* The absolute path has the name of its folder too, as in `cd handoffs && baton check .`. */
    const struct check_found_file file = {.path = job->path.ptr,
                                          .name = job->real,
                                          .dialect = job->dialect,
                                          .is_regular = job->is_regular};
    struct check_found_result found;
    struct bt_error error;
    const enum bt_status status =
        check_found_read(&worker->work, &file, worker->buffer,
                         worker->run->options->limits.document_bytes, &found, &error);
    if (status != BT_OK) {
        fail_reading(worker, job, status, error.text);
    } else if (found.choice != BT_WALK_JUDGE) {
        job->outcome = outcome_of(found.choice);
    } else {
        job->dialect = found.dialect;
        job->content = found.content;
        judge_job(worker, job);
    }
}

/* ---- Workers --------------------------------------------------------------------------------- */

static bool open_worker(struct cli_check_worker *worker)
{
    worker->checker = worker->checker ? worker->checker : bt_checker_create(&worker->env);
    worker->buffer = worker->buffer ? worker->buffer : malloc(sizeof(*worker->buffer));
    return worker->checker && worker->buffer;
}

/* The absolute path of a document, unless the walk has found it. False: out of memory. */
static bool find_real_path(struct cli_check_worker *worker, struct cli_check_job *job)
{
    const struct config_select *select = &worker->run->settings->select;
    const bool has_name =
        job->kind == CLI_CHECK_NAMED ||
        (job->kind == CLI_CHECK_TEXT && !bt_str_starts_with(job->path, BT_STR("<")));
    return !has_name || config_select_path(select, &worker->arena, job->path, &job->real) == BT_OK;
}

static void work_on_job(void *context, size_t number, void *item)
{
    const struct cli_check_run *run = context;
    struct cli_check_worker *worker = &run->workers[number];
    struct cli_check_job *job = item;
    if (job->outcome != CLI_CHECK_NONE || job->kind == CLI_CHECK_FOLDER_END) {
        return;
    }
    const uint64_t begun_us = bt_clock_monotonic_us();
    const uint64_t judged_before_us = worker->judge_us;
    if (!open_worker(worker) || !find_real_path(worker, job)) {
        fail_job(worker, job, "judge", BT_FAILURE_MEMORY, bt_status_text(BT_ENOMEM));
    } else if (job->kind == CLI_CHECK_NAMED) {
        judge_named(worker, job);
    } else if (job->kind == CLI_CHECK_FOUND) {
        judge_found(worker, job);
    } else {
        judge_job(worker, job);
    }
    job->content = BT_STR("");
    bt_arena_reset(&worker->work); /* which keeps a chunk for the next document */
    worker->read_us += bt_clock_monotonic_us() - begun_us - (worker->judge_us - judged_before_us);
}

bool cli_check_start(struct cli_check_run *run)
{
    run->workers = BT_NEW_ARRAY(&run->arena, struct cli_check_worker, run->worker_count);
    for (size_t i = 0; run->workers && i < run->worker_count; i++) {
        run->workers[i] = (struct cli_check_worker){.run = run, .env = run->env};
        bt_arena_init(&run->workers[i].arena, CLI_CHECK_BYTES_MAX);
        bt_arena_init(&run->workers[i].work, CLI_CHECK_BYTES_MAX);
    }
    run->queue = run->workers ? check_queue_create(run->worker_count, work_on_job, run) : NULL;
    if (!run->queue) {
        (void)cli_fail_status(BT_ENOMEM);
        cli_note_failure(run->options, BT_STR(""), BT_FAILURE_MEMORY, bt_status_text(BT_ENOMEM));
    }
    return run->queue != NULL;
}

void cli_check_stop(struct cli_check_run *run)
{
    check_queue_destroy(run->queue);
    for (size_t i = 0; run->workers && i < run->worker_count; i++) {
        bt_checker_destroy(run->workers[i].checker);
        free(run->workers[i].buffer);
        bt_arena_free(&run->workers[i].arena);
        bt_arena_free(&run->workers[i].work);
    }
}
