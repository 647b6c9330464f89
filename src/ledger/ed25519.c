/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ed25519.c - Ed25519 through libcrypto.
 */
#include "ledger/ed25519.h"

#include <assert.h>
#include <string.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "base/error.h"

struct evp_pkey_st *bt_ed25519_pair_create(const uint8_t secret[BT_KEY_BYTES])
{
    return EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, secret, BT_KEY_BYTES);
}

void bt_ed25519_pair_destroy(struct evp_pkey_st *pair)
{
    EVP_PKEY_free(pair); /* NULL is allowed */
}

bool bt_ed25519_get_public(const struct evp_pkey_st *pair, uint8_t out[BT_KEY_BYTES])
{
    size_t size = BT_KEY_BYTES;
    return EVP_PKEY_get_raw_public_key(pair, out, &size) == 1 && size == BT_KEY_BYTES;
}

void bt_secret_wipe(void *secret, size_t size)
{
    OPENSSL_cleanse(secret, size);
}

enum bt_status bt_ed25519_sign(struct evp_pkey_st *pair, bt_str message,
                               uint8_t out[BT_SIGNATURE_BYTES])
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    uint8_t signature[BT_SIGNATURE_BYTES];
    size_t size = sizeof(signature);
    enum bt_status status = context ? BT_OK : BT_ENOMEM;
    if (status == BT_OK && (EVP_DigestSignInit(context, NULL, NULL, NULL, pair) != 1 ||
                            EVP_DigestSign(context, signature, &size,
                                           (const unsigned char *)message.ptr, message.len) != 1 ||
                            size != sizeof(signature))) {
        status = BT_EIO;
    }
    EVP_MD_CTX_free(context);
    if (status == BT_OK) {
        memcpy(out, signature, sizeof(signature));
    }
    return status;
}

static enum bt_status verify_signature(const uint8_t public[BT_KEY_BYTES], bt_str message,
                                       const uint8_t signature[BT_SIGNATURE_BYTES], bool *out_valid)
{
    EVP_PKEY *key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, public, BT_KEY_BYTES);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    enum bt_status status = key && context ? BT_OK : BT_ENOMEM;
    if (status == BT_OK && EVP_DigestVerifyInit(context, NULL, NULL, NULL, key) != 1) {
        status = BT_EIO;
    }
    if (status == BT_OK) {
        *out_valid = EVP_DigestVerify(context, signature, BT_SIGNATURE_BYTES,
                                      (const unsigned char *)message.ptr, message.len) == 1;
    }
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    return status;
}

/* True when this machine can verify signatures: the first test of RFC 8032, section 7.1. */
static bool can_verify(void)
{
    static const uint8_t public[BT_KEY_BYTES] = {0xd7, 0x5a, 0x98, 0x01, 0x82, 0xb1, 0x0a, 0xb7,
                                                 0xd5, 0x4b, 0xfe, 0xd3, 0xc9, 0x64, 0x07, 0x3a,
                                                 0x0e, 0xe1, 0x72, 0xf3, 0xda, 0xa6, 0x23, 0x25,
                                                 0xaf, 0x02, 0x1a, 0x68, 0xf7, 0x07, 0x51, 0x1a};
    static const uint8_t signature[BT_SIGNATURE_BYTES] = {
        0xe5, 0x56, 0x43, 0x00, 0xc3, 0x60, 0xac, 0x72, 0x90, 0x86, 0xe2, 0xcc, 0x80,
        0x6e, 0x82, 0x8a, 0x84, 0x87, 0x7f, 0x1e, 0xb8, 0xe5, 0xd9, 0x74, 0xd8, 0x73,
        0xe0, 0x65, 0x22, 0x49, 0x01, 0x55, 0x5f, 0xb8, 0x82, 0x15, 0x90, 0xa3, 0x3b,
        0xac, 0xc6, 0x1e, 0x39, 0x70, 0x1c, 0xf9, 0xb4, 0x6b, 0xd2, 0x5b, 0xf5, 0xf0,
        0x59, 0x5b, 0xbe, 0x24, 0x65, 0x51, 0x41, 0x43, 0x8e, 0x7a, 0x10, 0x0b};
    bool valid = false;
    return verify_signature(public, BT_STR(""), signature, &valid) == BT_OK && valid;
}

/* libcrypto also reports a signature as invalid when it runs out of memory. So a negative result
 * is trusted only when a known signature verifies, and only when it is repeated. */
enum bt_status bt_vkey_verify(const struct bt_vkey *vkey, bt_str message,
                              const uint8_t signature[BT_SIGNATURE_BYTES], bool *out_valid)
{
    assert(vkey);
    assert(out_valid);
    BT_TRY(verify_signature(vkey->key, message, signature, out_valid));
    if (*out_valid) {
        return BT_OK;
    }
    return can_verify() ? verify_signature(vkey->key, message, signature, out_valid) : BT_ENOMEM;
}
