/* SPDX-License-Identifier: Apache-2.0 */
/* hook_config.h - the flags and the configuration of a hook, and what is installed. */
#ifndef BATON_APP_CLI_HOOK_CONFIG_H
#define BATON_APP_CLI_HOOK_CONFIG_H

#include "cli.h"
#include "evidence/evidence.h"
#include "hook/agent_host.h"
#include "hook/program.h"
#include "hook/settings.h"
#include "hook_files.h"

/* Print the error for an unknown agent host, with the known ones. Returns the exit code. */
int hook_host_unknown(const struct cli_command *command, const char *word);
/*
 * Check that the flags can be combined with each other and with this agent host, which may be NULL.
 * False after an error message.
 */
bool cli_hook_flags_check(const struct cli_options *options, const struct agent_host *host);
/* Whether reports are compared with transcripts, by flag or configuration. False after an error
 * message. */
bool cli_hook_evidence_mode(const struct cli_options *options, enum bt_evidence_mode *out);
/* The patterns of files whose change needs no check, in the arena. None when memory runs out. */
struct bt_str_list cli_evidence_doc_paths(const struct cli_options *options,
                                          struct bt_arena *arena);
/* True when the flags or the configuration need to see tools before they are used. */
bool cli_hook_sees_tools(const struct cli_options *options, const struct bt_config *config);
/* How the program is called in settings unless a flag says otherwise. */
#define HOOK_PROGRAM "baton"

/*
 * The command that an agent host must run: `baton hook HOST`, the name of the event unless it is
 * NULL, the given flags, and the pin unless it is NULL, quoted for a shell. False after an error
 * message.
 */
bool cli_hook_command_line(const struct cli_options *options, const struct hook_files *files,
                           const struct hook_pin *pin, const char *event, bt_str *out);
/* All entries for the settings; with `has_tools` also those of tools. False after an error
 * message. */
bool hook_entries_make(const struct cli_options *options, const struct hook_files *files,
                       const struct hook_pin *pin, bool has_tools, struct hook_entry_options *out);

/* ---- Installing ------------------------------------------------------------------------------ */

/* What installing a hook would change. */
struct hook_install {
    struct hook_files files;
    bool has_pin;
    struct hook_pin pin;
    struct hook_skill skill;
    bt_str after;   /* the settings as they are to be */
    bt_str command; /* of the first entry */
    bool is_same;   /* the settings are that already */
};

/* Find what would change. False after an error message; nothing is written. */
bool hook_install_plan(const struct cli_options *options, const struct agent_host *host,
                       struct bt_arena *arena, struct hook_install *out);
/* Write it. False after an error message. */
bool hook_install_write(struct bt_arena *arena, const struct hook_install *plan);

/* A command that runs the program at this path with these flags, quoted for a shell. */
BT_MUST_USE enum bt_status hook_self_command(struct bt_arena *arena, bt_str program, bt_str flags,
                                             bt_str *out);

struct hook_config {
    struct cli_options options; /* of the command, with paths relative to the current directory */
    struct config_load_loaded loaded;
    /* the directory that --root or the agent host names; NULL: that of the event */
    const char *project;
    const char *unusable; /* why there is no configuration; NULL: there is one */
    bt_str pin_changed;   /* the message for a person when the pinned file was changed, or "" */
};

/*
 * Check that both flags of a pin are given or neither, and are valid. False after an error message.
 */
bool hook_pin_fits(const struct cli_options *options);
/*
 * Load the configuration of a hook and print its errors. `project` is the project directory; NULL:
 * the one that --root or the agent host names.
 */
void hook_config_read(const struct cli_options *options, const struct agent_host *host,
                      const char *project, struct bt_arena *arena, struct hook_config *out);
/* Parse the configuration flags of an installed command. */
BT_MUST_USE enum bt_status hook_config_flags(struct bt_arena *arena, bt_str command,
                                             struct cli_options *out);
/*
 * The message when the project in `folder` ("": the current directory) has a baton.yaml with values
 * that hooks ignore; "" when there is none.
 */
bt_str hook_config_ignored(struct bt_arena *arena, const struct cli_options *options,
                           const struct agent_host *host, bt_str folder);
/* The ignored keys of that file, separated by commas; "" when there are none. */
bt_str hook_config_ignored_keys(struct bt_arena *arena, const struct cli_options *options,
                                bt_str folder);

/* True when the text is a SHA-256 as 64 lower-case hexadecimal digits. */
bool hook_is_digest(bt_str text);

/* ---- Status ---------------------------------------------------------------------------------- */

/* What is known about one agent host. */
struct hook_status {
    struct hook_files files;
    struct hook_settings_found found;
    bool has_tools; /* the hook wants to see tools before they are used */
    struct hook_program program;
    struct hook_pinned pinned;
    struct hook_skill skill;
    bt_str ignored_keys;          /* of the project's configuration, separated by commas */
    struct bt_findings *findings; /* none unless it is installed */
};

/* Read the settings of an agent host. False after an error message. */
bool hook_status_read(const struct cli_options *options, const struct agent_host *host,
                      struct bt_arena *arena, struct hook_status *out);
/* The event at `index` that the installed hook needs an entry for, or NULL after the last. */
const char *hook_status_event(const struct hook_status *known, size_t index);

#endif
