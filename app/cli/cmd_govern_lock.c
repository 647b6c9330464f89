/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_govern_lock.c - baton govern lock, baton govern lock update
 */
#include "commands.h"
#include "govern_store.h"
#include "print.h"

static cli_run_fn run_update;

const struct cli_command cmd_govern_lock = {
    .name = "baton govern lock",
    .operands = "COMMAND",
    .summary = "verify or renew the lock of a catalogue",
    .about = "",
    .missing = "lock what? verify or update",
    .flags = CLI_FLAGS(&flag_help),
    .examples = CLI_EXAMPLES(
        {"baton govern lock verify --root prompts", "do lock and files agree?"},
        {"baton govern lock update --root prompts", "lock what was changed and given a version"}),
    .parts = CLI_PARTS(&cmd_govern_lock_verify, &cmd_govern_lock_update),
};

/* clang-format off */
static const struct cli_flag flag_init = {"init", 0, NULL, CLI_ANY,
    "make the first lock", NULL};
static const struct cli_flag flag_prune = {"prune", 0, NULL, CLI_ANY,
    "drop entries of agents that the manifest no longer lists", NULL};
static const struct cli_flag flag_dry_run = {"dry-run", 0, NULL, CLI_ANY,
    "say what would be written, and write nothing", NULL};
/* clang-format on */

const struct cli_command cmd_govern_lock_update = {
    .name = "baton govern lock update",
    .operands = "",
    .summary = "write the lock anew from the files",
    .about = "A prompt whose bytes changed needs a higher version in the manifest, and any change "
             "a higher version of the manifest itself; otherwise nothing is written. A lock that "
             "is not there is made with --init alone, and a broken one is never overwritten. "
             "Agents that are blocked stay so.\n",
    .missing = "",
    .flags = CLI_FLAGS(&flag_init, &flag_prune, &flag_dry_run, CLI_GOVERN_ROOT_FLAGS, &flag_output,
                       &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton govern lock update --root prompts", "lock what was changed and given a version"},
        {"baton govern lock update --init --root prompts", "trust the files as they are now"}),
    .run = run_update,
};

/* Replace the lock below the governed root atomically. */
static bool write_lock(struct cli_govern_run *run, bt_str text)
{
    struct bt_error error;
    bt_str path;
    enum bt_status status =
        bt_arena_printf(&run->arena, &path, "%.*s/%.*s", BT_STR_ARG(run->flags.root_path),
                        BT_STR_ARG(run->flags.options.lock));
    if (status != BT_OK) {
        (void)bt_error_set(&error, status, "%s", bt_status_text(status));
    } else {
        status = bt_file_replace(path, text, &error);
    }
    if (status != BT_OK) {
        cli_print_error("cannot write the lock: %s", error.text);
    }
    return status == BT_OK;
}

static int update_lock(struct cli_govern_run *run)
{
    const struct bt_governed_lock_options lock_options = {
        .init = cli_given(run->options, &flag_init) != NULL,
        .prune = cli_given(run->options, &flag_prune) != NULL};
    const bool is_dry = cli_given(run->options, &flag_dry_run) != NULL;
    struct bt_governed_lock_result made;
    const enum bt_status status = bt_governed_update_lock(
        run->governed, &run->flags.options, &lock_options, is_dry, run->report, &made);
    if (status != BT_OK) {
        return govern_run_fail(run, status);
    }
    if (made.text.len > 0 && !is_dry && !write_lock(run, made.text)) {
        return CLI_FAILED;
    }
    return govern_run_report(run, made.members);
}

static int run_update(const struct cli_options *options)
{
    struct cli_govern_run run;
    const bool ready = govern_run_begin(&run, options, true);
    return govern_run_end(&run, ready ? update_lock(&run) : CLI_FAILED);
}
