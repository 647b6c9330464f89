/* SPDX-License-Identifier: Apache-2.0 */
/* gate_run.h - shared by the commands that decide contract blocks against a store. */
#ifndef BATON_APP_CLI_GATE_RUN_H
#define BATON_APP_CLI_GATE_RUN_H

#include <baton/gate.h>

#include "contract_run.h"
#include "ledger_run.h"

struct cli_gate_run {
    struct cli_contract_run contract;
    struct cli_ledger_run ledger;
    struct bt_contract_state gate;
    bt_str workspace; /* "" only where the flag is a filter */
    bt_str session;
};

/* The flags for the store and the workspace, for a table of flags. */
#define CLI_GATE_FLAGS                                                                             \
    &flag_config, &flag_no_config, &flag_store, &flag_store_root, &flag_key, &flag_deadline,       \
        &flag_workspace, &flag_agent_session

/* How a command opens its store. */
enum cli_gate_run_access {
    GATE_READ = 1,
    GATE_WRITE,
    GATE_MAKE, /* create the SQLite store that --store names if it does not exist */
};

/* Begin a run. False after an error message. Call gate_run_end() in either case. */
bool gate_run_begin(struct cli_gate_run *run, const struct cli_options *options);
/* Free everything and return `code`. */
int gate_run_end(struct cli_gate_run *run, int code);

/* Read --workspace and --session, or their defaults. False after an error message. */
bool gate_run_names(struct cli_gate_run *run);
/* Open the store and set run->gate. False after an error message. */
bool gate_run_open(struct cli_gate_run *run, enum cli_gate_run_access access);
/*
 * The id that --agent gives, as stored states have it; "" when it was not given. False after an
 * error message.
 */
bool gate_run_agent(struct cli_gate_run *run, bt_str *out);

#endif
