/* SPDX-License-Identifier: Apache-2.0 */
/* postgres_resolve.c - addresses as texts, the form that libpq accepts. */
#include "store/postgres_resolve.h"

#include <arpa/inet.h>
#include <assert.h>
#include <netdb.h>

#include "base/error.h"
#include "net/dns.h"

bool bt_postgres_host_is_name(const char *host)
{
    struct in6_addr address; /* large enough for IPv4 and IPv6 */
    return host && host[0] != '\0' && host[0] != '/' && host[0] != '@' &&
           inet_pton(AF_INET, host, &address) != 1 && inet_pton(AF_INET6, host, &address) != 1;
}

static struct bt_postgres_addresses put_addresses(const struct addrinfo *first)
{
    struct bt_postgres_addresses addresses = {.count = 0};
    for (const struct addrinfo *at = first; at && addresses.count < BT_ADDRESSES_MAX;
         at = at->ai_next) {
        char *text = addresses.texts[addresses.count];
        if (getnameinfo(at->ai_addr, at->ai_addrlen, text, BT_ADDRESS_BYTES, NULL, 0,
                        NI_NUMERICHOST) == 0) {
            addresses.count++;
        }
    }
    return addresses;
}

enum bt_status bt_postgres_resolve(const char *name, uint64_t until_ms,
                                   struct bt_postgres_addresses *out, struct bt_error *error)
{
    assert(name);
    assert(out);
    struct bt_dns_query *lookup = NULL;
    const char *why = "it was not found before the deadline";
    enum bt_status status = bt_dns_start(bt_str_of(name), BT_STR(""), &lookup);
    if (status != BT_OK) {
        return bt_error_set(error, status, "cannot look up the name %.80s: %s", name,
                            bt_status_text(status));
    }
    const struct addrinfo *found =
        bt_dns_wait(lookup, until_ms) ? bt_dns_addresses(lookup, &why) : NULL;
    const struct bt_postgres_addresses addresses = put_addresses(found);
    if (addresses.count > 0) {
        *out = addresses;
    } else {
        status = bt_error_set(error, BT_EIO, "cannot connect: the name %.80s: %s", name, why);
    }
    bt_dns_free(lookup);
    return status;
}
