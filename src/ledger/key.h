/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key.h - Ed25519 keys with a name, as C2SP signed-note writes them.
 *
 *     vkey          NAME+<id, 8 hex>+base64(type || public key)
 *     private file  PRIVATE+KEY+NAME+<id, 8 hex>+base64(type || private key) LF
 */
#ifndef BATON_SRC_LEDGER_KEY_H
#define BATON_SRC_LEDGER_KEY_H

#include <baton/base.h>

enum bt_signing_key_type {
    BT_KEY_NONE = 0,
    BT_KEY_LOG = 1,
    BT_KEY_WITNESS = 4, /* its signatures include a time */
};

enum {
    BT_KEY_NAME_MAX = 200,
    BT_KEY_ID_BYTES = 4,
    BT_KEY_BYTES = 32,
    BT_SIGNATURE_BYTES = 64,
    BT_VKEY_TEXT_MAX = 300,
};

struct bt_signature_host; /* see ed25519.h */

/* A key to verify with. A plain value that owns its name. */
struct bt_vkey {
    enum bt_signing_key_type type;
    uint8_t id[BT_KEY_ID_BYTES];
    uint8_t key[BT_KEY_BYTES];
    size_t name_size;
    char name[BT_KEY_NAME_MAX];
    struct bt_signature_host *host; /* who verifies in a core build; NULL: nobody */
};

/* A key to sign with: a plain value, until bt_signing_key_ready(). Wipe it with
 * bt_signing_key_wipe() as soon as it is not needed. */
struct bt_signing_key {
    struct bt_vkey vkey;
    uint8_t secret[BT_KEY_BYTES];
    struct evp_pkey_st *pair; /* of libcrypto; NULL: made for each signature */
};

/* 1 to 200 characters [A-Za-z0-9._/-], first and last a letter or digit, no //, no part . or .. */
bool bt_signing_key_name_is_valid(bt_str name);
bt_str bt_vkey_name(const struct bt_vkey *vkey);

/* BT_EINVAL: the text is not a vkey, its id does not fit its key, or it is of another type;
 * `error` says which. */
BT_MUST_USE enum bt_status bt_vkey_parse(bt_str text, enum bt_signing_key_type type,
                                         struct bt_vkey *out, struct bt_error *error);
void bt_vkey_put(struct bt_buf *buf, const struct bt_vkey *vkey);
/* The id as 8 hexadecimal digits and a NUL byte. */
void bt_vkey_id_hex(const struct bt_vkey *vkey, char out[2 * BT_KEY_ID_BYTES + 1]);
/* NAME+ID, as findings name a key. */
bt_str bt_vkey_id_text(const struct bt_vkey *vkey, char out[BT_VKEY_TEXT_MAX]);
bool bt_vkey_eq(const struct bt_vkey *a, const struct bt_vkey *b);

/* The key of a secret. The name must be valid. */
BT_MUST_USE enum bt_status bt_signing_key_generate(bt_str name, enum bt_signing_key_type type,
                                                   const uint8_t secret[BT_KEY_BYTES],
                                                   struct bt_signing_key *out);
/* A key that anybody can compute, for tests. */
BT_MUST_USE enum bt_status bt_signing_key_seed(bt_str name, enum bt_signing_key_type type,
                                               uint64_t seed, struct bt_signing_key *out);
/* Read a private file, its line feed included. BT_EINVAL as for vkeys. */
BT_MUST_USE enum bt_status bt_signing_key_parse(bt_str text, enum bt_signing_key_type type,
                                                struct bt_signing_key *out, struct bt_error *error);
/* Put the private file, its line feed included. */
void bt_signing_key_put(struct bt_buf *buf, const struct bt_signing_key *key);
void bt_signing_key_wipe(struct bt_signing_key *key);

/* Compute once what signing needs, which costs as much as a signature; it belongs to the key
 * until the key is wiped. BT_ENOMEM: out of memory. */
BT_MUST_USE enum bt_status bt_signing_key_ready(struct bt_signing_key *key);
/* BT_ENOMEM or BT_EIO: libcrypto failed. */
BT_MUST_USE enum bt_status bt_signing_key_sign(const struct bt_signing_key *key, bt_str message,
                                               uint8_t out[BT_SIGNATURE_BYTES]);
/* *out_valid says whether the signature fits. BT_ENOMEM or BT_EIO: it could not be verified. */
BT_MUST_USE enum bt_status bt_vkey_verify(const struct bt_vkey *vkey, bt_str message,
                                          const uint8_t signature[BT_SIGNATURE_BYTES],
                                          bool *out_valid);

#endif
