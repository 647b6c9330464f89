/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lookup.h - the name of a machine -> its addresses, while the pump goes on with its work.
 */
#ifndef BATON_SRC_DOOR_LOOKUP_H
#define BATON_SRC_DOOR_LOOKUP_H

#include <netdb.h>

#include <baton/base.h>

struct bt_lookup;

/* Begin to look. An address in digits is found at once. BT_ENOMEM, BT_EIO: as always. On BT_OK *out
 * is ended with bt_lookup_end(). */
BT_MUST_USE enum bt_status bt_lookup_begin(bt_str host, bt_str port, struct bt_lookup **out);
/* True when it is over: *out are the addresses, which live as long as the lookup; NULL: there are
 * none. */
BT_MUST_USE bool bt_lookup_is_over(struct bt_lookup *lookup, const struct addrinfo **out);
/* Never waits. NULL is allowed. */
void bt_lookup_end(struct bt_lookup *lookup);

#endif
