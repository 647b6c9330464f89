/* SPDX-License-Identifier: Apache-2.0 */
/* policy_flags.h - the policy of a run of baton wrap. */
#ifndef BATON_APP_WRAP_POLICY_FLAGS_H
#define BATON_APP_WRAP_POLICY_FLAGS_H

#include "cli/run.h"
#include "wrap/policy.h"

/*
 * The policy for the server called `name`: that of the configuration with --enforce, --approve,
 * --deny and --observe. False after an error message.
 */
bool wrap_take_policy(struct cli_run *run, bt_str name, struct bt_wrap_policy *out);

#endif
