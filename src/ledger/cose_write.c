/* SPDX-License-Identifier: Apache-2.0 */
/* cose_write.c - COSE receipts and keys written. Members are in the order of their encoded keys. */
#include <assert.h>
#include <inttypes.h>

#include "base/buf.h"
#include "cbor/cbor.h"
#include "ledger/cose.h"
#include "ledger/cose_labels.h"

enum { HEADERS_BYTES_MAX = 4096, PROOF_BYTES_MAX = 4096 };

static bt_str hash_bytes(const struct bt_merkle_hash *hash)
{
    return (bt_str){(const char *)hash->bytes, BT_HASH_BYTES};
}

/* The receipt of a statement has the subject of the statement. */
static bool is_about_statement(const struct bt_receipt *receipt)
{
    return receipt->subject.len > 0;
}

static void put_headers(struct bt_buf *buf, const struct bt_vkey *vkey,
                        const struct bt_receipt *receipt)
{
    const bool is_statement = is_about_statement(receipt);
    struct bt_merkle_hash kid;
    struct bt_buf subject;
    bt_cose_thumbprint(vkey, &kid);
    bt_buf_init(&subject, HEADERS_BYTES_MAX);
    bt_buf_put(&subject, is_statement ? receipt->subject : bt_vkey_name(vkey));
    if (!is_statement) {
        bt_buf_printf(&subject, "#%" PRIu64, receipt->index);
    }
    bt_cbor_put_head(buf, BT_CBOR_MAP, 5);
    bt_cbor_put_integer(buf, BT_COSE_ALG);
    bt_cbor_put_integer(buf, BT_COSE_EDDSA);
    bt_cbor_put_integer(buf, BT_COSE_KID);
    bt_cbor_put_string(buf, BT_CBOR_BYTES, hash_bytes(&kid));
    bt_cbor_put_integer(buf, BT_COSE_CLAIMS);
    bt_cbor_put_head(buf, BT_CBOR_MAP, 2);
    bt_cbor_put_integer(buf, BT_COSE_ISSUER);
    bt_cbor_put_string(buf, BT_CBOR_TEXT, bt_vkey_name(vkey));
    bt_cbor_put_integer(buf, BT_COSE_SUBJECT);
    bt_cbor_put_string(buf, BT_CBOR_TEXT, bt_buf_str(&subject));
    bt_cbor_put_integer(buf, BT_COSE_TYP);
    bt_cbor_put_string(buf, BT_CBOR_TEXT,
                       is_statement ? BT_STR(BT_COSE_STATEMENT_RECEIPT_TYPE)
                                    : BT_STR(BT_COSE_RECEIPT_TYPE));
    bt_cbor_put_integer(buf, BT_COSE_VDS);
    bt_cbor_put_integer(buf, BT_COSE_RFC9162_SHA256);
    buf->status = buf->status == BT_OK ? subject.status : buf->status;
    bt_buf_free(&subject);
}

static void put_proof(struct bt_buf *buf, const struct bt_receipt *receipt, uint64_t size)
{
    struct bt_buf proof;
    bt_buf_init(&proof, PROOF_BYTES_MAX);
    bt_cbor_put_head(&proof, BT_CBOR_ARRAY, 3);
    bt_cbor_put_head(&proof, BT_CBOR_UNSIGNED, size);
    bt_cbor_put_head(&proof, BT_CBOR_UNSIGNED, receipt->index);
    bt_cbor_put_head(&proof, BT_CBOR_ARRAY, receipt->proof.count);
    for (size_t i = 0; i < receipt->proof.count; i++) {
        bt_cbor_put_string(&proof, BT_CBOR_BYTES, hash_bytes(&receipt->proof.hashes[i]));
    }
    bt_cbor_put_head(buf, BT_CBOR_MAP, 1);
    bt_cbor_put_integer(buf, BT_COSE_INCLUSION);
    bt_cbor_put_head(buf, BT_CBOR_ARRAY, 1);
    bt_cbor_put_string(buf, BT_CBOR_BYTES, bt_buf_str(&proof));
    buf->status = buf->status == BT_OK ? proof.status : buf->status;
    bt_buf_free(&proof);
}

static void put_unprotected(struct bt_buf *buf, const struct bt_receipt *receipt, uint64_t size)
{
    bt_cbor_put_head(buf, BT_CBOR_MAP, is_about_statement(receipt) ? 2 : 3);
    bt_cbor_put_integer(buf, BT_COSE_VDP);
    put_proof(buf, receipt, size);
    if (!is_about_statement(receipt)) {
        bt_cbor_put_integer(buf, BT_COSE_ENTRY);
        bt_cbor_put_string(buf, BT_CBOR_BYTES, receipt->entry);
    }
    bt_cbor_put_integer(buf, BT_COSE_CHECKPOINT);
    bt_cbor_put_string(buf, BT_CBOR_TEXT, receipt->checkpoint);
}

enum bt_status bt_cose_sign(const struct bt_signing_key *key, bt_str headers, bt_str payload,
                            uint8_t out[BT_SIGNATURE_BYTES], struct bt_error *error)
{
    struct bt_buf message;
    bt_buf_init(&message, (size_t)2 * HEADERS_BYTES_MAX + payload.len);
    bt_cose_put_signed(&message, headers, payload);
    const enum bt_status status = message.status == BT_OK
                                      ? bt_signing_key_sign(key, bt_buf_str(&message), out, error)
                                      : message.status;
    bt_buf_free(&message);
    return status;
}

enum bt_status bt_cose_put(struct bt_buf *buf, const struct bt_signing_key *key,
                           const struct bt_receipt *receipt, uint64_t size,
                           const struct bt_merkle_hash *root, struct bt_error *error)
{
    assert(receipt->has_entry);
    uint8_t signature[BT_SIGNATURE_BYTES];
    struct bt_buf headers;
    bt_buf_init(&headers, HEADERS_BYTES_MAX);
    put_headers(&headers, &key->vkey, receipt);
    enum bt_status status = headers.status;
    if (status == BT_OK) {
        status = bt_cose_sign(key, bt_buf_str(&headers), hash_bytes(root), signature, error);
    }
    if (status == BT_OK) {
        bt_cbor_put_head(buf, BT_CBOR_TAG, BT_COSE_SIGN1_TAG);
        bt_cbor_put_head(buf, BT_CBOR_ARRAY, 4);
        bt_cbor_put_string(buf, BT_CBOR_BYTES, bt_buf_str(&headers));
        put_unprotected(buf, receipt, size);
        bt_cbor_put_head(buf, BT_CBOR_SIMPLE, BT_CBOR_NULL);
        bt_cbor_put_string(buf, BT_CBOR_BYTES,
                           (bt_str){(const char *)signature, sizeof(signature)});
        status = buf->status;
    }
    bt_buf_free(&headers);
    return status;
}

void bt_cose_put_key(struct bt_buf *buf, const struct bt_vkey *vkey)
{
    struct bt_merkle_hash kid;
    bt_cose_thumbprint(vkey, &kid);
    bt_cbor_put_head(buf, BT_CBOR_MAP, 5);
    bt_cbor_put_integer(buf, 1); /* key type ... */
    bt_cbor_put_integer(buf, 1); /* ... OKP */
    bt_cbor_put_integer(buf, 2); /* kid */
    bt_cbor_put_string(buf, BT_CBOR_BYTES, hash_bytes(&kid));
    bt_cbor_put_integer(buf, 3); /* algorithm */
    bt_cbor_put_integer(buf, BT_COSE_EDDSA);
    bt_cbor_put_integer(buf, -1); /* curve ... */
    bt_cbor_put_integer(buf, 6);  /* ... Ed25519 */
    bt_cbor_put_integer(buf, -2); /* x */
    bt_cbor_put_string(buf, BT_CBOR_BYTES, (bt_str){(const char *)vkey->key, BT_KEY_BYTES});
}
