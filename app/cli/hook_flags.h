/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hook_flags.h - the flags of `baton hook HOST`, which `baton hook install` writes into the
 * settings of the agent host.
 */
#ifndef BATON_APP_CLI_HOOK_FLAGS_H
#define BATON_APP_CLI_HOOK_FLAGS_H

#include "cli.h"
#include "hook/agent_host.h"

extern const struct cli_flag flag_observe;
extern const struct cli_flag flag_fail_closed;
extern const struct cli_flag flag_exit2;
extern const struct cli_flag flag_agents;

/* The flags of both commands, for a table of flags. */
#define CLI_HOOK_FLAGS                                                                             \
    &flag_observe, &flag_fail_closed, &flag_exit2, &flag_agents, &flag_input, &flag_store,         \
        &flag_workspace, &flag_max_rejections

/* Print the error for an unknown agent host, with the known ones. Returns the exit code. */
int hook_host_unknown(const struct cli_command *command, const char *word);
/*
 * Check that the flags can be combined with each other and with this agent host, which may be NULL.
 * False after an error message.
 */
bool cli_hook_flags_check(const struct cli_options *options, const struct agent_host *host);
struct hook_pin;

/*
 * The command that an agent host must run: `baton hook HOST`, the given flags with absolute paths,
 * and the pin unless it is NULL, quoted for a shell. BT_EIO: the current directory is unknown.
 */
BT_MUST_USE enum bt_status cli_hook_command_line(const struct cli_options *options,
                                                 const struct agent_host *host,
                                                 const struct hook_pin *pin, struct bt_arena *arena,
                                                 bt_str *out);

#endif
