/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_universal.c - baton new, write, seal and convert */
#include <string.h>

#include "commands.h"
#include "output.h"
#include "universal_run.h"
#include "write_document.h"

/* ---- baton new ------------------------------------------------------------------------------- */

static cli_work_fn run_new;

/* clang-format off */
static const struct cli_flag flag_new_dry_run = {"dry-run", 0, NULL, CLI_ANY,
    "only say where the file would go", NULL};
/* clang-format on */

const struct cli_command cmd_new_universal = {
    .name = "baton new universal",
    .operands = "",
    .summary = "make a universal handoff and write it to its session's folder",
    .about =
        "The document is made from the flags, sealed, counted, checked, and written like `baton "
        "write` does; its path is printed. --source, --target, --session-path, --workflow-id, "
        "--phase, --summary and --problem-type are needed. One that does not pass is reported and "
        "not written.\n",
    .missing = "",
    .flags = CLI_FLAGS(CLI_DRAFT_FLAGS, &flag_skills, &flag_registry, &flag_trace_log,
                       &flag_new_dry_run, &flag_write_root, &flag_tokens, &flag_token_dir,
                       &flag_token_budget, &flag_no_refs, &flag_config, &flag_no_config,
                       &flag_format, &flag_now, &flag_seed, &flag_help),
    .examples = CLI_EXAMPLES(
        {"xargs baton new universal < flags.txt", "make a handoff from flags that a file holds"},
        {"xargs baton new universal --dry-run -f json < flags.txt", "look at it first"}),
    .work = run_new,
};

const struct cli_command cmd_new = {
    .name = "baton new",
    .operands = "COMMAND",
    .summary = "make a handoff",
    .about = "",
    .missing = "new what? name one of its commands",
    .flags = CLI_FLAGS(&flag_help),
    .examples =
        CLI_EXAMPLES({"baton help new universal", "everything about making a universal handoff"}),
    .parts = CLI_PARTS(&cmd_new_universal),
};

static bool has_needed_flags(const struct cli_options *options)
{
    static const struct cli_flag *const needed[] = {
        &flag_source, &flag_target,  &flag_session_path, &flag_workflow_id,
        &flag_phase,  &flag_summary, &flag_problem_type,
    };
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
        if (!cli_given(options, needed[i])) {
            (void)cli_usage_error(options->command, "--%s is missing", needed[i]->name);
            return false;
        }
    }
    return true;
}

static int write_handoff(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    struct bt_universal_draft draft;
    struct bt_universal_input input = {BT_STR("<new>"), BT_STR(""), &run->universal->how};
    struct bt_error error;
    if (!cli_draft_flags(run, &draft)) {
        return CLI_FAILED;
    }
    enum bt_status status =
        bt_universal_draft_write(run->universal->checker, &run->arena, &draft, &input.text, &error);
    if (status != BT_OK) {
        return universal_run_fail(input.path, status, status == BT_EINVAL ? &error : NULL);
    }
    const struct bt_universal_write_options how = {
        .dry_run = cli_given(options, &flag_new_dry_run) != NULL,
        .show_document = true,
        .roots = run->universal->roots,
    };
    struct bt_universal_result result;
    status =
        bt_universal_write(run->universal->checker, &run->arena, &input, &how, &result, &error);
    if (status != BT_OK) {
        return universal_run_fail(input.path, status, &error);
    }
    return universal_run_written(run, how.dry_run, &result);
}

static int run_new(struct cli_run *run)
{
    return has_needed_flags(run->options) && universal_run_begin(run) ? write_handoff(run)
                                                                      : CLI_FAILED;
}

/* ---- baton write ----------------------------------------------------------------------------- */

static cli_work_fn write_document;

/* clang-format off */
static const struct cli_flag flag_seal = {"seal", 0, NULL, CLI_ANY,
    "set hash, size and token count first", NULL};
static const struct cli_flag flag_write_dry_run = {"dry-run", 0, NULL, CLI_ANY,
    "only say where the file would go", NULL};
/* clang-format on */

const struct cli_command cmd_write = {
    .name = "baton write",
    .operands = "[FILE|-]",
    .summary = "check a universal handoff and write it to its session's folder",
    .about =
        "The file is SESSION_PATH/handoffs/SOURCE-to-TARGET-TIME.json, and its path is printed. "
        "The bytes are written exactly as they were given, and nothing is ever overwritten: where "
        "the name is taken, -2 to -99 is added to it.\n"
        "Names that are not valid in a file name, and a session path outside the roots or through "
        "a symbolic link, are refused. If the folder cannot be used, the file is written to a "
        "folder of this user below the temporary folder, and a finding reports it.\n",
    .missing = "",
    .operands_min = 0,
    .operands_max = 1,
    .operand_kind = CLI_FILE,
    .flags = CLI_FLAGS(&flag_seal, &flag_write_dry_run, &flag_write_root, CLI_UNIVERSAL_FLAGS,
                       &flag_trace_log, &flag_format, &flag_config, &flag_no_config, &flag_limit,
                       &flag_now, &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton write handoff.json", "check a handoff and put it where its receiver looks"},
        {"make-handoff | baton write --seal", "seal what another program writes, and put it there"},
        {"baton write --root /srv/agents handoff.json", "only ever write beneath this folder"}),
    .begin = universal_run_begin,
    .work = write_document,
};

static int write_document(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    const struct bt_universal_write_options how = {
        .seal = cli_given(options, &flag_seal) != NULL,
        .dry_run = cli_given(options, &flag_write_dry_run) != NULL,
        .roots = run->universal->roots,
    };
    struct cli_input read;
    if (!cli_run_read(run, options->operand_count > 0 ? options->operands[0] : "-", &read)) {
        return CLI_FAILED;
    }
    const struct bt_universal_input input = {read.path, read.content, &run->universal->how};
    struct bt_universal_result result;
    struct bt_error error;
    const enum bt_status status =
        bt_universal_write(run->universal->checker, &run->arena, &input, &how, &result, &error);
    if (status != BT_OK) {
        return universal_run_fail(read.path, status, &error);
    }
    return universal_run_written(run, how.dry_run, &result);
}

/* ---- baton seal ------------------------------------------------------------------------------ */

static cli_work_fn run_seal;

/* clang-format off */
static const struct cli_flag flag_reseal = {"reseal", 0, NULL, CLI_ANY,
    "also seal a document whose own seal is broken", NULL};
/* clang-format on */

const struct cli_command cmd_seal = {
    .name = "baton seal",
    .operands = "FILE|-",
    .summary = "set hash, size and token count of a universal handoff",
    .about =
        "Sealing is an act of the author: it says that the payload is as it was meant. Only an "
        "accepted document is sealed. One whose seal is broken may have been tampered with; it is "
        "sealed anew only with --reseal, and only if nothing else is wrong with it.\n",
    .missing = "nothing to seal: give a FILE, or - for standard input",
    .operands_min = 1,
    .operands_max = 1,
    .operand_kind = CLI_FILE,
    .flags = CLI_FLAGS(CLI_DOCUMENT_FLAGS, &flag_diff, &flag_reseal, &flag_write_root,
                       CLI_UNIVERSAL_FLAGS, &flag_format, &flag_config, &flag_no_config,
                       &flag_limit, &flag_now, &flag_help),
    .examples =
        CLI_EXAMPLES({"baton seal --in-place handoff.json", "seal a handoff before it is sent"},
                     {"baton seal --reseal -o sealed.json changed.json", "seal your own changes"}),
    .work = run_seal,
};

static int seal_document(struct cli_run *run, const struct cli_document_out *where)
{
    struct cli_input read;
    if (!cli_run_read(run, run->options->operands[0], &read)) {
        return CLI_FAILED;
    }
    const struct bt_universal_input input = {read.path, read.content, &run->universal->how};
    const bool reseal = cli_given(run->options, &flag_reseal) != NULL;
    struct bt_universal_result result;
    const enum bt_status status =
        bt_universal_seal(run->universal->checker, &run->arena, &input, reseal, &result);
    if (status != BT_OK) {
        return universal_run_fail(read.path, status, NULL);
    }
    return cli_document_write(run->options, where, &run->arena, &read, &result);
}

static int run_seal(struct cli_run *run)
{
    struct cli_document_out where;
    return cli_document_write_init(run->options, run->options->operands[0], &where) &&
                   universal_run_begin(run)
               ? seal_document(run, &where)
               : CLI_FAILED;
}

/* ---- baton convert --------------------------------------------------------------------------- */

static cli_work_fn run_convert;

/* clang-format off */
static const struct cli_flag flag_to = {"to", 0, "DIALECT", CLI_CONVERT_TO,
    "what to make", NULL};
static const struct cli_flag flag_from = {"from", 0, "DIALECT", CLI_CONVERT_FROM,
    "what FILE is, instead of recognising it", NULL};
static const struct cli_flag flag_step = {"step", 0, "ID", CLI_ANY,
    "of a plan: the step that hands over", NULL};
static const struct cli_flag flag_keep_rest = {"keep-rest", 0, NULL, CLI_ANY,
    "keep what has no place in payload.session.state.rest", NULL};
static const struct cli_flag flag_strict = {"strict", 0, NULL, CLI_ANY,
    "reject when something has no place", NULL};
/* clang-format on */

const struct cli_command cmd_convert = {
    .name = "baton convert",
    .operands = "FILE|-",
    .summary = "make a universal handoff from another document",
    .about =
        "Reads universal handoffs of version 2.0, governed handoffs, contract blocks and, with "
        "--step, plans. facts.carried and facts.not_carried name every member of FILE; what has no "
        "place is a warning, and an error with --strict. The flags of `baton new universal` fill "
        "in or override.\n",
    .missing = "nothing to convert: give a FILE, or - for standard input",
    .operands_min = 1,
    .operands_max = 1,
    .operand_kind = CLI_FILE,
    .flags =
        CLI_FLAGS(&flag_to, &flag_from, &flag_step, &flag_document, &flag_diff, &flag_keep_rest,
                  &flag_strict, CLI_DRAFT_FLAGS, &flag_tokens, &flag_token_dir, &flag_token_budget,
                  &flag_no_refs, &flag_skills, &flag_registry, &flag_write_root, &flag_config,
                  &flag_no_config, &flag_format, &flag_now, &flag_seed, &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton convert --to universal -o new.json old.json", "bring a handoff to version 3.0"},
        {"baton convert --to universal --strict -f json old.json", "fail when something is lost"},
        {"baton convert --to universal --step 2 --problem-type research work.steps.csv",
         "hand over one step of a plan"}),
    .work = run_convert,
};

/* Check the word of a dialect flag. False after an error message. */
static bool is_known(const struct cli_options *options, const struct cli_flag *flag,
                     const char *value)
{
    for (size_t i = 0; cli_kind_word(flag->kind, i).len > 0; i++) {
        if (bt_str_eq(cli_kind_word(flag->kind, i), bt_str_of(value))) {
            return true;
        }
    }
    (void)cli_usage_error(options->command, "--%s does not know %s", flag->name, value);
    return false;
}

static bool has_good_dialects(const struct cli_options *options)
{
    const char *to = cli_given(options, &flag_to);
    const char *from = cli_given(options, &flag_from);
    if (!to) {
        (void)cli_usage_error(options->command, "--to is missing: --to universal");
        return false;
    }
    return is_known(options, &flag_to, to) && (!from || is_known(options, &flag_from, from));
}

/* A file name that determines the dialect takes precedence over the content. */
static enum bt_dialect_id dialect_of(const struct cli_options *options, bt_str path)
{
    const char *from = cli_given(options, &flag_from);
    return from ? bt_dialect_find(bt_str_of(from)) : bt_dialect_recognise(path, BT_STR(""));
}

static int convert_document(struct cli_run *run, const struct cli_document_out *where)
{
    const struct cli_options *options = run->options;
    struct cli_input read;
    struct bt_universal_draft draft;
    if (!cli_run_read(run, options->operands[0], &read) || !cli_draft_flags(run, &draft)) {
        return CLI_FAILED;
    }
    const char *step = cli_given(options, &flag_step);
    const struct bt_universal_convert_options how = {
        .from = dialect_of(options, read.path),
        .step = step ? bt_str_of(step) : BT_STR(""),
        .keep_unmapped = cli_given(options, &flag_keep_rest) != NULL,
        .strict = cli_given(options, &flag_strict) != NULL,
        .draft = &draft,
    };
    const struct bt_universal_input input = {read.path, read.content, &run->universal->how};
    struct bt_universal_result result;
    struct bt_error error;
    const enum bt_status status =
        bt_universal_convert(run->universal->checker, &run->arena, &input, &how, &result, &error);
    if (status != BT_OK) {
        return universal_run_fail(read.path, status, &error);
    }
    return cli_document_write(options, where, &run->arena, &read, &result);
}

static int run_convert(struct cli_run *run)
{
    struct cli_document_out where;
    return has_good_dialects(run->options) &&
                   cli_document_write_init(run->options, run->options->operands[0], &where) &&
                   universal_run_begin(run)
               ? convert_document(run, &where)
               : CLI_FAILED;
}
