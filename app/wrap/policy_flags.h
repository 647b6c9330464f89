/* SPDX-License-Identifier: Apache-2.0 */
/* policy_flags.h - the policy of a run of baton wrap, and the limits of its judging. */
#ifndef BATON_APP_WRAP_POLICY_FLAGS_H
#define BATON_APP_WRAP_POLICY_FLAGS_H

#include "cli/run.h"
#include "schema/options.h"
#include "wrap/policy.h"

/*
 * The policy for the server called `name`: that of the configuration with --enforce, --approve,
 * --deny and --observe. False after an error message.
 */
bool wrap_take_policy(struct cli_run *run, bt_str name, struct bt_wrap_policy *out);

/* The limits of judging one value, as the configuration has them. */
struct bt_schema_limits wrap_schema_limits(const struct bt_config *config);

#endif
