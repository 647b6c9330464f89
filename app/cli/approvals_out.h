/* SPDX-License-Identifier: Apache-2.0 */
/* approvals_out.h - print approval requests for programs and for people. */
#ifndef BATON_APP_CLI_APPROVALS_OUT_H
#define BATON_APP_CLI_APPROVALS_OUT_H

#include <baton/gate.h>

#include "gate_run.h"

/* Print the requests. Returns the exit code. */
int cli_print_approvals(struct cli_gate_run *run, const struct bt_approval_list *approvals);
/*
 * Show a request to the person at the terminal, in addition to the result. False after an error
 * message.
 */
bool cli_show_approval(struct cli_gate_run *run, const struct bt_approval_result *answer);
/*
 * Print the result of an action: the request, or the reason for the refusal. Returns the exit code.
 */
int cli_print_approval(struct cli_gate_run *run,
                       const struct bt_approval_action_options *action_options,
                       const struct bt_approval_result *answer);

#endif
