/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.h - add and remove Baton's entries in the settings of an agent host: text -> text.
 *
 * Only Baton's entries are changed: everything else keeps its order and its bytes. A file that
 * cannot be parsed is refused, never repaired.
 */
#ifndef BATON_APP_HOOK_SETTINGS_H
#define BATON_APP_HOOK_SETTINGS_H

#include <baton/json.h>

#include "agent_host.h"

/* Empty settings, for an agent host without a settings file. */
#define HOOK_SETTINGS_NEW BT_STR("{}\n")

/* One entry: what the agent host runs at an event. */
struct hook_entry {
    const char *event;
    bt_str command;
    bool is_tool; /* the event is about a tool: no matcher */
};

enum { HOOK_ENTRIES_MAX = 8 };

/* Baton's entries. */
struct hook_entry_options {
    const struct agent_host *host;
    const char *program; /* another name of Baton there, or NULL */
    const char *matcher; /* NULL: none */
    struct hook_entry entries[HOOK_ENTRIES_MAX];
    size_t count;
};

/*
 * Add Baton's entries to the settings: for each event the new entry replaces Baton's first old one
 * or is added at the end, and other old ones are removed, also those of other events. *out is the
 * given text when there is nothing to change, else a new text in the arena. BT_EINVAL: the text
 * cannot be parsed; `error` says why.
 */
BT_MUST_USE enum bt_status hook_settings_add(struct bt_arena *arena, bt_str text,
                                             const struct hook_entry_options *options, bt_str *out,
                                             struct bt_error *error);
/* Remove Baton's entries, and the lists that become empty. Statuses as for hook_settings_add(). */
BT_MUST_USE enum bt_status hook_settings_remove(struct bt_arena *arena, bt_str text,
                                                const struct hook_entry_options *options,
                                                bt_str *out, struct bt_error *error);

/* Baton's entries as they are in settings. */
struct hook_settings_found {
    bt_str command;         /* at the stop event, else at the first event that has one; "": none */
    const bt_str *events;   /* that have an entry */
    const bt_str *commands; /* of these entries */
    size_t event_count;
};

/* Find Baton's entries. Statuses as for hook_settings_add(). */
BT_MUST_USE enum bt_status hook_settings_find(struct bt_arena *arena, bt_str text,
                                              const struct hook_entry_options *options,
                                              struct hook_settings_found *out,
                                              struct bt_error *error);

/* Split a command into words like a shell, with quotes and backslashes. */
BT_MUST_USE enum bt_status hook_words(struct bt_arena *arena, bt_str command, const char ***out,
                                      size_t *out_count);

/* The mode of an installed command: observe, fail-closed or enforce; NULL for an empty command. */
const char *hook_settings_mode(bt_str command);

#endif
