/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uuid.c - version 4 UUIDs, made and recognised.
 */
#include "base/env.h"

#include <assert.h>

#include "base/error.h"
#include "base/hex.h"

enum { UUID_LENGTH = 36 };

static bool is_dash_place(size_t i)
{
    return i == 8 || i == 13 || i == 18 || i == 23;
}

enum bt_status bt_env_uuid(struct bt_env *env, char out[BT_UUID_TEXT_BYTES])
{
    assert(out);
    uint8_t bytes[32];
    BT_TRY(bt_env_id_bytes(env, bytes));
    bytes[6] = (uint8_t)((bytes[6] & 0x0f) | 0x40); /* version 4 */
    bytes[8] = (uint8_t)((bytes[8] & 0x3f) | 0x80); /* the variant of RFC 4122 */
    size_t byte = 0;
    for (size_t i = 0; i < UUID_LENGTH;) {
        if (is_dash_place(i)) {
            out[i++] = '-';
            continue;
        }
        bt_hex_put(&bytes[byte++], 1, out + i);
        i += 2;
    }
    out[UUID_LENGTH] = '\0';
    return BT_OK;
}

bool bt_uuid_is_valid(bt_str text)
{
    if (text.len != UUID_LENGTH) {
        return false;
    }
    unsigned all = 1;
    for (size_t i = 0; i < UUID_LENGTH; i++) {
        all &= is_dash_place(i) ? (unsigned)(text.ptr[i] == '-') : bt_hex_is_valid(text.ptr[i]);
    }
    return all == 1;
}

bool bt_uuid_is_v4(bt_str text)
{
    if (!bt_uuid_is_valid(text) || text.ptr[14] != '4') {
        return false;
    }
    const char variant = text.ptr[19];
    return variant == '8' || variant == '9' || variant == 'a' || variant == 'b';
}
