/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hook_pin.h - a configuration that a person pinned for a hook: its bytes, their digest, and the
 * copy of them that outlives a change of the file.
 */
#ifndef BATON_APP_CLI_HOOK_PIN_H
#define BATON_APP_CLI_HOOK_PIN_H

#include <baton/env.h>

#include "hook_files.h"

struct hook_pin {
    bt_str path; /* as it stands in the command */
    bt_str text; /* the file as it is now */
    char digest[BT_SHA256_HEX_BYTES];
};

/* Read the file that `given` names, seen from here, to be pinned in these settings: it must be a
 * configuration, and in the scope project lie below the project. False after a complaint. */
bool hook_pin_make(const struct hook_files *files, const char *given, struct hook_pin *out);
/* Keep a copy of it. False after a complaint. */
bool hook_pin_keep(struct bt_arena *arena, const struct hook_pin *pin);
/* The copy with this digest. False when there is none that has it. */
bool hook_pin_copy(struct bt_arena *arena, const char *digest, bt_str *out);

/* The pin of an installed command. */
struct hook_pinned {
    bt_str path;       /* as the command says it; "": it has none */
    bt_str digest;     /* ... */
    bt_str file;       /* the path, seen from here */
    const char *state; /* same, copy, changed or missing */
};

/* Look for the pin of the command that is installed in `files`. */
BT_MUST_USE enum bt_status hook_pin_find(const struct hook_files *files, bt_str command,
                                         struct hook_pinned *out);

/* Take a command apart as a shell does: words, with quotes and backslashes. */
BT_MUST_USE enum bt_status hook_words(struct bt_arena *arena, bt_str command, const char ***out,
                                      size_t *out_count);

#endif
