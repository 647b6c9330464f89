/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_seal.c - baton seal FILE
 */
#include "commands.h"
#include "universal_flags.h"
#include "universal_run.h"
#include "write_document.h"

static cli_run_fn run;

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
    .run = run,
};

static int seal_document(struct cli_universal_run *run, const struct cli_document_out *where)
{
    struct cli_input read;
    if (!universal_run_read(run, run->options->operands[0], &read)) {
        return CLI_FAILED;
    }
    const struct bt_universal_input input = {read.path, read.content, &run->how};
    const bool reseal = cli_given(run->options, &flag_reseal) != NULL;
    struct bt_universal_result result;
    const enum bt_status status =
        bt_universal_seal(run->universal, &run->arena, &input, reseal, &result);
    if (status != BT_OK) {
        return universal_run_fail(read.path, status, NULL);
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
    const int code = seal_document(&run, &where);
    universal_run_end(&run);
    return code;
}
