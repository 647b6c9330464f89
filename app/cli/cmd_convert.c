/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_convert.c - baton convert --to universal FILE
 */
#include <string.h>

#include "commands.h"
#include "draft_flags.h"
#include "print.h"
#include "universal_flags.h"
#include "write_document.h"

static cli_run_fn run;

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

static const struct cli_flag *const flags[] = {
    &flag_to,           &flag_from,
    &flag_step,         &flag_document,
    &flag_diff,         &flag_keep_rest,
    &flag_strict,       CLI_DRAFT_FLAGS,
    &flag_tokens,       &flag_token_dir,
    &flag_token_budget, &flag_no_refs,
    &flag_skills,       &flag_registry,
    &flag_write_root,   &flag_config,
    &flag_no_config,    &flag_format,
    &flag_now,          &flag_seed,
    &flag_help,         NULL,
};

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
    .flags = flags,
    .examples = CLI_EXAMPLES(
        {"baton convert --to universal -o new.json old.json", "bring a handoff to version 3.0"},
        {"baton convert --to universal --strict -f json old.json", "fail when something is lost"},
        {"baton convert --to universal --step 2 --problem-type research work.steps.csv",
         "hand over one step of a plan"}),
    .run = run,
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

static int convert_document(struct cli_universal_run *run, const struct cli_document_out *where)
{
    const struct cli_options *options = run->options;
    struct cli_input read;
    struct bt_universal_draft draft;
    if (!universal_run_read(run, options->operands[0], &read) || !cli_draft_flags(run, &draft)) {
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
    const struct bt_universal_input input = {read.path, read.content, &run->how};
    struct bt_universal_result result;
    struct bt_error error;
    const enum bt_status status =
        bt_universal_convert(run->universal, &run->arena, &input, &how, &result, &error);
    if (status != BT_OK) {
        return universal_run_fail(read.path, status, &error);
    }
    return cli_document_write(options, where, &run->arena, &read, &result);
}

static int run(const struct cli_options *options)
{
    struct cli_universal_run run;
    struct cli_document_out where;
    if (!has_good_dialects(options) ||
        !cli_document_write_init(options, options->operands[0], &where) ||
        !universal_run_begin(&run, options)) {
        return CLI_FAILED;
    }
    const int code = convert_document(&run, &where);
    universal_run_end(&run);
    return code;
}
