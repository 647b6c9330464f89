/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_write.c - baton write FILE
 */
#include "commands.h"
#include "tracing.h"
#include "universal_flags.h"
#include "universal_run.h"

static cli_run_fn run;

/* clang-format off */
static const struct cli_flag flag_seal = {"seal", 0, NULL, CLI_ANY,
    "set hash, size and token count first", NULL};
static const struct cli_flag flag_dry_run = {"dry-run", 0, NULL, CLI_ANY,
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
    .flags =
        CLI_FLAGS(&flag_seal, &flag_dry_run, &flag_write_root, CLI_UNIVERSAL_FLAGS, &flag_trace_log,
                  &flag_format, &flag_config, &flag_no_config, &flag_limit, &flag_now, &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton write handoff.json", "check a handoff and put it where its receiver looks"},
        {"make-handoff | baton write --seal", "seal what another program writes, and put it there"},
        {"baton write --root /srv/agents handoff.json", "only ever write beneath this folder"}),
    .run = run,
};

static int write_document(struct cli_universal_run *run)
{
    const struct cli_options *options = run->options;
    const struct bt_universal_write_options how = {
        .seal = cli_given(options, &flag_seal) != NULL,
        .dry_run = cli_given(options, &flag_dry_run) != NULL,
        .roots = run->roots,
    };
    struct cli_input read;
    if (!universal_run_read(run, options->operand_count > 0 ? options->operands[0] : "-", &read)) {
        return CLI_FAILED;
    }
    const struct bt_universal_input input = {read.path, read.content, &run->how};
    struct bt_universal_result result;
    struct bt_error error;
    const enum bt_status status =
        bt_universal_write(run->universal, &run->arena, &input, &how, &result, &error);
    if (status != BT_OK) {
        return universal_run_fail(read.path, status, &error);
    }
    return universal_run_written(run, how.dry_run, &result);
}

static int run(const struct cli_options *options)
{
    struct cli_universal_run run;
    if (!universal_run_begin(&run, options)) {
        return CLI_FAILED;
    }
    const int code = write_document(&run);
    universal_run_end(&run);
    return code;
}
