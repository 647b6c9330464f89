/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_absent.c - addresses of servers, and keys that contradict each other, in the core profile,
 * which has no server.
 */
#include "config/config_internal.h"

enum bt_status bt_listen_address_parse(bt_str text, struct bt_listen_address *out)
{
    (void)text;
    (void)out;
    return BT_EINVAL;
}

enum bt_status bt_config_conflicts(const struct bt_config *config, struct bt_findings *findings)
{
    (void)config;
    (void)findings;
    return BT_OK;
}
