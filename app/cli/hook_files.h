/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hook_files.h - the settings file of an agent host and its backup; pinned configurations.
 *
 * The settings are below the project directory or the home directory; the backup of their content
 * before Baton's first change is beside them in .baton/hooks/HOST.json.
 */
#ifndef BATON_APP_CLI_HOOK_FILES_H
#define BATON_APP_CLI_HOOK_FILES_H

#include "base/buf.h"
#include "base/env.h"

#include "cli.h"
#include "hook/agent_host.h"
#include "hook/backup.h"

/* ---- Settings of any host -------------------------------------------------------------------- */

/* A file below the project directory or the home directory. */
struct settings_place {
    struct bt_arena *arena;
    bool is_user; /* below the home directory */
    bt_str base;  /* the directory, with links resolved; "" for the root */
    bt_str name;  /* of the file, below `base` */
    bt_str path;  /* of the file, with links resolved */
};

/*
 * Set `base` and `path` of a place whose other members are set; --dir names the project. In a
 * project a file that links lead out of is refused. False after an error message.
 */
bool settings_find(const struct cli_options *options, struct settings_place *place);

/* An absolute path by name, from the current directory. BT_EIO: that is not known. */
BT_MUST_USE enum bt_status settings_absolute_path(struct bt_arena *arena, bt_str path, bt_str *out);

/* Read a file that may be absent, which gives "". False after an error message. */
bool settings_read(struct bt_arena *arena, bt_str path, uint64_t bytes_max, bt_str *out,
                   bool *out_exists);
/* Replace a file. False after an error message. */
bool settings_replace(bt_str path, bt_str content);
/* Create a file in a folder below `base`, readable only by this user: settings may hold secrets.
 * False after an error message. */
bool settings_create_backup(bt_str base, const char *folder, bt_str name, bt_str text);
/* Remove the directories from that of `path` up to `base`, as long as they are empty. */
void settings_remove_folders(struct bt_arena *arena, bt_str base, bt_str path);

/* Put the change of one file, called `name`. Nothing when the texts are equal. */
BT_MUST_USE enum bt_status settings_put_change(struct bt_buf *diff, struct bt_arena *arena,
                                               bt_str name, bt_str before, bt_str after);
/*
 * Print the changes, free the buffer, and ask whether to write them, unless --dry-run or --yes
 * answers that. Returns the exit code; CLI_DONE with *out_go set when they are to be written.
 */
int settings_confirm(const struct cli_options *options, struct bt_buf *diff, bool *out_go);

/* True when the URL of --store holds a secret, which settings would show. */
bool settings_store_has_secret(const struct cli_options *options);
/* Print a note when a host in the folder `base` will not find the program `name`, or finds another
 * one. */
void settings_note_program(struct bt_arena *arena, bt_str base, const char *name);

/* ---- Settings with hooks --------------------------------------------------------------------- */

struct hook_files {
    const struct agent_host *host;
    struct bt_arena *arena;
    bool is_user;  /* of the user, not of a project */
    bool is_local; /* of the user, within a project */
    bt_str base;   /* the directory, with links resolved */
    bt_str name;   /* of the settings, below `base` */
    bt_str path;   /* of the settings, with links resolved */
    bool exists;
    bt_str content; /* "" without a file */
    bool has_backup;
    struct hook_backup backup;
    bool is_modified; /* changed by another program since Baton's change */
    bt_str new_skill; /* the digest of the skill that is to be written; "": none */
};

/*
 * Load both files. False after an error message: an invalid flag, or a file that cannot be parsed.
 */
bool hook_files_load(const struct cli_options *options, const struct agent_host *host,
                     struct bt_arena *arena, struct hook_files *out);
/*
 * The path of a flag as the command has it: in shared settings relative to the project, below which
 * it must be; else as given. False after an error message.
 */
bool hook_files_shared_path(const struct cli_options *options, const struct hook_files *files,
                            const char *given, bt_str *out);
/* The skill of an agent host. */
struct hook_skill {
    bt_str name;    /* of its file, below the base of the settings */
    bt_str content; /* "" without a file */
    bool exists;
    bt_str after; /* what it is to be: the same when it is not changed */
};

/* Load the skill. False after an error message. */
bool hook_skill_load(const struct hook_files *files, struct hook_skill *out);
/* Write what it is to be; "" removes the file and the directories that become empty. False after an
 * error message. */
bool hook_skill_write(const struct hook_files *files, const struct hook_skill *skill);
/*
 * Show what would change in the settings and, unless it is NULL, in the skill, and ask for
 * confirmation. Returns CLI_DONE with *out_go set when it is to be written.
 */
int hook_files_show(const struct cli_options *options, const struct hook_files *files, bt_str after,
                    const struct hook_skill *skill, bool *out_go);
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

/* ---- Pins ------------------------------------------------------------------------------------ */

struct hook_pin {
    bt_str path; /* as it is written in the command */
    bt_str text; /* the current content of the file */
    char digest[BT_SHA256_HEX_BYTES];
};

/*
 * Read the file `given`, relative to the current directory, to pin it in these settings. It must be
 * a configuration and, in the scope project, lie below the project. False after an error message.
 */
bool hook_pin_make(const struct cli_options *options, const struct hook_files *files,
                   const char *given, struct hook_pin *out);
/* Store a copy of it. False after an error message. */
bool hook_pin_keep(struct bt_arena *arena, const struct hook_pin *pin);
/* Read the copy with this digest. False when there is none. */
bool hook_pin_copy(struct bt_arena *arena, const char *digest, bt_str *out);

/* The pin of an installed command. */
struct hook_pinned {
    bt_str path;       /* as it is written in the command; "": none */
    bt_str digest;     /* ... */
    bt_str file;       /* `path` relative to the current directory */
    const char *state; /* same, copy, changed or missing */
};

/* Find the pin of the command that is installed in `files`. */
BT_MUST_USE enum bt_status hook_pin_find(const struct hook_files *files, bt_str command,
                                         struct hook_pinned *out);

#endif
