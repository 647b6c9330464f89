/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_run.c - shared by the commands that decide contract blocks against a store: begin, open,
 * end.
 */
#include "gate_run.h"

#include "print.h"
#include "workspace.h"

bool gate_run_begin(struct cli_gate_run *run, const struct cli_options *options)
{
    *run = (struct cli_gate_run){.workspace = BT_STR(""), .session = BT_STR("")};
    const bool ready = ledger_run_begin(&run->ledger, options);
    return contract_run_begin(&run->contract, options) && ready;
}

int gate_run_end(struct cli_gate_run *run, int code)
{
    contract_run_end(&run->contract);
    return ledger_run_end(&run->ledger, code);
}

/* The text of a flag, if it is given. False after an error message about an empty one. */
static bool take_text(struct cli_gate_run *run, const struct cli_flag *flag, bt_str *out)
{
    const char *text = cli_given(run->contract.options, flag);
    if (!text) {
        return true;
    }
    *out = bt_str_of(text);
    if (out->len == 0 || bt_utf8_check(*out) != out->len) {
        (void)cli_usage_error(run->contract.options->command, "--%s wants a name", flag->name);
        return false;
    }
    return true;
}

bool gate_run_names(struct cli_gate_run *run)
{
    run->session = BT_STR("default");
    if (!take_text(run, &flag_workspace, &run->workspace) ||
        !take_text(run, &flag_agent_session, &run->session)) {
        return false;
    }
    const bt_str configured = bt_config_text(run->contract.options->config, "contract.workspace");
    run->workspace = run->workspace.len > 0 ? run->workspace : configured;
    if (run->workspace.len > 0) {
        return true;
    }
    const char *root = cli_given(run->contract.options, &flag_store_root);
    const enum bt_status status = cli_workspace(&run->contract.arena, root, &run->workspace);
    if (status != BT_OK) {
        (void)contract_run_fail(status);
    }
    return status == BT_OK;
}

bool gate_run_agent(struct cli_gate_run *run, bt_str *out)
{
    const char *id = cli_given(run->contract.options, &flag_agent);
    char mapped[BT_AGENT_ID_BYTES_MAX + 1];
    *out = BT_STR("");
    if (!id) {
        return true;
    }
    if (id[0] == '\0') {
        (void)cli_usage_error(run->contract.options->command, "--agent wants an id");
        return false;
    }
    *out = bt_str_of(id);
    if (bt_str_eq(*out, BT_STR("-"))) {
        return true;
    }
    enum bt_status status = bt_contract_agent_id_from_runtime(*out, mapped);
    status = status == BT_OK ? bt_arena_copy(&run->contract.arena, bt_str_of(mapped), out) : status;
    if (status != BT_OK) {
        (void)contract_run_fail(status);
    }
    return status == BT_OK;
}

/* ---- The store ------------------------------------------------------------------------------- */

bool gate_run_open(struct cli_gate_run *run, enum cli_gate_run_access access)
{
    bt_str actor;
    if (!ledger_run_actor(&run->ledger, &actor) ||
        !(access == GATE_MAKE ? ledger_run_open_or_make(&run->ledger)
                              : ledger_run_open(&run->ledger, access != GATE_READ))) {
        return false;
    }
    run->gate = (struct bt_contract_state){.ledger = run->ledger.ledger,
                                           .contract = run->contract.contract,
                                           .arena = &run->contract.arena,
                                           .actor = actor,
                                           .alarms = run->ledger.alarms};
    return true;
}
