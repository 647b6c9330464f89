/* SPDX-License-Identifier: Apache-2.0 */
/* postgres_resolve.h - look up the addresses of a host's name, before a deadline. */
#ifndef BATON_SRC_STORE_POSTGRES_RESOLVE_H
#define BATON_SRC_STORE_POSTGRES_RESOLVE_H

#include <baton/base.h>

enum { BT_ADDRESSES_MAX = 8, BT_ADDRESS_BYTES = 64 };

/* In the order in which they should be tried. */
struct bt_postgres_addresses {
    size_t count;
    char texts[BT_ADDRESSES_MAX][BT_ADDRESS_BYTES];
};

/* True when the host is a name that has to be looked up: not an address or a socket in the file
 * system. */
bool bt_postgres_host_is_name(const char *host);
/* Look a name up, at most until this time of bt_clock_monotonic_ms(). BT_EIO: it was not found,
 * or not in time. */
BT_MUST_USE enum bt_status bt_postgres_resolve(const char *name, uint64_t until_ms,
                                               struct bt_postgres_addresses *out,
                                               struct bt_error *error);

#endif
