/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_explain.c - baton explain CODE
 *
 * Prints everything the registry has about one code, once per dialect that uses it.
 */
#include "commands.h"
#include "operation/rule_text.h"
#include "print.h"
#include "suggest.h"

static cli_run_fn run;

const struct cli_command cmd_explain = {
    .name = "baton explain",
    .operands = "CODE",
    .summary = "say what the code of a finding means and what to do",
    .about = "Prints the rule behind a code: its severity and stage, why it matters, what to do "
             "about it, and the smallest document that breaks it beside one that does not.\n",
    .missing = "explain what? give the CODE of a finding; baton rules lists them",
    .operands_min = 1,
    .operands_max = 1,
    .operand_kind = CLI_CODE,
    .flags = CLI_FLAGS(&flag_rule_format, &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton explain JSON_DUPLICATE_KEY", "what the code means, why it matters, what to do"},
        {"baton explain JSON_SYNTAX -f json", "the same row for programs"}),
    .run = run,
};

static void put_group_json(struct bt_buf *buf, size_t first)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_name(&emit, "rule");
    bt_rule_emit_group(&emit, first);
    bt_emit_end(&emit);
    bt_buf_put_char(buf, '\n');
}

static int run(const struct cli_options *options)
{
    const bt_str code = bt_str_of(options->operands[0]);
    const size_t first = bt_rules_find(code);
    if (first == bt_rules_count()) {
        struct cli_suggestion guess = cli_guess_for(code);
        cli_guess_try_kind(&guess, CLI_CODE);
        return cli_print_unknown(options->command, "code", "", &guess);
    }
    const enum bt_report_format format =
        options->output_count > 0 ? options->outputs[0].format : BT_REPORT_FORMAT_FULL;
    struct bt_buf buf;
    bt_buf_init(&buf, RULES_BYTES_MAX);
    if (format == BT_REPORT_FORMAT_JSON) {
        put_group_json(&buf, first);
    } else {
        bt_rule_put_group(&buf, first,
                          format == BT_REPORT_FORMAT_MARKDOWN ? bt_rule_put_markdown
                                                              : bt_rule_put_full);
    }
    return cli_print_buf(&buf);
}
