/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate_run.c - the frame around commands that bring contract blocks before a store.
 */
#include "gate_run.h"

#include <inttypes.h>

#include "say.h"
#include "workspace.h"

bool gate_run_begin(struct gate_run *run, const struct cli_options *options)
{
    *run = (struct gate_run){.workspace = BT_STR(""), .session = BT_STR("")};
    const bool ready = ledger_run_begin(&run->ledger, options);
    return contract_run_begin(&run->contract, options) && ready;
}

int gate_run_end(struct gate_run *run, int code)
{
    contract_run_end(&run->contract);
    return ledger_run_end(&run->ledger, code);
}

/* A text that a flag gives, if it gives one. False after a complaint about an empty one. */
static bool take_text(struct gate_run *run, const struct cli_flag *flag, bt_str *out)
{
    const char *text = cli_given(run->contract.options, flag);
    if (!text) {
        return true;
    }
    *out = bt_str_of(text);
    if (out->len == 0 || bt_utf8_check(*out) != out->len) {
        (void)cli_misused(run->contract.options->command, "--%s wants a name", flag->name);
        return false;
    }
    return true;
}

bool gate_run_names(struct gate_run *run)
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

bool gate_run_agent(struct gate_run *run, bt_str *out)
{
    const char *id = cli_given(run->contract.options, &flag_agent);
    char mapped[BT_AGENT_ID_BYTES_MAX + 1];
    *out = BT_STR("");
    if (!id) {
        return true;
    }
    if (id[0] == '\0') {
        (void)cli_misused(run->contract.options->command, "--agent wants an id");
        return false;
    }
    *out = bt_str_of(id);
    if (bt_str_eq(*out, BT_STR("-"))) {
        return true;
    }
    enum bt_status status = bt_contract_host_id(*out, mapped);
    status = status == BT_OK ? bt_arena_copy(&run->contract.arena, bt_str_of(mapped), out) : status;
    if (status != BT_OK) {
        (void)contract_run_fail(status);
    }
    return status == BT_OK;
}

/* ---- The store ------------------------------------------------------------------------------- */

/* A ledger of its own name, with a key of its own, as `ledger init` makes them. */
static bool make_store(struct gate_run *run, const struct bt_ledger_options *where)
{
    struct ledger_run *ledger = &run->ledger;
    struct bt_ledger_made made;
    uint64_t name[2];
    bt_str origin;
    if (!ledger->env.random(ledger->env.context, name, sizeof(name)) ||
        bt_arena_printf(&ledger->arena, &origin, "baton.local/%016" PRIx64 "%016" PRIx64, name[0],
                        name[1]) != BT_OK) {
        cli_complain("cannot name the new store");
        return false;
    }
    const struct bt_ledger_plan plan = {.origin = origin, .key_text = BT_STR("")};
    struct bt_ledger_options beside = *where;
    beside.key_file = NULL;
    const enum bt_status status =
        bt_ledger_init(&ledger->env, &ledger->arena, &beside, &plan, &made, &ledger->error);
    if (status == BT_EDENIED) {
        return true; /* another process was first, or opening it says what is wrong */
    }
    if (status != BT_OK) {
        (void)ledger_run_failed(ledger, "cannot make the store");
        return false;
    }
    cli_complain("note: made %.*s, a ledger called %.*s", BT_STR_ARG(made.store),
                 BT_STR_ARG(origin));
    return true;
}

/* Open the store that --store names, and make it first when it is a SQLite store that is not there.
 * False after a complaint. */
static bool open_or_make(struct gate_run *run, const struct bt_ledger_options *where)
{
    struct ledger_run *ledger = &run->ledger;
    const enum bt_status status = bt_ledger_open(where, true, &ledger->ledger, &ledger->error);
    if (status == BT_OK) {
        ledger_run_warn(ledger);
        return true;
    }
    if (status != BT_ENOENT || bt_str_starts(bt_str_of(where->store), BT_STR("postgres"))) {
        (void)ledger_run_failed(ledger, "cannot open the ledger");
        return false;
    }
    return make_store(run, where) && ledger_run_open(ledger, true);
}

bool gate_run_open(struct gate_run *run, enum gate_access access)
{
    struct bt_ledger_options where;
    bt_str actor;
    if (!ledger_run_actor(&run->ledger, &actor) || !ledger_run_where(&run->ledger, &where)) {
        return false;
    }
    const bool may_make =
        access == GATE_MAKE && cli_given(run->ledger.options, &flag_store) != NULL;
    if (!(may_make ? open_or_make(run, &where)
                   : ledger_run_open(&run->ledger, access != GATE_READ))) {
        return false;
    }
    run->gate = (struct bt_gate){.ledger = run->ledger.ledger,
                                 .contract = run->contract.contract,
                                 .arena = &run->contract.arena,
                                 .actor = actor,
                                 .alarms = run->ledger.alarms};
    return true;
}
