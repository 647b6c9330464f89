/* SPDX-License-Identifier: Apache-2.0 */
/* issuers.c - keys of issuers through libcrypto: Ed25519, and ECDSA over P-256. */
#include "ledger/issuers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "base/buf.h"
#include "base/error.h"
#include "cbor/cbor.h"
#include "json/emit.h"
#include "ledger/cose.h"
#include "ledger/cose_labels.h"
#include "ledger/ed25519.h"

enum { PEM_BYTES_MAX = 4096, COORDINATE_BYTES = 32, DER_SIGNATURE_BYTES_MAX = 80 };

/* ---- Keys ------------------------------------------------------------------------------------ */

/* The public key in a text that has nothing else. NULL: it is not one. */
static EVP_PKEY *read_pem(bt_str pem)
{
    const bt_str text = bt_str_trim(pem);
    BIO *bio = pem.len <= PEM_BYTES_MAX && bt_str_starts_with(text, BT_STR("-----BEGIN PUBLIC KEY"))
                   ? BIO_new_mem_buf(text.ptr, (int)text.len)
                   : NULL;
    EVP_PKEY *key = bio ? PEM_read_bio_PUBKEY(bio, NULL, NULL, NULL) : NULL;
    if (key && BIO_pending(bio) > 0) { /* which of several keys counts would be a guess */
        EVP_PKEY_free(key);
        key = NULL;
    }
    BIO_free(bio);
    return key;
}

/* A coordinate of the point of a key. */
static bool get_coordinate(const EVP_PKEY *key, const char *name, uint8_t out[COORDINATE_BYTES])
{
    BIGNUM *number = NULL;
    const bool is_read = EVP_PKEY_get_bn_param(key, name, &number) == 1 &&
                         BN_bn2binpad(number, out, COORDINATE_BYTES) == COORDINATE_BYTES;
    BN_free(number);
    return is_read;
}

/* The thumbprint of {1: 2, -1: 1, -2: X, -3: Y}: key type EC2, curve P-256, the point. */
static bool get_p256_kid(const EVP_PKEY *key, struct bt_merkle_hash *out)
{
    char group[32];
    uint8_t point[2][COORDINATE_BYTES];
    struct bt_buf map;
    if (EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_GROUP_NAME, group, sizeof(group),
                                       NULL) != 1 ||
        strcmp(group, "prime256v1") != 0 ||
        !get_coordinate(key, OSSL_PKEY_PARAM_EC_PUB_X, point[0]) ||
        !get_coordinate(key, OSSL_PKEY_PARAM_EC_PUB_Y, point[1])) {
        return false;
    }
    bt_buf_init(&map, 256);
    bt_cbor_put_head(&map, BT_CBOR_MAP, 4);
    bt_cbor_put_integer(&map, 1);
    bt_cbor_put_integer(&map, 2);
    bt_cbor_put_integer(&map, -1);
    bt_cbor_put_integer(&map, 1);
    for (int i = 0; i < 2; i++) {
        bt_cbor_put_integer(&map, -2 - i);
        bt_cbor_put_string(&map, BT_CBOR_BYTES, (bt_str){(const char *)point[i], COORDINATE_BYTES});
    }
    const bool is_put = map.status == BT_OK;
    if (is_put) {
        bt_merkle_hash_plain(bt_buf_str(&map), out);
    }
    bt_buf_free(&map);
    return is_put;
}

/* The key as those of logs are verified; false for one for which anyone can sign. */
static bool get_ed25519(const EVP_PKEY *key, struct bt_vkey *out)
{
    uint8_t public[BT_KEY_BYTES];
    size_t size = sizeof(public);
    return EVP_PKEY_get_raw_public_key(key, public, &size) == 1 && size == sizeof(public) &&
           bt_vkey_make(BT_STR("issuer"), BT_KEY_LOG, public, out, NULL) == BT_OK;
}

static bool keep_spki(EVP_PKEY *key, struct bt_issuer_key *out)
{
    unsigned char *at = out->spki;
    const int size = i2d_PUBKEY(key, NULL);
    out->size = size > 0 ? (size_t)size : 0;
    return size > 0 && size <= BT_ISSUER_KEY_BYTES_MAX && i2d_PUBKEY(key, &at) == size;
}

/* False: it is a key of another kind. */
static bool take_key(EVP_PKEY *key, struct bt_issuer_key *out)
{
    struct bt_vkey vkey;
    *out = (struct bt_issuer_key){.kind = BT_ISSUER_KEY_P256};
    if (EVP_PKEY_is_a(key, "ED25519") == 1) {
        out->kind = BT_ISSUER_KEY_ED25519;
        if (!get_ed25519(key, &vkey)) {
            return false;
        }
        bt_cose_thumbprint(&vkey, &out->kid);
        return keep_spki(key, out);
    }
    return EVP_PKEY_is_a(key, "EC") == 1 && get_p256_kid(key, &out->kid) && keep_spki(key, out);
}

/* ---- The list -------------------------------------------------------------------------------- */

static int compare_issuers(const void *a, const void *b)
{
    const struct bt_issuer *left = a;
    const struct bt_issuer *right = b;
    const int order = bt_str_compare(left->name, right->name);
    return order != 0 ? order : memcmp(left->key.kid.bytes, right->key.kid.bytes, BT_HASH_BYTES);
}

static enum bt_status read_issuer(struct bt_arena *arena, const struct bt_issuer_source *source,
                                  struct bt_issuer *out, struct bt_error *error)
{
    if (source->name.len == 0 || source->name.len > BT_STATEMENT_CLAIM_MAX ||
        bt_utf8_check(source->name) != source->name.len) {
        return bt_error_set(error, BT_EINVAL, "an issuer is a text of 1 to %d bytes",
                            BT_STATEMENT_CLAIM_MAX);
    }
    EVP_PKEY *key = read_pem(source->pem);
    const bool is_taken = key && take_key(key, &out->key);
    EVP_PKEY_free(key);
    if (!is_taken) {
        return bt_error_set(error, BT_EINVAL,
                            "the key of the issuer %.*s is not one public key of Ed25519 or P-256 "
                            "in PEM",
                            BT_STR_ARG(bt_str_slice(source->name, 0, 100)));
    }
    return bt_arena_copy(arena, source->name, &out->name);
}

static void put_list(struct bt_buf *buf, const struct bt_issuers *issuers)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_array(&emit);
    for (size_t i = 0; i < issuers->count; i++) {
        const struct bt_issuer *issuer = &issuers->items[i];
        char kid[BT_HASH_HEX_BYTES];
        bt_merkle_hash_hex(&issuer->key.kid, kid);
        bt_emit_begin_object(&emit);
        bt_emit_member_string(&emit, "iss", issuer->name);
        bt_emit_name(&emit, "key");
        bt_emit_raw(&emit, BT_STR("\""));
        bt_base64_put(buf, (bt_str){(const char *)issuer->key.spki, issuer->key.size});
        bt_buf_put_char(buf, '"');
        bt_emit_member_string(&emit, "kid", bt_str_of(kid));
        bt_emit_end(&emit);
    }
    bt_emit_end(&emit);
}

enum bt_status bt_issuers_read(struct bt_arena *arena, const struct bt_issuer_source *sources,
                               size_t count, struct bt_issuers *out, struct bt_error *error)
{
    assert(count <= BT_ISSUERS_MAX);
    assert(out);
    struct bt_issuer *items = BT_NEW_ARRAY(arena, struct bt_issuer, count + 1);
    struct bt_buf text;
    if (!items) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    for (size_t i = 0; i < count; i++) {
        BT_TRY(read_issuer(arena, &sources[i], &items[i], error));
    }
    qsort(items, count, sizeof(*items), compare_issuers);
    for (size_t i = 1; i < count; i++) {
        if (compare_issuers(&items[i - 1], &items[i]) == 0) {
            return bt_error_set(error, BT_EINVAL, "the issuer %.*s has the same key twice",
                                BT_STR_ARG(bt_str_slice(items[i].name, 0, 100)));
        }
    }
    struct bt_issuers issuers = {.items = items, .count = count};
    bt_buf_init(&text, BT_ISSUERS_TEXT_MAX);
    put_list(&text, &issuers);
    const enum bt_status status = bt_buf_finish(&text, arena, &issuers.text);
    if (status != BT_OK) {
        return bt_error_set(error, status == BT_ENOMEM ? BT_ENOMEM : BT_EINVAL,
                            "the list of issuers is longer than %d bytes", BT_ISSUERS_TEXT_MAX);
    }
    *out = issuers;
    return BT_OK;
}

/* ---- Signatures ------------------------------------------------------------------------------ */

/* The signature R || S as libcrypto reads it. 0: out of memory. */
static size_t write_der(bt_str signature, unsigned char out[DER_SIGNATURE_BYTES_MAX])
{
    const unsigned char *bytes = (const unsigned char *)signature.ptr;
    ECDSA_SIG *pair = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(bytes, COORDINATE_BYTES, NULL);
    BIGNUM *s = BN_bin2bn(bytes + COORDINATE_BYTES, COORDINATE_BYTES, NULL);
    if (!pair || !r || !s || ECDSA_SIG_set0(pair, r, s) != 1) {
        BN_free(r);
        BN_free(s);
        ECDSA_SIG_free(pair);
        return 0;
    }
    unsigned char *at = out;
    const int size = i2d_ECDSA_SIG(pair, NULL);
    const bool is_put =
        size > 0 && size <= DER_SIGNATURE_BYTES_MAX && i2d_ECDSA_SIG(pair, &at) == size;
    ECDSA_SIG_free(pair);
    return is_put ? (size_t)size : 0;
}

static enum bt_status verify_p256(EVP_PKEY *key, bt_str message, bt_str signature, bool *out_valid)
{
    unsigned char der[DER_SIGNATURE_BYTES_MAX];
    const size_t size = write_der(signature, der);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    enum bt_status status = size > 0 && context ? BT_OK : BT_ENOMEM;
    if (status == BT_OK && EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key) != 1) {
        status = BT_EIO;
    }
    if (status == BT_OK) {
        *out_valid = EVP_DigestVerify(context, der, size, (const unsigned char *)message.ptr,
                                      message.len) == 1;
    }
    EVP_MD_CTX_free(context);
    return status;
}

static enum bt_status verify_ed25519(const EVP_PKEY *key, bt_str message, bt_str signature,
                                     bool *out_valid)
{
    struct bt_vkey vkey;
    uint8_t bytes[BT_SIGNATURE_BYTES];
    memcpy(bytes, signature.ptr, sizeof(bytes));
    return get_ed25519(key, &vkey) ? bt_vkey_verify(&vkey, message, bytes, out_valid) : BT_EIO;
}

static enum bt_status verify_signature(const struct bt_issuer_key *key,
                                       const struct bt_signed_statement *statement, bool *out_valid)
{
    const unsigned char *at = key->spki;
    struct bt_buf message;
    assert(statement->signature.len == BT_SIGNATURE_BYTES);
    bt_buf_init(&message, (size_t)2 * BT_STATEMENT_BYTES_MAX);
    bt_statement_put_signed(&message, statement);
    EVP_PKEY *public = d2i_PUBKEY(NULL, &at, (long)key->size);
    enum bt_status status = public ? message.status : BT_ENOMEM;
    if (status == BT_OK) {
        const bt_str text = bt_buf_str(&message);
        status = key->kind == BT_ISSUER_KEY_P256
                     ? verify_p256(public, text, statement->signature, out_valid)
                     : verify_ed25519(public, text, statement->signature, out_valid);
    }
    EVP_PKEY_free(public);
    bt_buf_free(&message);
    return status;
}

/* The listed key that the statement names; NULL: there is none. */
static const struct bt_issuer_key *find_key(const struct bt_issuers *issuers,
                                            const struct bt_signed_statement *statement)
{
    for (size_t i = 0; i < issuers->count; i++) {
        const struct bt_issuer *issuer = &issuers->items[i];
        if (bt_str_eq(issuer->name, statement->issuer) &&
            memcmp(issuer->key.kid.bytes, statement->kid.ptr, BT_HASH_BYTES) == 0) {
            return &issuer->key;
        }
    }
    return NULL;
}

enum bt_status bt_issuers_judge(const struct bt_issuers *issuers,
                                const struct bt_signed_statement *statement,
                                struct bt_statement_fault *out)
{
    assert(issuers);
    assert(out);
    const struct bt_issuer_key *key = find_key(issuers, statement);
    const bool wants_p256 = statement->alg == BT_COSE_ES256;
    bool is_valid = false;
    *out = (struct bt_statement_fault){BT_STATEMENT_REJECTED,
                                       "its issuer and kid are not listed here together"};
    if (!key) {
        return BT_OK;
    }
    if (wants_p256 != (key->kind == BT_ISSUER_KEY_P256)) {
        out->why = "its alg is not one of the key that it names";
        return BT_OK;
    }
    BT_TRY(verify_signature(key, statement, &is_valid));
    *out = is_valid
               ? (struct bt_statement_fault){BT_STATEMENT_FINE, ""}
               : (struct bt_statement_fault){BT_STATEMENT_REJECTED, "its signature is not valid"};
    return BT_OK;
}
