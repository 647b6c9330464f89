/* SPDX-License-Identifier: Apache-2.0 */
/* bus_auth.c - authenticate clients of the bus. */
#include "pump_net/bus_auth.h"

#include <stdio.h>
#include <string.h>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <baton/json.h>
#include "base/env.h"

#include "base/file.h"

enum { KEY_BYTES_MAX = 65536, SIGNATURE_BYTES = 64 };

const char *bt_bus_refusal_name(enum bt_bus_refusal refusal)
{
    static const char *const names[] = {
        [BT_BUS_REFUSAL_NAME] = "name",       [BT_BUS_REFUSAL_UID] = "uid",
        [BT_BUS_REFUSAL_TOKEN] = "token",     [BT_BUS_REFUSAL_SIGNATURE] = "signature",
        [BT_BUS_REFUSAL_BLOCKED] = "blocked", [BT_BUS_REFUSAL_ORDER] = "order"};
    return names[refusal];
}

static bool is_at(const struct bt_bus_failed_address *guarded, const char *address)
{
    return strcmp(guarded->address, address) == 0;
}

bool bt_bus_auth_is_blocked(const struct bt_bus_failures *guard, const char *address,
                            uint64_t now_ms)
{
    for (size_t i = 0; i < BT_ADDRESSES_KEPT; i++) {
        const struct bt_bus_failed_address *guarded = &guard->addresses[i];
        if (is_at(guarded, address)) {
            return guarded->failures >= BT_FAILURES_MAX &&
                   now_ms - guarded->last_ms < BT_BLOCKED_MS;
        }
    }
    return false;
}

void bt_bus_auth_count_failure(struct bt_bus_failures *guard, const char *address, uint64_t now_ms)
{
    struct bt_bus_failed_address *place = &guard->addresses[0];
    for (size_t i = 0; i < BT_ADDRESSES_KEPT && !is_at(place, address); i++) {
        struct bt_bus_failed_address *at = &guard->addresses[i];
        if (is_at(at, address) || at->last_ms < place->last_ms) {
            place = at;
        }
    }
    if (!is_at(place, address) || now_ms - place->first_ms >= BT_FAILURES_MS) {
        *place = (struct bt_bus_failed_address){.first_ms = now_ms};
        (void)snprintf(place->address, sizeof(place->address), "%s", address);
    }
    place->failures++;
    place->last_ms = now_ms;
}

static bool is_token(const struct bt_organism_client *client, bt_str token)
{
    const bt_str wanted = bt_organism_node_text(client->node, "token_sha256");
    char hex[BT_SHA256_HEX_BYTES];
    return wanted.len == sizeof(hex) - 1 && bt_sha256_hex(token, hex) == BT_OK &&
           bt_bytes_equal_constant_time(hex, wanted.ptr, wanted.len);
}

static bool verify_signature(bt_str pem, bt_str challenge, const uint8_t signature[SIGNATURE_BYTES])
{
    BIO *bio = BIO_new_mem_buf(pem.ptr, (int)pem.len);
    EVP_PKEY *key = bio ? PEM_read_bio_PUBKEY(bio, NULL, NULL, NULL) : NULL;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    const bool is_valid =
        key && context && EVP_PKEY_get_base_id(key) == EVP_PKEY_ED25519 &&
        EVP_DigestVerifyInit(context, NULL, NULL, NULL, key) == 1 &&
        EVP_DigestVerify(context, signature, SIGNATURE_BYTES, (const unsigned char *)challenge.ptr,
                         challenge.len) == 1;
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    BIO_free(bio);
    ERR_clear_error();
    return is_valid;
}

static bool is_signature(struct bt_arena *arena, const struct bt_organism *organism,
                         const struct bt_organism_client *client,
                         const struct bt_bus_credentials *claim, bt_str text)
{
    const bt_str file = bt_organism_node_text(client->node, "public_key");
    uint8_t signature[SIGNATURE_BYTES];
    bt_str path;
    bt_str pem;
    if (file.len == 0 || bt_base64_decoded_size(text) != sizeof(signature) ||
        bt_arena_printf(arena, &path, "%.*s/%.*s", BT_STR_ARG(organism->folder),
                        BT_STR_ARG(file)) != BT_OK ||
        bt_file_read(arena, path, KEY_BYTES_MAX, &pem, NULL) != BT_OK) {
        return false;
    }
    bt_base64_decode(text, signature);
    return verify_signature(pem, claim->challenge, signature);
}

static bool is_own_uid(const struct bt_organism_client *client,
                       const struct bt_bus_credentials *claim)
{
    int64_t uid;
    return claim->is_local &&
           bt_organism_node_integer(bt_organism_node_get(client->node, "uid"), &uid) &&
           (uint64_t)uid == claim->uid;
}

/* What a HELLO shows; NULL pointers: it does not. */
struct bus_auth_proofs {
    bt_str token;
    bt_str signature;
};

/* A member of HELLO; *out_wrong: it is present and not a string. */
static bt_str get_string_member(const struct bt_json_doc *document, const char *name,
                                bool *out_wrong)
{
    const bt_json_value *value = bt_json_get(document, bt_json_root(document), bt_str_of(name));
    *out_wrong = *out_wrong || (value && bt_json_type(value) != BT_JSON_STRING);
    return value ? bt_json_text(value) : (bt_str){NULL, 0};
}

static bool is_protocol(const struct bt_json_doc *document)
{
    const bt_json_value *protocol =
        bt_json_get(document, bt_json_root(document), BT_STR("protocol"));
    return protocol && bt_json_type(protocol) == BT_JSON_INTEGER && protocol->as.integer == 1;
}

/* Why a claim does not prove to be the client; 0: it does. */
static enum bt_bus_refusal judge_claim(struct bt_arena *arena, const struct bt_organism *organism,
                                       const struct bt_organism_client *client,
                                       const struct bt_bus_credentials *claim,
                                       const struct bus_auth_proofs *proofs)
{
    if (proofs->token.ptr && !is_token(client, proofs->token)) {
        return BT_BUS_REFUSAL_TOKEN;
    }
    if (proofs->signature.ptr && !is_signature(arena, organism, client, claim, proofs->signature)) {
        return BT_BUS_REFUSAL_SIGNATURE;
    }
    return proofs->token.ptr || proofs->signature.ptr || is_own_uid(client, claim)
               ? 0
               : BT_BUS_REFUSAL_UID;
}

enum bt_status bt_bus_auth_check(struct bt_arena *arena, const struct bt_organism *organism,
                                 const struct bt_bus_credentials *claim,
                                 struct bt_bus_auth_result *out)
{
    struct bt_json_read_result read = {0};
    bool is_wrong = false;
    *out = (struct bt_bus_auth_result){.name = BT_STR(""), .refusal = BT_BUS_REFUSAL_ORDER};
    /* from: socket */
    BT_TRY(bt_json_read(arena, claim->hello, NULL, &read));
    if (!read.document || !is_protocol(read.document)) {
        return BT_OK;
    }
    const bt_str name = get_string_member(read.document, "client", &is_wrong);
    const struct bus_auth_proofs proofs = {
        .token = get_string_member(read.document, "token", &is_wrong),
        .signature = get_string_member(read.document, "signature", &is_wrong)};
    const struct bt_organism_client *client =
        is_wrong || !name.ptr ? NULL : bt_organism_client(organism, name);
    out->name = name.ptr ? name : BT_STR("");
    out->refusal = is_wrong  ? BT_BUS_REFUSAL_ORDER
                   : !client ? BT_BUS_REFUSAL_NAME
                             : judge_claim(arena, organism, client, claim, &proofs);
    out->client = out->refusal == 0 ? client : NULL;
    return BT_OK;
}
