/* SPDX-License-Identifier: Apache-2.0 */
/* policy_flags.c - the policy of a run: the configuration, and flags that change it. */
#include "wrap/policy_flags.h"

#include "cli/output.h"
#include "cli/schema_run.h"

enum { NS_PER_MS = 1000000 };

/* Add a rule for each pattern of a flag. False after an error message. */
static bool add_rules(struct cli_run *run, const struct cli_flag *flag,
                      const struct bt_wrap_rule *rule, struct bt_wrap_policy *policy)
{
    struct bt_str_list patterns;
    if (!cli_given_list(run->options, flag, &run->arena, &patterns)) {
        return false;
    }
    for (size_t i = 0; i < patterns.count; i++) {
        if (!bt_config_is_wrapped_tool(patterns.items[i])) {
            return cli_refuse_usage(run->options,
                                    "%.*s is not a pattern of tools: it is a name with * and ?, or "
                                    "@read, @write, @destructive, @idempotent or @open",
                                    BT_STR_ARG(patterns.items[i]));
        }
        if (bt_wrap_policy_add(&run->arena, policy, patterns.items[i], rule) != BT_OK) {
            return cli_refuse_status(BT_ENOMEM);
        }
    }
    return true;
}

bool wrap_take_policy(struct cli_run *run, bt_str name, struct bt_wrap_policy *out)
{
    const struct cli_options *options = run->options;
    const bool observes = cli_given(options, &flag_wrap_observe) != NULL;
    const bool enforces = cli_given(options, &flag_wrap_enforce) != NULL;
    struct bt_wrap_rule approve = bt_wrap_rule_default();
    struct bt_wrap_rule deny = bt_wrap_rule_default();
    approve.approve = BT_WRAP_CHOICE_YES;
    deny.deny = BT_WRAP_CHOICE_YES;
    if (observes && enforces) {
        return cli_refuse_usage(options, "--observe and --enforce exclude each other");
    }
    enum bt_status status = bt_wrap_policy_read(&run->arena, options->config, name, out);
    if (status == BT_OK && enforces) {
        status = bt_wrap_policy_enforce(&run->arena, out);
    }
    if (status != BT_OK) {
        return cli_refuse_status(status);
    }
    if (!add_rules(run, &flag_approved_tools, &approve, out) ||
        !add_rules(run, &flag_wrap_deny, &deny, out)) {
        return false;
    }
    if (observes) {
        bt_wrap_policy_observe(out);
    }
    return true;
}

struct bt_schema_limits wrap_schema_limits(const struct bt_config *config)
{
    struct bt_schema_limits limits = bt_schema_limits_default();
    limits.time_ns = bt_config_u64(config, "limits.schema_ms") * NS_PER_MS;
    limits.work_max = bt_config_u64(config, "limits.schema_work");
    limits.clock = schema_run_clock;
    return limits;
}
