/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.h - Baton's entries in the settings of a host: text -> text.
 *
 * Only what is Baton's is touched: everything else keeps its order and its bytes. A file that is
 * not understood is refused, never repaired.
 */
#ifndef BATON_APP_HOOK_SETTINGS_H
#define BATON_APP_HOOK_SETTINGS_H

#include <baton/json.h>

#include "agent_host.h"

/* Settings that say nothing, for a host that has none. */
#define HOOK_SETTINGS_NEW BT_STR("{}\n")

/* What Baton's entries are to be. */
struct hook_entry_options {
    const struct agent_host *host;
    bt_str command;      /* holds `baton hook HOST` */
    const char *matcher; /* NULL: none */
};

/*
 * Put Baton's entries into the settings: a first entry takes the place of Baton's old one, or comes
 * last; further ones go. The result is the given text when there is
 * nothing to change. BT_EINVAL: the text is not understood, and `error` says why.
 */
BT_MUST_USE enum bt_status hook_settings_add(struct bt_arena *arena, bt_str text,
                                             const struct hook_entry_options *options, bt_str *out,
                                             struct bt_error *error);
/* Take Baton's entries out, and the lists that are empty without them. */
BT_MUST_USE enum bt_status hook_settings_remove(struct bt_arena *arena, bt_str text,
                                                const struct agent_host *host, bt_str *out,
                                                struct bt_error *error);
/* The command of Baton's first entry, or "" when there is none. */
BT_MUST_USE enum bt_status hook_settings_find(struct bt_arena *arena, bt_str text,
                                              const struct agent_host *host, bt_str *out,
                                              struct bt_error *error);

#endif
