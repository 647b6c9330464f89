/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_compress.c - baton compress FILE
 */
#include "commands.h"
#include "print.h"
#include "universal_flags.h"
#include "universal_run.h"
#include "write_document.h"

enum { BUDGET_MAX = 2000 };

static cli_run_fn run;

/* clang-format off */
static const struct cli_flag flag_literal = {"literal", 0, NULL, CLI_ANY,
    "the original order: drop session and end of validity first, and keep nothing of them", NULL};
/* clang-format on */

const struct cli_command cmd_compress = {
    .name = "baton compress",
    .operands = "FILE|-",
    .summary = "make a universal handoff fit its token budget",
    .about =
        "Takes the smallest steps that help: white space, optional members one by one, the "
        "session moved to a file beside the handoff, long texts cut. The first step that fits ends "
        "the work, and every change is listed in facts.changes.\n"
        "A document that cannot be made to fit, or that has other faults, is left alone: its "
        "findings are reported and nothing is written.\n",
    .missing = "nothing to compress: give a FILE, or - for standard input",
    .operands_min = 1,
    .operands_max = 1,
    .operand_kind = CLI_FILE,
    .flags = CLI_FLAGS(&flag_literal, CLI_DOCUMENT_FLAGS, &flag_diff, &flag_write_root,
                       CLI_UNIVERSAL_FLAGS, &flag_format, &flag_config, &flag_no_config,
                       &flag_limit, &flag_now, &flag_help),
    .examples =
        CLI_EXAMPLES({"baton compress -o small.json large.json", "make a handoff fit 2000 tokens"},
                     {"baton compress --budget 1500 --in-place large.json",
                      "make it fit less, in its own place"},
                     {"baton compress --diff large.json", "show what would go"}),
    .run = run,
};

static int compress_document(struct cli_universal_run *run, const struct cli_document_out *where)
{
    const struct bt_universal_compress_options how = {
        .original_order = cli_given(run->options, &flag_literal) != NULL,
        .no_spill = where->diff,
        .roots = run->roots,
    };
    struct cli_input read;
    if (!universal_run_read(run, run->options->operands[0], &read)) {
        return CLI_FAILED;
    }
    const struct bt_universal_input input = {read.path, read.content, &run->how};
    struct bt_universal_result result;
    struct bt_error error;
    const enum bt_status status =
        bt_universal_compress(run->universal, &run->arena, &input, &how, &result, &error);
    if (status != BT_OK) {
        return universal_run_fail(read.path, status, &error);
    }
    return cli_document_write(run->options, where, &run->arena, &read, &result);
}

static int run(const struct cli_options *options)
{
    struct cli_universal_run run;
    struct cli_document_out where;
    if (!cli_document_write_init(options, options->operands[0], &where) ||
        !universal_run_begin(&run, options)) {
        return CLI_FAILED;
    }
    int code = CLI_FAILED;
    if (run.how.budget > BUDGET_MAX) {
        (void)cli_usage_error(options->command, "--budget wants a number from 1 to %d", BUDGET_MAX);
    } else {
        code = compress_document(&run, &where);
    }
    universal_run_end(&run);
    return code;
}
