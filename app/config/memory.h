/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h - find the folder in which this account remembers the size of its ledgers, and the SSH
 * agent that has their keys. */
#ifndef BATON_APP_CONFIG_MEMORY_H
#define BATON_APP_CONFIG_MEMORY_H

#include "config/config.h"
#include "ledger/ledger.h"

/*
 * BATON_STATE_DIR, else the key ledger.memory (`off`: none), else the first folder of
 * STATE_DIRECTORY, else $XDG_STATE_HOME/baton, else ~/.local/state/baton. BT_ENOMEM: the arena
 * reached its limit.
 */
BT_MUST_USE enum bt_status config_find_memory(struct bt_arena *arena,
                                              const struct bt_config *config,
                                              struct bt_ledger_memory *out);
/* The socket of the key ledger.agent, or NULL. BT_ENOMEM: the arena reached its limit. */
BT_MUST_USE enum bt_status config_find_agent(struct bt_arena *arena, const struct bt_config *config,
                                             const char **out);

#endif
