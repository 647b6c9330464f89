/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signing_key.h - Ed25519 keys to sign with: in a file, or in an SSH agent.
 *
 *     private line  PRIVATE+KEY+NAME+<id, 8 hex>+base64(type || private key) LF
 *     agent line    AGENT+KEY+NAME+<id, 8 hex>+base64(type || public key) LF
 */
#ifndef BATON_SRC_LEDGER_SIGNING_KEY_H
#define BATON_SRC_LEDGER_SIGNING_KEY_H

#include "proof/vkey.h"

/* The agent that holds keys. */
struct bt_key_agent {
    const char *socket; /* path of its Unix socket; NULL: there is no agent */
    uint64_t wait_ms;   /* how long a signature may take */
};

/* A key to sign with: a plain value, until bt_signing_key_ready(). Wipe it with
 * bt_signing_key_wipe() as soon as it is not needed. */
struct bt_signing_key {
    struct bt_vkey vkey;
    uint8_t secret[BT_KEY_BYTES];     /* unless an agent has it */
    struct evp_pkey_st *pair;         /* of libcrypto; NULL: made for each signature */
    const struct bt_key_agent *agent; /* who signs; NULL: we do. It outlives the key */
};

/* The key of a secret. The name must be valid. */
BT_MUST_USE enum bt_status bt_signing_key_generate(bt_str name, enum bt_signing_key_type type,
                                                   const uint8_t secret[BT_KEY_BYTES],
                                                   struct bt_signing_key *out);
/* A key that anybody can compute, for tests. */
BT_MUST_USE enum bt_status bt_signing_key_seed(bt_str name, enum bt_signing_key_type type,
                                               uint64_t seed, struct bt_signing_key *out);
/* The key of an OpenSSH public key file, whose private key the agent has. The name must be valid.
 * BT_EINVAL: the text is something else. */
BT_MUST_USE enum bt_status bt_signing_key_from_agent(bt_str name, bt_str public_file,
                                                     const struct bt_key_agent *agent,
                                                     struct bt_signing_key *out,
                                                     struct bt_error *error);
/* Read a line, its line feed included. `agent` NULL: only a private key is accepted. BT_EINVAL as
 * for vkeys. */
BT_MUST_USE enum bt_status bt_signing_key_parse(bt_str text, enum bt_signing_key_type type,
                                                const struct bt_key_agent *agent,
                                                struct bt_signing_key *out, struct bt_error *error);
/* Put the line, its line feed included. */
void bt_signing_key_put(struct bt_buf *buf, const struct bt_signing_key *key);
void bt_signing_key_wipe(struct bt_signing_key *key);

/* Compute once what signing needs, which costs as much as a signature; it belongs to the key
 * until the key is wiped. BT_ENOMEM: out of memory. */
BT_MUST_USE enum bt_status bt_signing_key_ready(struct bt_signing_key *key);
/* The signature fits when it is returned: that of an agent is verified. BT_ENOMEM or BT_EIO:
 * libcrypto or the agent failed; BT_ELIMIT: agents do not sign so long a message. */
BT_MUST_USE enum bt_status bt_signing_key_sign(const struct bt_signing_key *key, bt_str message,
                                               uint8_t out[BT_SIGNATURE_BYTES],
                                               struct bt_error *error);

#endif
