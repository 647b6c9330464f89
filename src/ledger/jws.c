/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jws.c - signatures of other texts by the keys of a ledger, as JSON Web Signatures (RFC 7515).
 *
 * The signed bytes are base64url, a dot and base64url. They have neither line feed nor space, so
 * they can never be mistaken for a note or a DSSE envelope.
 */
#include <assert.h>

#include "ledger/ledger_internal.h"

enum { HEADER_BYTES_MAX = 2 * BT_KEY_NAME_MAX, MESSAGE_BYTES_MAX = 1 << 24 };

static void put_kid(struct bt_buf *buf, const struct bt_vkey *vkey)
{
    char id[2 * BT_KEY_ID_BYTES + 1];
    bt_vkey_id_hex(vkey, id);
    bt_buf_printf(buf, "%.*s+%s", BT_STR_ARG(bt_vkey_name(vkey)), id);
}

static void put_header(struct bt_buf *buf, const struct bt_vkey *vkey)
{
    bt_buf_put_text(buf, "{\"alg\":\"EdDSA\",\"kid\":\"");
    put_kid(buf, vkey); /* a name needs no escapes */
    bt_buf_put_text(buf, "\",\"typ\":\"JOSE\"}");
}

static enum bt_status put_signature(struct bt_buf *buf, const struct bt_signing_key *key,
                                    bt_str payload, struct bt_error *error)
{
    uint8_t signature[BT_SIGNATURE_BYTES];
    struct bt_buf header;
    struct bt_buf message;
    bt_buf_init(&header, HEADER_BYTES_MAX);
    bt_buf_init(&message, MESSAGE_BYTES_MAX);
    put_header(&header, &key->vkey);
    bt_base64url_put(&message, bt_buf_str(&header));
    const size_t header_end = message.len;
    bt_buf_put_char(&message, '.');
    bt_base64url_put(&message, payload);
    enum bt_status status = header.status == BT_OK ? message.status : header.status;
    if (status == BT_OK) {
        status = bt_signing_key_sign(key, bt_buf_str(&message), signature, error);
    }
    if (status == BT_OK) {
        bt_buf_put_text(buf, "{\"protected\":\"");
        bt_buf_put(buf, bt_str_slice(bt_buf_str(&message), 0, header_end));
        bt_buf_put_text(buf, "\",\"signature\":\"");
        bt_base64url_put(buf, (bt_str){(const char *)signature, sizeof(signature)});
        bt_buf_put_text(buf, "\"}");
        status = buf->status;
    }
    bt_buf_free(&message);
    bt_buf_free(&header);
    return status;
}

static enum bt_status put_signatures(struct bt_buf *buf, const struct bt_ledger *ledger,
                                     bt_str payload, struct bt_error *error)
{
    BT_TRY(put_signature(buf, &ledger->signing.key, payload, error));
    if (ledger->signing.is_rotating) {
        bt_buf_put_char(buf, ',');
        BT_TRY(put_signature(buf, &ledger->signing.next, payload, error));
    }
    return BT_OK;
}

enum bt_status bt_ledger_sign_jws(struct bt_ledger *ledger, bt_str payload, struct bt_buf *buf,
                                  struct bt_error *error)
{
    assert(ledger);
    assert(buf);
    struct bt_error why = {.status = BT_OK};
    BT_TRY(bt_ledger_lock_keys(ledger, error));
    const enum bt_status status = put_signatures(buf, ledger, payload, &why);
    bt_ledger_unlock_keys(ledger);
    return status == BT_OK ? BT_OK : bt_ledger_sign_error(status, &why, error);
}
