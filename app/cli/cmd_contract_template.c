/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_contract_template.c - baton contract template
 */
#include "commands.h"
#include "contract_run.h"
#include "output.h"
#include "print.h"
#include "suggest.h"

enum { TEXT_BYTES_MAX = 1 << 20 };

static cli_run_fn run;

/* clang-format off */
static const struct cli_flag flag_status = {"status", 0, "STATUS", CLI_PLAN_STATUS,
    "the status to report (default IN_PROGRESS)", NULL};
static const struct cli_flag flag_agent_id = {"agent-id", 0, "ID", CLI_ANY,
    "the id of the agent", NULL};
static const struct cli_flag flag_without_fence = {"bare", 0, NULL, CLI_ANY,
    "without the fence", NULL};
/* clang-format on */

const struct cli_command cmd_contract_template = {
    .name = "baton contract template",
    .operands = "",
    .summary = "print a blank block",
    .about = "Prints the block that an agent fills in to end its turn. COMPLETE adds the "
             "verification, APPROVAL_REQUEST the request, and an INPUT that demands it the "
             "consolidation report.\n",
    .missing = "",
    .flags = CLI_FLAGS(&flag_status, &flag_agent_id, &flag_input, &flag_without_fence,
                       &flag_table_format, &flag_help),
    .examples = CLI_EXAMPLES({"baton contract template", "a blank block of an agent that goes on"},
                             {"baton contract template --status COMPLETE --input input.json",
                              "one for work that is done, with what the INPUT demands"}),
    .run = run,
};

static bool take_wanted(const struct cli_contract_run *run, struct bt_contract_template *out)
{
    const struct cli_options *options = run->options;
    const char *status = cli_given(options, &flag_status);
    const char *id = cli_given(options, &flag_agent_id);
    *out = (struct bt_contract_template){
        .agent_id = bt_str_of(id),
        .consolidation_required = run->flags.input.consolidation_required,
    };
    if (status && bt_contract_status_parse(bt_str_of(status), &out->status) != BT_OK) {
        struct cli_suggestion guess = cli_guess_for(bt_str_of(status));
        cli_guess_try_kind(&guess, CLI_PLAN_STATUS);
        (void)cli_print_unknown(options->command, "status", "", &guess);
        return false;
    }
    if (id && !bt_agent_id_is_valid(out->agent_id)) {
        (void)cli_usage_error(
            options->command,
            "--agent-id wants `a` and 5 to 127 lower-case hexadecimal digits, not %s", id);
        return false;
    }
    return true;
}

static int print_template(const struct cli_contract_run *run,
                          const struct bt_contract_template *wanted)
{
    struct bt_buf text;
    bt_buf_init(&text, TEXT_BYTES_MAX);
    if (cli_given(run->options, &flag_without_fence)) {
        bt_contract_put_template(&text, wanted, true);
        bt_buf_put_char(&text, '\n');
    } else {
        bt_contract_put_block(&text, wanted);
    }
    if (!cli_wants_json(run->options)) {
        return cli_print_document(&text);
    }
    struct bt_buf json;
    bt_buf_init(&json, TEXT_BYTES_MAX);
    bt_buf_put_text(&json, "{\"baton\":1,\"template\":");
    bt_contract_put_template(&json, wanted, false);
    bt_buf_put_text(&json, ",\"text\":");
    bt_json_put_string(&json, bt_buf_str(&text));
    bt_buf_put_text(&json, "}\n");
    bt_buf_free(&text);
    return cli_print_buf(&json);
}

static int run(const struct cli_options *options)
{
    struct cli_contract_run run;
    struct bt_contract_template wanted;
    const bool ready = contract_run_begin(&run, options) && take_wanted(&run, &wanted);
    const int code = ready ? print_template(&run, &wanted) : CLI_FAILED;
    contract_run_end(&run);
    return code;
}
