/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.c - a legacy session: what is known of the client, sealed into a text that it sends back.
 *
 *     base64url of: version (1), capabilities (1), node (8), expiry (8), principal, HMAC (32)
 *
 * The server stores nothing, so that every node can restore every session.
 */
#include <assert.h>
#include <string.h>

#include "mcp/mcp_internal.h"

enum {
    VERSION = 1,
    NODE_BYTES = 8,
    HEAD_BYTES = 2 + NODE_BYTES + 8,
    PRINCIPAL_BYTES_MAX = 256,
    BYTES_MAX = HEAD_BYTES + PRINCIPAL_BYTES_MAX + BT_SHA256_BYTES,
    TEXT_BYTES_MAX = (BYTES_MAX + 2) / 3 * 4,
};

static uint64_t seconds_now(const struct mcp *mcp)
{
    const bt_instant now = bt_env_now(mcp->service->env);
    return now.seconds > 0 ? (uint64_t)now.seconds : 0;
}

enum bt_status mcp_session_put(const struct mcp *mcp, struct bt_buf *out)
{
    const uint64_t until =
        seconds_now(mcp) + bt_config_seconds(mcp->service->config, "mcp.session_ttl");
    const bt_str actor = mcp->caller->actor;
    uint8_t bytes[BYTES_MAX] = {VERSION, (uint8_t)mcp->can};
    assert(mcp->place.session_key);
    if (actor.len > PRINCIPAL_BYTES_MAX) {
        return BT_ELIMIT;
    }
    memcpy(bytes + 2, mcp->place.node, NODE_BYTES);
    for (size_t i = 0; i < 8; i++) {
        bytes[2 + NODE_BYTES + i] = (uint8_t)(until >> (56 - 8 * i));
    }
    memcpy(bytes + HEAD_BYTES, actor.ptr, actor.len);
    const size_t size = HEAD_BYTES + actor.len;
    BT_TRY(
        bt_hmac_sha256(mcp->place.session_key, (bt_str){(const char *)bytes, size}, bytes + size));
    bt_base64url_put(out, (bt_str){(const char *)bytes, size + BT_SHA256_BYTES});
    return out->status;
}

/* Decode a base64url text and return the number of bytes; 0 when it is malformed. */
static size_t decode_base64url(bt_str text, uint8_t out[BYTES_MAX + 3])
{
    char plain[TEXT_BYTES_MAX + 4];
    size_t length = text.len;
    if (length == 0 || length > TEXT_BYTES_MAX) {
        return 0;
    }
    for (size_t i = 0; i < length; i++) {
        const char byte = text.ptr[i];
        if (byte == '+' || byte == '/') {
            return 0;
        }
        plain[i] = byte;
        plain[i] = byte == '-' ? '+' : plain[i];
        plain[i] = byte == '_' ? '/' : plain[i];
    }
    while (length % 4 != 0) {
        plain[length++] = '=';
    }
    const size_t size = bt_base64_decoded_size((bt_str){plain, length});
    if (size == SIZE_MAX || size > BYTES_MAX) {
        return 0;
    }
    bt_base64_decode((bt_str){plain, length}, out);
    return size;
}

bool mcp_session_take(struct mcp *mcp, bt_str text)
{
    uint8_t bytes[BYTES_MAX + 3];
    uint8_t mac[BT_SHA256_BYTES];
    uint64_t until = 0;
    const size_t size = decode_base64url(text, bytes);
    if (size < HEAD_BYTES + BT_SHA256_BYTES) {
        return false;
    }
    const size_t sealed = size - BT_SHA256_BYTES;
    if (bt_hmac_sha256(mcp->place.session_key, (bt_str){(const char *)bytes, sealed}, mac) !=
            BT_OK ||
        !bt_bytes_equal_constant_time(mac, bytes + sealed, sizeof(mac)) || bytes[0] != VERSION) {
        return false;
    }
    for (size_t i = 0; i < 8; i++) {
        until = until << 8 | bytes[2 + NODE_BYTES + i];
    }
    const bt_str principal = {(const char *)bytes + HEAD_BYTES, sealed - HEAD_BYTES};
    if (until < seconds_now(mcp) || !bt_str_eq(principal, mcp->caller->actor)) {
        return false;
    }
    mcp->is_legacy = true;
    mcp->can = bytes[1];
    return true;
}
