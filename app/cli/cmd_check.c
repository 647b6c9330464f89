/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_check.c - baton check PATH...
 *
 * Judges documents and prints the findings. Nothing is recorded or delivered, and nothing is
 * changed without --fix.
 */
#include <stdio.h>
#include <sys/stat.h>

#include "base/file.h"
#include "cli.h"
#include "contract_run.h"
#include "fix_files.h"
#include "govern_run.h"
#include "input.h"
#include "organism_file.h"
#include "output.h"
#include "plan_run.h"
#include "universal_run.h"
#include "walk.h"

/* Sources are kept for the excerpts of the report, so the whole run has a limit. */
enum { RUN_BYTES_MAX = 2000000000, MEMBERS_BYTES_MAX = 8 << 20 };

struct cli_check_run {
    const struct cli_options *options;
    struct bt_env env;
    struct bt_universal_options universal;
    struct cli_contract contract;
    struct bt_plan_options plan;
    struct cli_message_options xml;
    struct cli_governed governed;
    struct bt_dir *root; /* NULL: not given */
    struct bt_checker *checker;
    struct bt_arena arena;
    struct bt_report *report; /* that of the options */
    struct cli_fix_run fixing;
    bool stdin_read;
    bool in_folder;           /* the current document was found in a directory ... */
    enum bt_dialect_id found; /* ... as this dialect */
    struct cli_walk walk;
};

static void fail_path(struct cli_check_run *check, bt_str path, enum bt_failure_reason reason,
                      const char *message)
{
    const struct bt_failure failure = {path, reason, bt_str_of(message)};
    cli_fail(check->options, "judge", &failure);
}

/*
 * Keep a document without findings, but not its source and the memory that was used to judge it,
 * because a directory may hold many of them.
 */
static enum bt_status keep_clean(struct cli_check_run *check, struct bt_arena_mark before,
                                 struct bt_judgement *judged)
{
    struct bt_buf facts;
    bt_buf_init(&facts, judged->facts.len);
    bt_buf_put(&facts, judged->facts);
    bt_arena_rewind(&check->arena, before);
    judged->source = BT_STR("");
    judged->findings = bt_findings_new(&check->arena);
    enum bt_status status = judged->findings ? BT_OK : BT_ENOMEM;
    if (status == BT_OK) {
        status = bt_buf_copy(&facts, &check->arena, &judged->facts);
    }
    bt_buf_free(&facts);
    return status;
}

/* The dialect that the user or a walk named; BT_DIALECT_NONE: it is to be recognised. */
static enum bt_dialect_id named_dialect(const struct cli_check_run *check)
{
    return check->in_folder ? check->found : check->options->dialect;
}

/* The dialect of a document; BT_DIALECT_NONE when it is not recognised. */
static enum bt_dialect_id dialect_of(const struct cli_check_run *check,
                                     const struct cli_input *input)
{
    const enum bt_dialect_id named = named_dialect(check);
    return named ? named : bt_dialect_recognise(input->path, input->content);
}

/*
 * A governed document that was named needs a governed root, or --structure-only. One that was found
 * in a directory is judged by its structure alone, which its findings state. False after an error
 * message.
 */
static bool is_governable(struct cli_check_run *check, const struct cli_input *input)
{
    const enum bt_dialect_id dialect = dialect_of(check, input);
    if (dialect != BT_DIALECT_GOVERNED && dialect != BT_DIALECT_RESPONSE) {
        return true;
    }
    if (!cli_governed_open(check->options, &check->governed)) {
        const char *root = check->governed.root_path.ptr;
        cli_note_failure(check->options, input->path, cli_reason_of_path(root, BT_EDENIED),
                         "the root of its catalogue cannot be used");
        return false;
    }
    if (!check->governed.options.dir && !check->in_folder &&
        !cli_given(check->options, &flag_structure_only)) {
        fail_path(check, input->path, BT_FAILURE_NEEDS_ROOT,
                  "it needs a catalogue: give --root DIR, or --structure-only");
        return false;
    }
    return true;
}

static struct bt_check_options options_of(const struct cli_check_run *check)
{
    return (struct bt_check_options){.dialect = named_dialect(check),
                                     .fail_level = check->options->fail_level,
                                     .checker = check->checker,
                                     .universal = &check->universal,
                                     .contract = &check->contract.options,
                                     .plan = &check->plan,
                                     .xml = &check->xml.options,
                                     .governed = &check->governed.options};
}

static enum bt_status judge_as_it_is(struct cli_check_run *check, const struct cli_input *input,
                                     struct bt_judgement *out)
{
    const struct bt_check_options options = options_of(check);
    return bt_check(&check->env, &check->arena, input->path, input->content, &options, out);
}

static enum bt_status judge_fixed(struct cli_check_run *check, const struct cli_input *input,
                                  struct bt_judgement *out)
{
    const struct bt_check_options options = options_of(check);
    const struct bt_fix_input document = {.env = &check->env,
                                          .path = input->path,
                                          .content = input->content,
                                          .options = &options,
                                          .choice = {.unsafe = check->fixing.unsafe}};
    bool written = false;
    BT_TRY(cli_fix_document(&check->fixing, &document, &check->arena, out, &written));
    if (!written) {
        cli_note_failure(check->options, input->path, BT_FAILURE_IO,
                         "the fixed document could not be written");
    }
    return BT_OK;
}

static enum bt_status judge_input(struct cli_check_run *check, const struct cli_input *input,
                                  struct bt_arena_mark before)
{
    struct bt_judgement judged;
    BT_TRY(check->fixing.wanted ? judge_fixed(check, input, &judged)
                                : judge_as_it_is(check, input, &judged));
    BT_TRY(cli_trace_judgement(check->options, &check->env, &check->arena,
                               BT_TRACE_EVENT_HANDOFF_VALIDATED, &judged));
    if (bt_findings_count(judged.findings) == 0 && judged.extra_members.len == 0 &&
        (!judged.changes || judged.changes->count == 0)) {
        BT_TRY(keep_clean(check, before, &judged));
    }
    return bt_report_add(check->report, &judged);
}

/* Why something could not be judged; for a governed root, with the file at fault. */
static const char *message_of(struct cli_check_run *check, enum bt_status status)
{
    struct bt_governed_checker *governed = NULL;
    const char *trouble = bt_checker_governed(check->checker, &governed) == BT_OK
                              ? bt_governed_last_error(governed)
                              : "";
    return trouble[0] ? trouble : bt_status_text(status);
}

static void judge_or_complain(struct cli_check_run *check, const struct cli_input *input,
                              struct bt_arena_mark before)
{
    if (!is_governable(check, input)) {
        return;
    }
    const enum bt_status status = judge_input(check, input, before);
    if (status == BT_ENOENT) {
        fail_path(check, input->path, BT_FAILURE_UNRECOGNISED,
                  "its dialect is not recognised; name it with --as");
    } else if (status != BT_OK) {
        fail_path(check, input->path, status == BT_ENOMEM ? BT_FAILURE_MEMORY : BT_FAILURE_IO,
                  message_of(check, status));
    }
    if (status != BT_OK) {
        bt_arena_rewind(&check->arena, before);
    }
}

static void check_document(struct cli_check_run *check, const char *operand)
{
    const struct bt_arena_mark before = bt_arena_mark(&check->arena);
    struct cli_input input;
    struct bt_error error;
    const enum bt_status status = cli_input_try(
        &check->arena, operand, check->options->limits.document_bytes, &input, &error);
    if (status != BT_OK) {
        const struct bt_failure failure = {input.path, cli_reason_of_path(operand, status),
                                           bt_str_of(error.text)};
        cli_fail(check->options, "read", &failure);
        return;
    }
    judge_or_complain(check, &input, before);
}

static size_t count_ignored(const struct cli_walk_counts *counts)
{
    return counts->excluded + counts->gitignored + counts->hidden;
}

/* A folder in which nothing was judged is not a pass. */
static void fail_empty(struct cli_check_run *check, const char *folder,
                       const struct cli_walk_counts *before)
{
    const struct cli_walk_counts *now = &check->walk.counts;
    char message[160];
    (void)snprintf(
        message, sizeof(message), "it holds no document; files looked at: %zu, ignored: %zu",
        now->unrecognised - before->unrecognised, count_ignored(now) - count_ignored(before));
    fail_path(check, bt_str_of(folder), BT_FAILURE_NO_DOCUMENTS, message);
    cli_print_hint("name the document itself, or say with --as what the files are");
}

static void check_folder(struct cli_check_run *check, const char *folder)
{
    struct cli_walk_files files;
    const struct cli_walk_counts before = check->walk.counts;
    const bool complete = cli_walk_folder(&check->walk, folder, &files);
    if (complete && files.count == 0) {
        fail_empty(check, folder, &before);
    }
    check->in_folder = true;
    for (size_t i = 0; i < files.count; i++) {
        check->found = files.items[i].dialect;
        check_document(check, files.items[i].path.ptr);
    }
    check->in_folder = false;
}

static void check_operand(struct cli_check_run *check, const char *operand)
{
    struct stat info;
    if (cli_is_stdin(operand)) {
        if (check->stdin_read) {
            fail_path(check, BT_STR("<stdin>"), BT_FAILURE_IO, "standard input was read already");
            return;
        }
        check->stdin_read = true;
        check_document(check, operand);
    } else if (cli_walk_leaves_out(&check->walk, operand)) {
        return;
    } else if (stat(operand, &info) == 0 && S_ISDIR(info.st_mode)) {
        check_folder(check, operand);
    } else {
        check_document(check, operand);
    }
}

/* Print the report or, with --diff, the changes. */
static bool print_report(struct cli_check_run *check)
{
    if (cli_fix_run_has_one_document(check->options, &check->fixing)) {
        return cli_fixing_print(&check->fixing);
    }
    struct bt_buf members;
    bt_buf_init(&members, MEMBERS_BYTES_MAX);
    cli_walk_put_members(&check->walk, &members);
    const bool is_written =
        members.status == BT_OK
            ? cli_report_write_with(check->options, check->report, bt_buf_str(&members))
            : cli_refuse_status(members.status);
    bt_buf_free(&members);
    return is_written;
}

/* Tell a person of the files that only their names call documents. */
static void print_skipped(const struct cli_check_run *check)
{
    const struct cli_options *options = check->options;
    const size_t count = check->walk.skipped.count + check->walk.skipped_more;
    bool is_text = options->output_count == 0;
    for (size_t i = 0; i < options->output_count; i++) {
        is_text = is_text || options->outputs[i].format <= BT_REPORT_FORMAT_CONCISE;
    }
    if (count > 0 && is_text) {
        cli_print_error("%zu file%s passed over; --as judges %s", count,
                        count == 1 ? " was" : "s were", count == 1 ? "it" : "them");
    }
}

/* Judge every operand, and the text of --text. */
static void check_all(struct cli_check_run *check)
{
    const struct cli_options *options = check->options;
    const char *text = cli_given(options, &flag_text);
    if (text) {
        const struct cli_input input = {BT_STR("<text>"), bt_str_of(text)};
        judge_or_complain(check, &input, bt_arena_mark(&check->arena));
    }
    for (size_t i = 0; i < options->operand_count; i++) {
        check_operand(check, options->operands[i]);
    }
}

/* Report what was judged and what was not, and return the exit code. */
static int finish_run(struct cli_check_run *check)
{
    print_skipped(check);
    const bool was_printed = print_report(check);
    const struct bt_report_totals summary = bt_report_count_totals(check->report);
    if (!was_printed || summary.failures > 0) {
        return CLI_FAILED;
    }
    return summary.accepted == summary.documents ? CLI_DONE : CLI_REJECTED;
}

/* Check that there is something to judge, and that everything to be fixed can be changed. */
static bool is_usable(const struct cli_options *options)
{
    const char *text = cli_given(options, &flag_text);
    if (options->operand_count == 0 && !text) {
        return cli_refuse_usage(options, "nothing to check: give a PATH, or - for standard input");
    }
    if (text && cli_given(options, &flag_fix)) {
        return cli_refuse_usage(options, "--fix cannot change the text of --text");
    }
    return true;
}

static bool open_root(struct cli_check_run *check)
{
    const char *path = check->options->root;
    struct bt_error error;
    const enum bt_status status = path ? bt_dir_open(bt_str_of(path), &check->root, &error) : BT_OK;
    if (status != BT_OK) {
        const struct bt_failure failure = {bt_str_of(path), cli_reason_of_path(path, status),
                                           bt_str_of(error.text)};
        cli_fail(check->options, "use the root", &failure);
    }
    check->plan.dir = check->root;
    return status == BT_OK;
}

static bool make_checker(struct cli_check_run *check)
{
    check->checker = bt_checker_create(&check->env);
    if (!check->checker) {
        (void)cli_fail_status(BT_ENOMEM);
        cli_note_failure(check->options, BT_STR(""), BT_FAILURE_MEMORY, bt_status_text(BT_ENOMEM));
    }
    return check->checker != NULL;
}

/*
 * Open what the flags name. False after an error message; without a failure in the report it is a
 * usage error.
 */
static bool open_inputs(struct cli_check_run *check)
{
    const struct cli_options *options = check->options;
    return open_root(check) && make_checker(check) &&
           cli_skills_open(options, &check->arena, &check->universal.catalogue) &&
           cli_contract_options(options, &check->env, &check->arena, &check->contract) &&
           cli_message_options_init(options, &check->env, &check->xml) &&
           cli_governed_options(options, &check->arena, &check->governed) &&
           cli_walk_init(&check->walk, options, &check->arena);
}

static int run_prepared(struct cli_check_run *check)
{
    if (open_inputs(check)) {
        check_all(check);
    } else if (bt_report_failure_count(check->report) == 0) {
        return CLI_FAILED;
    }
    return finish_run(check);
}

int cmd_check(const struct cli_options *options)
{
    struct cli_check_run check = {.options = options, .report = options->report};
    if (!is_usable(options) || !cli_universal_options(options, &check.universal) ||
        !cli_plan_options(options, &check.plan) || !cli_fixing_begin(options, &check.fixing)) {
        return CLI_FAILED;
    }
    bt_arena_init(&check.arena, RUN_BYTES_MAX);
    organism_file_begin(&check.xml.file);
    int code = CLI_FAILED;
    if (cli_env_init(options, &check.env)) {
        code = run_prepared(&check);
    } else {
        cli_note_failure(options, BT_STR(""), BT_FAILURE_IO, "the program could not start");
        (void)finish_run(&check);
    }
    cli_message_options_free(&check.xml);
    cli_fixing_end(&check.fixing);
    bt_checker_destroy(check.checker);
    bt_dir_close(check.root);
    cli_governed_close(&check.governed);
    bt_arena_free(&check.arena);
    return code;
}
