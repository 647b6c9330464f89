/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bus_auth.h - authenticate clients of the bus: their proofs, and addresses that failed too often.
 */
#ifndef BATON_SRC_PUMP_NET_BUS_AUTH_H
#define BATON_SRC_PUMP_NET_BUS_AUTH_H

#include "organism/organism.h"

/* ---- Addresses ------------------------------------------------------------------------------- */

enum {
    BT_FAILURES_MAX = 5,
    BT_FAILURES_MS = 300000, /* that many in this time ... */
    BT_BLOCKED_MS = 300000,  /* ... block the address for this long */
    BT_ADDRESSES_KEPT = 512, /* the one with the oldest failure is replaced */
    BT_ADDRESS_BYTES = 48,
};

struct bt_bus_failures {
    struct bt_bus_failed_address {
        char address[BT_ADDRESS_BYTES]; /* "": free */
        uint32_t failures;
        uint64_t first_ms; /* of these */
        uint64_t last_ms;
    } addresses[BT_ADDRESSES_KEPT];
};

bool bt_bus_auth_is_blocked(const struct bt_bus_failures *guard, const char *address,
                            uint64_t now_ms);
void bt_bus_auth_count_failure(struct bt_bus_failures *guard, const char *address, uint64_t now_ms);

/* ---- Authentication -------------------------------------------------------------------------- */

/* The claim of a client, and what is known about the connection. */
struct bt_bus_credentials {
    bt_str hello;     /* JSON */
    bt_str challenge; /* that was to be signed */
    bool is_local;    /* `uid` is known */
    uint64_t uid;
};

/*
 * The client that this proves to be; NULL: none. Everything that is shown must be right, and
 * something must be: a uid that is the client's, a token, or a signature. BT_ENOMEM is the only
 * failure.
 */
BT_MUST_USE enum bt_status bt_bus_auth_check(struct bt_arena *arena,
                                             const struct bt_organism *organism,
                                             const struct bt_bus_credentials *claim,
                                             const struct bt_organism_client **out);

#endif
