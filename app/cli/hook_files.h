/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hook_files.h - the settings file of an agent host and its backup.
 *
 * The settings are below the project directory or the home directory; the backup of their content
 * before Baton's first change is beside them in .baton/hooks/HOST.json.
 */
#ifndef BATON_APP_CLI_HOOK_FILES_H
#define BATON_APP_CLI_HOOK_FILES_H

#include "cli.h"
#include "hook/agent_host.h"
#include "hook/backup.h"

struct hook_files {
    const struct agent_host *host;
    struct bt_arena *arena;
    bool is_user; /* of the user, not of a project */
    bt_str base;  /* the directory, with links resolved */
    bt_str name;  /* of the settings, below `base` */
    bt_str path;  /* of the settings, with links resolved */
    bool exists;
    bt_str content; /* "" without a file */
    bool has_backup;
    struct hook_backup backup;
    bool is_modified; /* changed by somebody else since Baton's change */
};

/*
 * Load both files. False after an error message: an invalid flag, or a file that cannot be parsed.
 */
bool hook_files_load(const struct cli_options *options, const struct agent_host *host,
                     struct bt_arena *arena, struct hook_files *out);
/*
 * Show what would change, and ask for confirmation. Returns CLI_DONE with *out_go set when it is to
 * be written.
 */
int hook_files_show(const struct cli_options *options, const struct hook_files *files, bt_str after,
                    bool *out_go);
/*
 * Write new settings, after a backup of the old ones unless there is one. False after an error
 * message.
 */
bool hook_files_install(const struct hook_files *files, bt_str content);
/*
 * Restore the settings or, if `content` is not NULL, write that; then delete the backup. False
 * after an error message.
 */
bool hook_files_restore(const struct hook_files *files, const bt_str *content);

#endif
