/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_contract_sections.c - baton contract sections [NAME]
 */
#include <inttypes.h>

#include "commands.h"
#include "gate_run.h"
#include "operation/contract_json.h"
#include "print.h"

enum { OUTPUT_BYTES_MAX = 1 << 30 };

static cli_run_fn run;

/* clang-format off */
static const struct cli_flag flag_history = {"history", 0, NULL, CLI_ANY,
    "every version instead of what is in force", NULL};
/* clang-format on */

const struct cli_command cmd_contract_sections = {
    .name = "baton contract sections",
    .operands = "[NAME]",
    .summary = "show the sections that reports have updated",
    .about = "Sections are JSON objects, one per workspace and name, that the update_contracts of "
             "accepted reports are merged into. Exit 1: there is none of this NAME.\n",
    .missing = "",
    .operands_max = 1,
    .flags = CLI_FLAGS(&flag_config, &flag_no_config, &flag_store, &flag_store_root, &flag_deadline,
                       &flag_workspace, &flag_history, &flag_format, &flag_help),
    .examples =
        CLI_EXAMPLES({"baton contract sections", "what agents have written about the project"},
                     {"baton contract sections --history services", "how one section came about"}),
    .run = run,
};

static void put_text(struct bt_buf *buf, const struct bt_contract_section_list *sections,
                     bool history)
{
    for (size_t i = 0; i < sections->count; i++) {
        const struct bt_contract_section *section = &sections->items[i];
        bt_buf_put_printable(buf, section->name, SIZE_MAX);
        if (history) {
            bt_buf_printf(buf, " %" PRIu64, section->version);
        }
        bt_buf_put_char(buf, ' ');
        bt_buf_put_printable(buf, section->value, SIZE_MAX);
        bt_buf_put_char(buf, '\n');
    }
}

static int print_sections(struct cli_gate_run *run)
{
    const struct cli_options *options = run->contract.options;
    const bool history = cli_given(options, &flag_history) != NULL;
    const bt_str name = bt_str_of(options->operand_count > 0 ? options->operands[0] : "");
    struct bt_contract_section_list sections;
    struct bt_buf buf;
    if (!gate_run_names(run) || !gate_run_open(run, GATE_READ)) {
        return CLI_FAILED;
    }
    if (bt_contract_sections_list(&run->gate, run->workspace, name, history, &sections,
                                  &run->ledger.error) != BT_OK) {
        return ledger_run_failed(&run->ledger, "cannot read the sections");
    }
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    if (ledger_run_is_json(options)) {
        bt_emit_contract_sections(&buf, run->workspace, &sections, history);
        bt_buf_put_char(&buf, '\n');
    } else {
        put_text(&buf, &sections, history);
    }
    const int code = cli_print_buf(&buf);
    return code == CLI_DONE && name.len > 0 && sections.count == 0 ? CLI_REJECTED : code;
}

static int run(const struct cli_options *options)
{
    struct cli_gate_run run;
    const bool ready = gate_run_begin(&run, options);
    return gate_run_end(&run, ready ? print_sections(&run) : CLI_FAILED);
}
