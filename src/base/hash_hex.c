/* SPDX-License-Identifier: Apache-2.0 */
/* hash_hex.c - SHA-256 as a text, in every profile. */
#include <assert.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/hex.h"

enum bt_status bt_sha256_hex(bt_str bytes, char out[BT_SHA256_HEX_BYTES])
{
    assert(out);
    uint8_t digest[BT_SHA256_BYTES];
    BT_TRY(bt_sha256(bytes, digest));
    bt_hex_put(digest, sizeof(digest), out);
    out[BT_SHA256_HEX_BYTES - 1] = '\0';
    return BT_OK;
}
