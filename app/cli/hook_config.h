/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hook_config.h - where a hook takes its configuration from: flags, a file that a person pinned,
 * the user's file, the system's file, and nothing that lies in the project.
 */
#ifndef BATON_APP_CLI_HOOK_CONFIG_H
#define BATON_APP_CLI_HOOK_CONFIG_H

#include "cli.h"
#include "hook/agent_host.h"

extern const struct cli_flag flag_pin;
extern const struct cli_flag flag_pin_digest;

struct hook_config {
    struct cli_options options; /* those of the command, paths in them seen from here */
    struct config_load_loaded loaded;
    const char *project;  /* the folder that --root or the host names; NULL: the event's */
    const char *unusable; /* why there is no configuration; NULL: there is one */
    bt_str pin_changed;   /* what a person is told when the pinned file was changed, or "" */
};

/* Whether both flags of a pin were given or none, and well. False after a complaint. */
bool hook_pin_fits(const struct cli_options *options);
/* Read the configuration of a hook, complaints included. `project` is the folder of the project;
 * NULL: as --root or the host names it. */
void hook_config_read(const struct cli_options *options, const struct agent_host *host,
                      const char *project, struct bt_arena *arena, struct hook_config *out);
/* The flags of a command that is installed, as far as they are about its configuration. */
BT_MUST_USE enum bt_status hook_config_flags(struct bt_arena *arena, bt_str command,
                                             struct cli_options *out);
/* What is told when the project in `folder` ("": the current one) has a baton.yaml with values that
 * do not count for hooks; "" when there is nothing to tell. */
bt_str hook_config_ignored(struct bt_arena *arena, const struct cli_options *options,
                           const struct agent_host *host, bt_str folder);
/* The keys of that file, with commas; "" when there are none. */
bt_str hook_config_ignored_keys(struct bt_arena *arena, const struct cli_options *options,
                                bt_str folder);

/* Whether a text is a SHA-256 in 64 small hex digits. */
bool hook_is_digest(bt_str text);

#endif
