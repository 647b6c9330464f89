/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_contract_sections.c - baton contract sections [NAME]
 */
#include <inttypes.h>

#include <baton/json.h>

#include "commands.h"
#include "gate_run.h"
#include "say.h"

enum { OUTPUT_BYTES_MAX = 1 << 30 };

static cli_run_fn run;

/* clang-format off */
static const struct cli_flag flag_history = {"history", 0, NULL, CLI_ANY,
    "every version instead of what is in force", NULL};

static const struct cli_flag *const flags[] = {
    &flag_config, &flag_store, &flag_store_root, &flag_deadline,
    &flag_workspace, &flag_history, &flag_format,
    &flag_help, NULL,
};
/* clang-format on */

static const struct cli_example examples[] = {
    {"baton contract sections", "what agents have written about the project"},
    {"baton contract sections --history services", "how one section came about"},
    {NULL, NULL},
};

const struct cli_command cmd_contract_sections = {
    .name = "baton contract sections",
    .operands = "[NAME]",
    .summary = "show the sections that reports have updated",
    .about = "Sections are JSON objects, one per workspace and name, that the update_contracts of "
             "accepted reports are merged into. Exit 1: there is none of this NAME.\n",
    .missing = "",
    .operands_max = 1,
    .flags = flags,
    .examples = examples,
    .run = run,
};

static void put_version(struct bt_emit *emit, const struct bt_kept_section *section)
{
    bt_emit_object(emit);
    bt_emit_member_string(emit, "contract", section->name);
    bt_emit_member_u64(emit, "version", section->version);
    bt_emit_member_string(emit, "sha256", section->sha256);
    bt_emit_name(emit, "value");
    bt_emit_raw(emit, section->value);
    bt_emit_end(emit);
}

static void put_json(struct bt_buf *buf, bt_str workspace, const struct bt_kept_sections *sections,
                     bool history)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "workspace", workspace);
    bt_emit_name(&emit, history ? "history" : "sections");
    if (history) {
        bt_emit_array(&emit);
    } else {
        bt_emit_object(&emit);
    }
    for (size_t i = 0; i < sections->count; i++) {
        if (history) {
            put_version(&emit, &sections->items[i]);
            continue;
        }
        bt_emit_name_str(&emit, sections->items[i].name);
        bt_emit_raw(&emit, sections->items[i].value);
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    bt_buf_put_char(buf, '\n');
}

static void put_text(struct bt_buf *buf, const struct bt_kept_sections *sections, bool history)
{
    for (size_t i = 0; i < sections->count; i++) {
        const struct bt_kept_section *section = &sections->items[i];
        bt_buf_put_visible(buf, section->name, SIZE_MAX);
        if (history) {
            bt_buf_printf(buf, " %" PRIu64, section->version);
        }
        bt_buf_put_char(buf, ' ');
        bt_buf_put_visible(buf, section->value, SIZE_MAX);
        bt_buf_put_char(buf, '\n');
    }
}

static int show(struct gate_run *run)
{
    const struct cli_options *options = run->contract.options;
    const bool history = cli_given(options, &flag_history) != NULL;
    const bt_str name = bt_str_of(options->operand_count > 0 ? options->operands[0] : "");
    struct bt_kept_sections sections;
    struct bt_buf buf;
    if (!gate_run_names(run) || !gate_run_open(run, GATE_READ)) {
        return CLI_FAILED;
    }
    if (bt_gate_sections(&run->gate, run->workspace, name, history, &sections,
                         &run->ledger.error) != BT_OK) {
        return ledger_run_failed(&run->ledger, "cannot read the sections");
    }
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    if (ledger_run_is_json(options)) {
        put_json(&buf, run->workspace, &sections, history);
    } else {
        put_text(&buf, &sections, history);
    }
    const int code = cli_print_buf(&buf);
    return code == CLI_DONE && name.len > 0 && sections.count == 0 ? CLI_REJECTED : code;
}

static int run(const struct cli_options *options)
{
    struct gate_run run;
    const bool ready = gate_run_begin(&run, options);
    return gate_run_end(&run, ready ? show(&run) : CLI_FAILED);
}
