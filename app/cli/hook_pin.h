/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hook_pin.h - a configuration that is pinned for a hook: its bytes, their digest, and a copy that
 * outlives changes of the file.
 */
#ifndef BATON_APP_CLI_HOOK_PIN_H
#define BATON_APP_CLI_HOOK_PIN_H

#include <baton/env.h>

#include "hook_files.h"

struct hook_pin {
    bt_str path; /* as it is written in the command */
    bt_str text; /* the current content of the file */
    char digest[BT_SHA256_HEX_BYTES];
};

/*
 * Read the file `given`, relative to the current directory, to pin it in these settings. It must be
 * a configuration and, in the scope project, lie below the project. False after an error message.
 */
bool hook_pin_make(const struct hook_files *files, const char *given, struct hook_pin *out);
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

/* Split a command into words like a shell, with quotes and backslashes. */
BT_MUST_USE enum bt_status hook_words(struct bt_arena *arena, bt_str command, const char ***out,
                                      size_t *out_count);

#endif
