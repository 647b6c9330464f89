/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dsse_sign.c - a receipt as a signed DSSE envelope.
 */
#include <assert.h>

#include "base/buf.h"
#include "base/hex.h"
#include "ledger/dsse.h"
#include "ledger/dsse_names.h"

static enum bt_status put_envelope(struct bt_buf *buf, const struct bt_signing_key *key,
                                   bt_str payload, struct bt_error *error)
{
    uint8_t signature[BT_SIGNATURE_BYTES];
    char id[2 * BT_KEY_ID_BYTES + 1];
    struct bt_buf message;
    bt_buf_init(&message, (size_t)4 * BT_RECEIPT_BYTES_MAX);
    bt_dsse_put_signed(&message, payload);
    enum bt_status status = message.status;
    if (status == BT_OK) {
        status = bt_signing_key_sign(key, bt_buf_str(&message), signature, error);
    }
    bt_buf_free(&message);
    BT_TRY(status);
    bt_vkey_id_hex(&key->vkey, id);
    bt_buf_put_text(buf, "{\"payload\":\"");
    bt_base64_put(buf, payload);
    bt_buf_printf(buf,
                  "\",\"payloadType\":\"" BT_DSSE_PAYLOAD_TYPE
                  "\",\"signatures\":[{\"keyid\":\"%s\","
                  "\"sig\":\"",
                  id);
    bt_base64_put(buf, (bt_str){(const char *)signature, sizeof(signature)});
    bt_buf_put_text(buf, "\"}]}");
    return buf->status;
}

enum bt_status bt_dsse_put(struct bt_buf *buf, const struct bt_signing_key *key,
                           const struct bt_dsse_content *content, struct bt_error *error)
{
    assert(buf);
    assert(key);
    assert(content);
    struct bt_buf payload;
    bt_buf_init(&payload, (size_t)2 * BT_RECEIPT_BYTES_MAX);
    bt_dsse_put_statement(&payload, content);
    const enum bt_status status = payload.status == BT_OK
                                      ? put_envelope(buf, key, bt_buf_str(&payload), error)
                                      : payload.status;
    bt_buf_free(&payload);
    return status;
}
