/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hook_files.h - the settings of a host and their backup, as files.
 *
 * The settings lie below the folder of a project, or below the home folder; what they were before
 * Baton's first change lies beside them in .baton/hooks/HOST.json.
 */
#ifndef BATON_APP_CLI_HOOK_FILES_H
#define BATON_APP_CLI_HOOK_FILES_H

#include "cli.h"
#include "hook/agent_host.h"
#include "hook/backup.h"

extern const struct cli_flag flag_dir;
extern const struct cli_flag flag_scope;
extern const struct cli_flag flag_hook_dry_run;
extern const struct cli_flag flag_hook_yes;

struct hook_files {
    const struct agent_host *host;
    struct bt_arena *arena;
    bool is_user; /* they are those of the user, not of a project */
    bt_str base;  /* the folder, without links */
    bt_str name;  /* of the settings, below it */
    bt_str path;  /* of the settings, links resolved */
    bool exists;
    bt_str content; /* "" when there is no file */
    bool has_backup;
    struct hook_backup backup;
    bool is_modified; /* somebody else has changed the settings since */
};

/* Look for both. False after a complaint: a flag is wrong, or something is not understood. */
bool hook_files_load(const struct cli_options *options, const struct agent_host *host,
                     struct bt_arena *arena, struct hook_files *out);
/* Show what would change, and ask. CLI_DONE with *out_go when it is to be written. */
int hook_files_show(const struct cli_options *options, const struct hook_files *files, bt_str after,
                    bool *out_go);
/* Write new settings, after a backup of the old ones unless there is one. False: complained. */
bool hook_files_install(const struct hook_files *files, bt_str content);
/* Bring back what the settings were, or, when `content` is given, write that instead; then the
 * backup goes. False: complained. */
bool hook_files_restore(const struct hook_files *files, const bt_str *content);

#endif
