/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lookup.h - resolve a host name to addresses without blocking the caller.
 *
 * The system's resolver has no deadline and cannot be cancelled. A query therefore waits for it in
 * a thread of its own, which ends when the resolver returns, even if the query was freed before.
 */
#ifndef BATON_LOOKUP_H
#define BATON_LOOKUP_H

#include <baton/base.h>

#ifdef __cplusplus
extern "C" {
#endif

struct addrinfo; /* declared in <netdb.h> */
struct bt_dns_query;

/*
 * Start a query; a numeric address is resolved at once. On BT_OK the caller must free *out with
 * bt_dns_free(). BT_EINVAL: the name is too long. BT_ENOMEM: no memory. BT_EIO: no thread could be
 * started.
 */
BT_API BT_MUST_USE enum bt_status bt_dns_start(bt_str host, bt_str port, struct bt_dns_query **out);
/*
 * Wait until the query has finished, at most until `until_ms` on CLOCK_MONOTONIC; 0: do not wait.
 * True when it has finished.
 */
BT_API BT_MUST_USE bool bt_dns_wait(struct bt_dns_query *lookup, uint64_t until_ms);
/*
 * The addresses that a finished query found, in the order in which to try them; they live as long
 * as the query. NULL: none, and *out_why says why.
 */
BT_API BT_MUST_USE const struct addrinfo *bt_dns_addresses(const struct bt_dns_query *lookup,
                                                           const char **out_why);
/* Free the query without waiting for the resolver. NULL is allowed. */
BT_API void bt_dns_free(struct bt_dns_query *lookup);

#ifdef __cplusplus
}
#endif

#endif
