/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash.c - SHA-256 through libcrypto.
 */
#include <baton/env.h>

#include <assert.h>
#include <openssl/evp.h>

#include "base/hex.h"

enum bt_status bt_sha256(bt_str bytes, uint8_t out[BT_SHA256_BYTES])
{
    assert(out);
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    if (EVP_Digest(bytes.ptr, bytes.len, digest, &size, EVP_sha256(), NULL) != 1) {
        return BT_EIO;
    }
    assert(size == BT_SHA256_BYTES);
    for (size_t i = 0; i < BT_SHA256_BYTES; i++) {
        out[i] = digest[i];
    }
    return BT_OK;
}

enum bt_status bt_sha256_hex(bt_str bytes, char out[BT_SHA256_HEX_BYTES])
{
    assert(out);
    uint8_t digest[BT_SHA256_BYTES];
    BT_TRY(bt_sha256(bytes, digest));
    bt_hex_put(digest, sizeof(digest), out);
    out[BT_SHA256_HEX_BYTES - 1] = '\0';
    return BT_OK;
}
