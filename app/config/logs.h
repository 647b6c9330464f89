/* SPDX-License-Identifier: Apache-2.0 */
/* logs.h - find the root of many logs. */
#ifndef BATON_APP_CONFIG_LOGS_H
#define BATON_APP_CONFIG_LOGS_H

#include "config/config.h"
#include "ledger/logs.h"

/*
 * The keys logs.root, logs.keys and logs.max; a root of "" when there is none. BT_ENOMEM: the arena
 * reached its limit.
 */
BT_MUST_USE enum bt_status config_find_logs(struct bt_arena *arena, const struct bt_config *config,
                                            struct bt_logs *out);

#endif
