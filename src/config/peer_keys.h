/* SPDX-License-Identifier: Apache-2.0 */
/* peer_keys.h - rows of the items of `ledger.peers`. */
#ifndef BATON_SRC_CONFIG_PEER_KEYS_H
#define BATON_SRC_CONFIG_PEER_KEYS_H

#include "config/config_internal.h"

extern const struct bt_config_row bt_config_peer_rows[6];

#endif
