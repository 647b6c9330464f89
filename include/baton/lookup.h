/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lookup.h - the name of a machine -> its addresses, for whoever cannot wait as long as it takes.
 *
 * The system's resolver answers when it likes, and nobody can tell it to stop. A lookup waits for
 * it in a thread of its own, which ends when the resolver does, whether anybody still asks or not.
 */
#ifndef BATON_LOOKUP_H
#define BATON_LOOKUP_H

#include <baton/base.h>

#ifdef __cplusplus
extern "C" {
#endif

struct addrinfo; /* of <netdb.h> */
struct bt_dns_query;

/* Begin to look; an address in digits is found at once. BT_EINVAL: no name is so long. BT_ENOMEM,
 * BT_EIO: there is no memory, no thread. On BT_OK *out is ended with bt_dns_free(). */
BT_API BT_MUST_USE enum bt_status bt_dns_start(bt_str host, bt_str port, struct bt_dns_query **out);
/* Whether it is over, at this millisecond of CLOCK_MONOTONIC at the latest; 0: do not wait. */
BT_API BT_MUST_USE bool bt_dns_wait(struct bt_dns_query *lookup, uint64_t until_ms);
/* The addresses of a lookup that is over, in the order in which they should be tried; they live as
 * long as it. NULL: there are none, and *out_why says so. */
BT_API BT_MUST_USE const struct addrinfo *bt_dns_addresses(const struct bt_dns_query *lookup,
                                                           const char **out_why);
/* Never waits. NULL is allowed. */
BT_API void bt_dns_free(struct bt_dns_query *lookup);

#ifdef __cplusplus
}
#endif

#endif
