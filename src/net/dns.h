/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dns.h - a host name -> its addresses, with a deadline.
 *
 * The system's resolver cannot be interrupted. A query therefore runs on its own thread, which ends
 * when the resolver returns, even if the caller has given up by then.
 */
#ifndef BATON_SRC_NET_DNS_H
#define BATON_SRC_NET_DNS_H

#include <baton/base.h>

struct addrinfo; /* of <netdb.h> */
struct bt_dns_query;

/* Start a query; an address in digits is found at once. `port` may be "". BT_EINVAL: the name or
 * the port is too long. BT_ENOMEM: out of memory. BT_EIO: no thread could be started. On BT_OK *out
 * must be freed with bt_dns_free(). */
BT_MUST_USE enum bt_status bt_dns_start(bt_str host, bt_str port, struct bt_dns_query **out);
/* Wait until the query has ended, but not beyond `until_ms` of the monotonic clock; 0: do not wait.
 * True: it has ended. */
BT_MUST_USE bool bt_dns_wait(struct bt_dns_query *query, uint64_t until_ms);
/* The addresses of a query that has ended, in the order in which they should be tried; they live as
 * long as the query. NULL: there are none, and *out_why is the reason. */
BT_MUST_USE const struct addrinfo *bt_dns_addresses(const struct bt_dns_query *query,
                                                    const char **out_why);
/* Never waits. NULL is allowed. */
void bt_dns_free(struct bt_dns_query *query);

#endif
