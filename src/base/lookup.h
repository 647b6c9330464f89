/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lookup.h - the name of a machine -> its addresses, for whoever cannot wait as long as it takes.
 */
#ifndef BATON_SRC_BASE_LOOKUP_H
#define BATON_SRC_BASE_LOOKUP_H

#include <netdb.h>

#include <baton/base.h>

struct bt_lookup;

/* Begin to look; an address in digits is found at once. BT_EINVAL: no name is so long. BT_ENOMEM,
 * BT_EIO: there is no memory, no thread. On BT_OK *out is ended with bt_lookup_end(). */
BT_MUST_USE enum bt_status bt_lookup_begin(bt_str host, bt_str port, struct bt_lookup **out);
/* Whether it is over, at this moment of bt_ticks_ms() at the latest; 0: do not wait. */
BT_MUST_USE bool bt_lookup_is_over(struct bt_lookup *lookup, uint64_t until_ms);
/* The addresses of a lookup that is over, in the order in which they should be tried; they live as
 * long as it. NULL: there are none, and *out_why says so. */
BT_MUST_USE const struct addrinfo *bt_lookup_found(const struct bt_lookup *lookup,
                                                   const char **out_why);
/* Never waits. NULL is allowed. */
void bt_lookup_end(struct bt_lookup *lookup);

#endif
