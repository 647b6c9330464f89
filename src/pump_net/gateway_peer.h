/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gateway_peer.h - another pump as a gateway names it: where it is, how this one proves itself
 * there, and how calls and replies are spelled between them.
 */
#ifndef BATON_SRC_PUMP_NET_GATEWAY_PEER_H
#define BATON_SRC_PUMP_NET_GATEWAY_PEER_H

#include "net/dns.h"

#include "pump/pump_internal.h"

struct bt_tls_context;
struct evp_pkey_st; /* of OpenSSL */

struct bt_gateway_peer {
    struct bt_organism_gateway_url url;
    struct bt_dns_query *lookup; /* of its name, while it runs */
    uint32_t tries;              /* attempts, which select one of its addresses */
    struct bt_tls_context *tls;  /* NULL: a Unix socket */
    struct evp_pkey_st *trusted; /* the public key of the other pump */
    struct evp_pkey_st *own;     /* the private key of this one; NULL: none */
    bt_str name;                 /* of this pump as a client of the other */
};

/* Read keys and the address. BT_EINVAL: `error` says what is wrong. */
BT_MUST_USE enum bt_status bt_gateway_peer_open(struct bt_arena *arena, struct bt_pump *pump,
                                                const struct bt_organism_gateway *gateway,
                                                struct bt_gateway_peer *remote,
                                                struct bt_error *error);
void bt_gateway_peer_close(struct bt_gateway_peer *remote);

/* Begin to connect, at an address that is looked up anew each time. With BT_OK, *out_fd is -1 while
 * that goes on: ask again later. Otherwise it failed, this time. */
BT_MUST_USE enum bt_status bt_gateway_peer_connect(struct bt_gateway_peer *remote, int *out_fd);

/* Put the HELLO that answers a challenge. */
void bt_gateway_peer_put_hello(struct bt_buf *buf, const struct bt_gateway_peer *remote,
                               bt_str challenge);
/* Put a call as the other pump takes it: from this one, on the thread of the call, without the name
 * of the gateway, and with an id so that it is done once. */
struct bt_gateway_call {
    const struct bt_pump_message *message;
    bt_str payload; /* which need not be in memory with it */
};
void bt_gateway_peer_put_call(struct bt_buf *buf, bt_str gateway,
                              const struct bt_gateway_peer *remote,
                              const struct bt_gateway_call *call);

struct bt_gateway_reply {
    bt_str thread;
    bt_str payload; /* canonical; "": it is not a message */
    bool is_core;   /* a diagnostic of the other pump itself */
};

/* Read a delivery of the other pump. */
BT_MUST_USE enum bt_status bt_gateway_peer_read(struct bt_arena *arena, struct bt_env *env,
                                                bt_str text, struct bt_gateway_reply *out);

/* The call that a delivery answers. */
struct bt_gateway_reply_target {
    struct bt_pump_thread *thread;   /* NULL: the thread has ended */
    struct bt_pump_message *message; /* that is in flight; NULL: it was answered before */
    const struct bt_organism_capability *called; /* NULL: the gateway no longer has it */
};

/* Judge a reply by what the gateway declares, and deliver it to the caller. */
BT_MUST_USE enum bt_status bt_gateway_peer_deliver_reply(struct bt_pump *pump,
                                                         struct bt_arena *arena,
                                                         const struct bt_gateway_reply_target *to,
                                                         bt_str payload);

#endif
