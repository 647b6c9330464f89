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

/* Baton's entries. */
struct hook_entry_options {
    const struct agent_host *host;
    bt_str command;      /* contains `baton hook HOST` */
    const char *matcher; /* NULL: none */
};

/*
 * Add Baton's entries to the settings: the new entry replaces Baton's first old one or is added at
 * the end, and other old ones are removed. *out is the given text when there is nothing to change,
 * else a new text in the arena. BT_EINVAL: the text cannot be parsed; `error` says why.
 */
BT_MUST_USE enum bt_status hook_settings_add(struct bt_arena *arena, bt_str text,
                                             const struct hook_entry_options *options, bt_str *out,
                                             struct bt_error *error);
/* Remove Baton's entries, and the lists that become empty. Statuses as for hook_settings_add(). */
BT_MUST_USE enum bt_status hook_settings_remove(struct bt_arena *arena, bt_str text,
                                                const struct agent_host *host, bt_str *out,
                                                struct bt_error *error);
/* The command of Baton's first entry, or "". Statuses as for hook_settings_add(). */
BT_MUST_USE enum bt_status hook_settings_find(struct bt_arena *arena, bt_str text,
                                              const struct agent_host *host, bt_str *out,
                                              struct bt_error *error);

#endif
