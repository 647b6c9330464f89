/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_govern_submit.c - baton govern submit, baton govern respond
 */
#include "commands.h"
#include "govern_store.h"

static cli_run_fn run_submit;
static cli_run_fn run_respond;

/* clang-format off */
static const struct cli_flag flag_dry_run = {"dry-run", 0, NULL, CLI_ANY,
    "judge against the store, and write nothing", NULL};

static const struct cli_flag *const flags[] = {
    CLI_GOVERN_FLAGS, &flag_dry_run, &flag_report_out, &flag_help, NULL,
};
/* clang-format on */

const struct cli_command cmd_govern_submit = {
    .name = "baton govern submit",
    .operands = "FILE|-",
    .summary = "decide whether a handoff may go, and record it",
    .about = "Judges the handoff as baton check does, then its age, whether its agents are "
             "blocked, and whether its id was accepted before. The decision is in the ledger "
             "before it is printed, refusals too; a refusal carries the document that answers it. "
             "Disagreeing bytes block the agent until an operator lifts that. A SQLite store that "
             "--store names is made when it is not there.\n",
    .missing = "submit what? give a FILE, or - for standard input",
    .operands_min = 1,
    .operands_max = 1,
    .operand_kind = CLI_FILE,
    .flags = flags,
    .examples = CLI_EXAMPLES(
        {"baton govern submit handoff.json --root prompts --store .baton/store.db", "may it go?"},
        {"baton govern submit handoff.json --root prompts --dry-run", "would it?"}),
    .use = BT_CONFIG_DECIDES,
    .run = run_submit,
};

const struct cli_command cmd_govern_respond = {
    .name = "baton govern respond",
    .operands = "FILE|-",
    .summary = "decide whether a response counts, and record it",
    .about = "A response answers an accepted handoff of the store, comes from its target and is "
             "not older than it. success, error and refused close the handoff; partial leaves it "
             "open.\n",
    .missing = "respond with what? give a FILE, or - for standard input",
    .operands_min = 1,
    .operands_max = 1,
    .operand_kind = CLI_FILE,
    .flags = flags,
    .examples =
        CLI_EXAMPLES({"baton govern respond response.json --root prompts --store .baton/store.db",
                      "take the answer to a handoff"}),
    .use = BT_CONFIG_DECIDES,
    .run = run_respond,
};

static int decide_document(struct cli_govern_store *store, enum bt_governed_submission_kind kind)
{
    const bool is_dry = cli_given(store->run.options, &flag_dry_run) != NULL;
    const bool may_make = kind == BT_GOVERNED_SUBMISSION_HANDOFF && !is_dry;
    bool is_done = false;
    if (!govern_store_read(store, kind) || !govern_store_open(store, is_dry     ? GOVERN_READ
                                                                     : may_make ? GOVERN_MAKE
                                                                                : GOVERN_WRITE)) {
        return CLI_FAILED;
    }
    const int code = govern_store_decide(store, is_dry, &is_done);
    if (!is_done) {
        return code;
    }
    if (bt_report_add(store->run.report, &store->judged) != BT_OK) {
        return govern_run_fail(&store->run, BT_ENOMEM);
    }
    return govern_run_report(&store->run, BT_STR(""));
}

static int run(const struct cli_options *options, enum bt_governed_submission_kind kind)
{
    struct cli_govern_store store;
    const bool ready = govern_store_begin(&store, options, true);
    return govern_store_end(&store, ready ? decide_document(&store, kind) : CLI_FAILED);
}

static int run_submit(const struct cli_options *options)
{
    return run(options, BT_GOVERNED_SUBMISSION_HANDOFF);
}

static int run_respond(const struct cli_options *options)
{
    return run(options, BT_GOVERNED_SUBMISSION_RESPONSE);
}
