/* SPDX-License-Identifier: Apache-2.0 */
/* host_settings.h - the settings file of a host with MCP servers, and the backup beside it. */
#ifndef BATON_APP_WRAP_HOST_SETTINGS_H
#define BATON_APP_WRAP_HOST_SETTINGS_H

#include "cli/hook_files.h"
#include "cli/run.h"
#include "wrap/host_backup.h"
#include "wrap/host_file.h"

struct wrap_host_settings {
    const struct wrap_host *host;
    struct settings_place place;
    bool exists;
    struct wrap_host_text text; /* empty without a file */
    bool has_backup;
    struct wrap_backup backup; /* empty without one */
};

/*
 * The host that the first operand names. NULL after an error message.
 */
const struct wrap_host *wrap_host_of_run(struct cli_run *run);
/*
 * Load both files; --scope and --dir say where they are. False after an error message: a flag does
 * not fit, or a file is not understood.
 */
bool wrap_host_settings_load(struct cli_run *run, const struct wrap_host *host,
                             struct wrap_host_settings *out);
/*
 * Write the backup, and remove it when it has no entry. False after an error message.
 */
bool wrap_host_settings_keep(const struct wrap_host_settings *settings);

/* The value of a flag in the arguments of a wrapped server, or "". */
bt_str wrap_host_flag(const struct wrap_host_server *server, const char *name);

#endif
