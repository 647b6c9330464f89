/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_new.c - baton new universal
 */
#include "commands.h"
#include "draft_flags.h"
#include "print.h"
#include "tracing.h"
#include "universal_flags.h"

static cli_run_fn run;

/* clang-format off */
static const struct cli_flag flag_dry_run = {"dry-run", 0, NULL, CLI_ANY,
    "only say where the file would go", NULL};
/* clang-format on */

static const struct cli_flag *const flags[] = {
    CLI_DRAFT_FLAGS,
    &flag_skills,
    &flag_registry,
    &flag_trace_log,
    &flag_dry_run,
    &flag_write_root,
    &flag_tokens,
    &flag_token_dir,
    &flag_token_budget,
    &flag_no_refs,
    &flag_config,
    &flag_no_config,
    &flag_format,
    &flag_now,
    &flag_seed,
    &flag_help,
    NULL,
};

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
    .flags = flags,
    .examples = CLI_EXAMPLES(
        {"xargs baton new universal < flags.txt", "make a handoff from flags that a file holds"},
        {"xargs baton new universal --dry-run -f json < flags.txt", "look at it first"}),
    .run = run,
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

static int write_handoff(struct cli_universal_run *run)
{
    const struct cli_options *options = run->options;
    struct bt_universal_draft draft;
    struct bt_universal_input input = {BT_STR("<new>"), BT_STR(""), &run->how};
    struct bt_error error;
    if (!cli_draft_flags(run, &draft)) {
        return CLI_FAILED;
    }
    enum bt_status status =
        bt_universal_draft_write(run->universal, &run->arena, &draft, &input.text, &error);
    if (status != BT_OK) {
        return universal_run_fail(input.path, status, status == BT_EINVAL ? &error : NULL);
    }
    const struct bt_universal_write_options how = {
        .dry_run = cli_given(options, &flag_dry_run) != NULL,
        .show_document = true,
        .roots = run->roots,
    };
    struct bt_universal_result result;
    status = bt_universal_write(run->universal, &run->arena, &input, &how, &result, &error);
    if (status != BT_OK) {
        return universal_run_fail(input.path, status, &error);
    }
    return universal_run_written(run, how.dry_run, &result);
}

static int run(const struct cli_options *options)
{
    struct cli_universal_run run;
    if (!has_needed_flags(options) || !universal_run_begin(&run, options)) {
        return CLI_FAILED;
    }
    const int code = write_handoff(&run);
    universal_run_end(&run);
    return code;
}
