/* SPDX-License-Identifier: Apache-2.0 */
/*
 * append_gate.h - decide contract blocks that `ledger append` records as `contract submit` does,
 * inside the one transaction of the run.
 */
#ifndef BATON_APP_CLI_APPEND_GATE_H
#define BATON_APP_CLI_APPEND_GATE_H

#include <baton/gate.h>

#include "contract_flags.h"
#include "input.h"
#include "ledger_run.h"

/* What all blocks share; made for the first one. Must be zeroed first. */
struct cli_append_gate {
    struct bt_contract_checker *contract;
    struct cli_contract flags;
    struct bt_contract_state gate;
    bt_str workspace;
};

/*
 * Turn an item, whose judgement and flags are set, into a submission of this message. False after
 * an error message.
 */
bool append_gate_add(struct cli_append_gate *gate, struct cli_ledger_run *run,
                     const struct cli_input *message, struct bt_submission *item);
/* Free everything. */
void append_gate_end(struct cli_append_gate *gate);

#endif
