/* SPDX-License-Identifier: Apache-2.0 */
/*
 * approvals_out.h - requests for consent, written for programs and for people.
 */
#ifndef BATON_APP_CLI_APPROVALS_OUT_H
#define BATON_APP_CLI_APPROVALS_OUT_H

#include <baton/gate.h>

#include "gate_run.h"

/* Print the requests. Returns the exit code. */
int approvals_print_list(struct gate_run *run, const struct bt_approvals *approvals);
/* Show a request to the person at the terminal, beside the result. False after a complaint. */
bool approvals_show(struct gate_run *run, const struct bt_approval_answer *answer);
/* Print what came of a wish: the request, or why not. Returns the exit code. */
int approvals_print_answer(struct gate_run *run, const struct bt_approval_wish *wish,
                           const struct bt_approval_answer *answer);

#endif
