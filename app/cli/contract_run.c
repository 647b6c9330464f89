/* SPDX-License-Identifier: Apache-2.0 */
/* contract_run.c - shared by the commands of `baton contract`: begin, read, report, end. */
#include "contract_run.h"

#include "output.h"
#include "print.h"

enum { RUN_BYTES_MAX = 1 << 30 };

bool contract_run_begin(struct cli_contract_run *run, const struct cli_options *options)
{
    *run = (struct cli_contract_run){.options = options};
    bt_arena_init(&run->arena, RUN_BYTES_MAX);
    if (!cli_env_init(options, &run->env)) {
        return false;
    }
    const enum bt_status status = bt_contract_checker_create(&run->env, &run->contract);
    if (status != BT_OK) {
        (void)contract_run_fail(status);
        return false;
    }
    return cli_contract_options(options, &run->env, &run->arena, &run->flags);
}

void contract_run_end(struct cli_contract_run *run)
{
    bt_contract_checker_destroy(run->contract);
    bt_arena_free(&run->arena);
}

bool contract_run_message(struct cli_contract_run *run, struct cli_input *out)
{
    const struct cli_options *options = run->options;
    const char *text = cli_given(options, &flag_text);
    if ((text != NULL) + options->operand_count != 1) {
        (void)cli_usage_error(options->command, "give one message: a PATH, - or --text");
        return false;
    }
    if (text) {
        *out = (struct cli_input){BT_STR("<text>"), bt_str_of(text)};
        return true;
    }
    return cli_input_read(&run->arena, options->operands[0], run->env.limits.document_bytes, out);
}

bool contract_run_number(const struct cli_contract_run *run, const struct cli_flag *flag,
                         uint64_t *out)
{
    const char *value = cli_given(run->options, flag);
    if (!value || (bt_str_to_u64(bt_str_of(value), out) == BT_OK && *out > 0)) {
        return true;
    }
    (void)cli_usage_error(run->options->command, "--%s wants a whole number from 1, not %s",
                          flag->name, value);
    return false;
}

int contract_run_report(struct cli_contract_run *run, const struct bt_judgement *judged,
                        bt_str members)
{
    struct bt_report *report = bt_report_new(&run->arena);
    if (!report || bt_report_add(report, judged) != BT_OK) {
        return contract_run_fail(BT_ENOMEM);
    }
    if (!cli_report_write_with(run->options, report, members)) {
        return CLI_FAILED;
    }
    return judged->verdict == BT_VERDICT_ACCEPTED ? CLI_DONE : CLI_REJECTED;
}

int contract_run_fail(enum bt_status status)
{
    cli_print_error("%s", bt_status_text(status));
    return CLI_FAILED;
}
