/* SPDX-License-Identifier: Apache-2.0 */
/* listen_absent.c - addresses of servers, in the core profile, which has no server. */
#include "config/config.h"

enum bt_status bt_listen_address_parse(bt_str text, struct bt_listen_address *out)
{
    (void)text;
    (void)out;
    return BT_EINVAL;
}
