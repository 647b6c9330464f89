/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_govern_verify.c - baton govern verify-root, baton govern lock verify
 */
#include "commands.h"
#include "govern_store.h"

static cli_run_fn run_root;
static cli_run_fn run_lock;

static const struct cli_flag *const flags[] = {CLI_GOVERN_ROOT_FLAGS, &flag_output, &flag_help,
                                               NULL};

const struct cli_command cmd_govern_verify_root = {
    .name = "baton govern verify-root",
    .operands = "",
    .summary = "judge a whole catalogue: manifest, lock, boundaries, prompts",
    .about = "Hashes every prompt file and compares it with the lock, the lock with the manifest, "
             "and the boundaries and headings of prompts with what is in force. One document for "
             "each file; prompts that nobody lists are told as well.\n",
    .missing = "",
    .flags = flags,
    .examples = CLI_EXAMPLES(
        {"baton govern verify-root --root prompts", "is everything in the catalogue sound?"}),
    .run = run_root,
};

const struct cli_command cmd_govern_lock_verify = {
    .name = "baton govern lock verify",
    .operands = "",
    .summary = "compare the lock with manifest and files",
    .about = "Digests are shown: this is for the maintainer of the governed root, not for the "
             "agents whose handoffs are checked.\n",
    .missing = "",
    .flags = flags,
    .examples =
        CLI_EXAMPLES({"baton govern lock verify --root prompts", "do lock and files agree?"}),
    .run = run_lock,
};

typedef enum bt_status verify_fn(struct bt_governed_checker *governed,
                                 const struct bt_governed_options *options,
                                 struct bt_report *report);

static int run_verification(const struct cli_options *options, verify_fn *function)
{
    struct cli_govern_run run;
    if (!govern_run_begin(&run, options, true)) {
        return govern_run_end(&run, CLI_FAILED);
    }
    const enum bt_status status = function(run.governed, &run.flags.options, run.report);
    return govern_run_end(&run, status == BT_OK ? govern_run_report(&run, BT_STR(""))
                                                : govern_run_fail(&run, status));
}

static int run_root(const struct cli_options *options)
{
    return run_verification(options, bt_governed_verify_root);
}

static int run_lock(const struct cli_options *options)
{
    return run_verification(options, bt_governed_verify_lock);
}
