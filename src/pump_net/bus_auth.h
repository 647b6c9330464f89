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

/* Why a connection is closed without a frame, for the operator. */
enum bt_bus_refusal {
    BT_BUS_REFUSAL_NAME = 1, /* no such client */
    BT_BUS_REFUSAL_UID,      /* no proof but the uid, and it is not the client's */
    BT_BUS_REFUSAL_TOKEN,
    BT_BUS_REFUSAL_SIGNATURE,
    BT_BUS_REFUSAL_BLOCKED, /* too many failures from this address */
    BT_BUS_REFUSAL_ORDER,   /* something else than what may come now */
};
const char *bt_bus_refusal_name(enum bt_bus_refusal refusal);

struct bt_bus_auth_result {
    const struct bt_organism_client *client; /* NULL: refused */
    bt_str name;                             /* that was claimed; "": none */
    enum bt_bus_refusal refusal;             /* 0: none */
};

/*
 * Find the client that this proves to be. Everything that is shown must be right, and something
 * must be: a uid that is the client's, a token, or a signature. BT_ENOMEM is the only failure.
 */
BT_MUST_USE enum bt_status bt_bus_auth_check(struct bt_arena *arena,
                                             const struct bt_organism *organism,
                                             const struct bt_bus_credentials *claim,
                                             struct bt_bus_auth_result *out);

#endif
