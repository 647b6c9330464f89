/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ed25519.h - Ed25519, by libcrypto (ed25519.c) or by the host of a core build (ed25519_host.c).
 */
#ifndef BATON_SRC_LEDGER_ED25519_H
#define BATON_SRC_LEDGER_ED25519_H

#include "proof/vkey.h"

struct evp_pkey_st; /* a key pair of libcrypto */

/* Make a pair, for bt_ed25519_pair_destroy(). NULL: out of memory. */
struct evp_pkey_st *bt_ed25519_pair_create(const uint8_t secret[BT_KEY_BYTES]);
/* Destroy it. NULL is allowed. */
void bt_ed25519_pair_destroy(struct evp_pkey_st *pair);
BT_MUST_USE bool bt_ed25519_get_public(const struct evp_pkey_st *pair, uint8_t out[BT_KEY_BYTES]);
/* BT_ENOMEM or BT_EIO: libcrypto failed. */
BT_MUST_USE enum bt_status bt_ed25519_sign(struct evp_pkey_st *pair, bt_str message,
                                           uint8_t out[BT_SIGNATURE_BYTES]);
/* *out_valid says whether the signature fits. BT_ENOMEM or BT_EIO: it could not be verified. */
BT_MUST_USE enum bt_status bt_vkey_verify(const struct bt_vkey *vkey, bt_str message,
                                          const uint8_t signature[BT_SIGNATURE_BYTES],
                                          bool *out_valid);
/* Overwrite a secret so that no compiler leaves it out. */
void bt_secret_wipe(void *secret, size_t size);

/* ---- Signatures that the host verifies ------------------------------------------------------- */

/* A signature that has to be verified, and the answer of the host. */
struct bt_signature_question {
    uint8_t key[BT_KEY_BYTES];
    uint8_t signature[BT_SIGNATURE_BYTES];
    bt_str message;
    bool is_answered;
    bool is_valid;
};

/*
 * The questions of one receipt. A signature without an answer becomes a question and counts as
 * valid, so that the questions behind it are found, too; a judgement counts only when `open` is
 * zero after it.
 */
struct bt_signature_host {
    struct bt_arena *arena; /* of the questions */
    struct bt_signature_question *items;
    size_t count;
    size_t capacity;
    size_t open; /* questions without an answer */
};

#endif
