/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signing_key.c - keys to sign with as text, and signatures by them.
 */
#include "ledger/signing_key.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "ledger/ed25519.h"
#include "ledger/hash.h"
#include "net/ssh_agent.h"

static const bt_str private_prefix = BT_STR_INIT("PRIVATE+KEY+");
static const bt_str agent_prefix = BT_STR_INIT("AGENT+KEY+");

/* ---- Keys ------------------------------------------------------------------------------------ */

void bt_signing_key_wipe(struct bt_signing_key *key)
{
    assert(key);
    bt_ed25519_pair_destroy(key->pair);
    bt_secret_wipe(key, sizeof(*key));
}

enum bt_status bt_signing_key_generate(bt_str name, enum bt_signing_key_type type,
                                       const uint8_t secret[BT_KEY_BYTES],
                                       struct bt_signing_key *out)
{
    assert(bt_signing_key_name_is_valid(name));
    assert(out);
    uint8_t public_key[BT_KEY_BYTES];
    struct evp_pkey_st *pair = bt_ed25519_pair_create(secret);
    if (!pair) {
        return BT_ENOMEM;
    }
    const bool is_done = bt_ed25519_get_public(pair, public_key);
    bt_ed25519_pair_destroy(pair);
    if (!is_done) {
        return BT_EIO;
    }
    *out = (struct bt_signing_key){.pair = NULL};
    bt_vkey_set(&out->vkey, name, type, public_key);
    memcpy(out->secret, secret, BT_KEY_BYTES);
    return BT_OK;
}

enum bt_status bt_signing_key_seed(bt_str name, enum bt_signing_key_type type, uint64_t seed,
                                   struct bt_signing_key *out)
{
    assert(bt_signing_key_name_is_valid(name));
    struct bt_buf text;
    bt_buf_init(&text, (size_t)2 * BT_KEY_NAME_MAX);
    bt_buf_printf(&text, "baton-test-key/v1\n%.*s\n%02x\n%" PRIu64 "\n", BT_STR_ARG(name),
                  (unsigned)type, seed);
    enum bt_status status = text.status;
    if (status == BT_OK) {
        struct bt_merkle_hash secret;
        bt_merkle_hash_plain(bt_buf_str(&text), &secret);
        status = bt_signing_key_generate(name, type, secret.bytes, out);
    }
    bt_buf_free(&text);
    return status;
}

enum bt_status bt_signing_key_from_agent(bt_str name, bt_str public_file,
                                         const struct bt_key_agent *agent,
                                         struct bt_signing_key *out, struct bt_error *error)
{
    assert(bt_signing_key_name_is_valid(name));
    assert(agent);
    static_assert((int)BT_KEY_BYTES == (int)BT_SSH_KEY_BYTES, "both are keys of Ed25519");
    uint8_t public_key[BT_KEY_BYTES];
    struct bt_signing_key key = {.agent = agent};
    BT_TRY(bt_ssh_public_key_parse(public_file, public_key, error));
    BT_TRY(bt_vkey_make(name, BT_KEY_LOG, public_key, &key.vkey, error));
    *out = key;
    return BT_OK;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static enum bt_status parse_private(bt_str text, enum bt_signing_key_type type,
                                    struct bt_signing_key *out, struct bt_error *error)
{
    struct bt_key_parts parts;
    struct bt_signing_key key;
    enum bt_status status = bt_key_parts_read(text, type, &parts, error);
    if (status == BT_OK) {
        status = bt_signing_key_generate(parts.name, type, parts.bytes + 1, &key);
        if (status != BT_OK) {
            (void)bt_error_set(error, status, "%s", bt_status_text(status));
        }
    }
    bt_secret_wipe(parts.bytes, sizeof(parts.bytes));
    BT_TRY(status);
    status = bt_vkey_check_id(&key.vkey, parts.id, error);
    if (status == BT_OK) {
        *out = key;
    }
    bt_signing_key_wipe(&key);
    return status;
}

enum bt_status bt_signing_key_parse(bt_str text, enum bt_signing_key_type type,
                                    const struct bt_key_agent *agent, struct bt_signing_key *out,
                                    struct bt_error *error)
{
    assert(out);
    const bool is_line = text.len > 0 && text.ptr[text.len - 1] == '\n';
    if (is_line && agent && bt_str_starts_with(text, agent_prefix)) {
        struct bt_signing_key key = {.agent = agent};
        BT_TRY(bt_vkey_parse(bt_str_slice(text, agent_prefix.len, text.len - 1), type, &key.vkey,
                             error));
        *out = key;
        return BT_OK;
    }
    if (!is_line || !bt_str_starts_with(text, private_prefix)) {
        return bt_error_set(error, BT_EINVAL, "a private key is one line that begins with %s",
                            private_prefix.ptr);
    }
    return parse_private(bt_str_slice(text, private_prefix.len, text.len - 1), type, out, error);
}

void bt_signing_key_put(struct bt_buf *buf, const struct bt_signing_key *key)
{
    assert(buf);
    assert(key);
    struct bt_vkey written = key->vkey;
    if (!key->agent) {
        memcpy(written.key, key->secret, BT_KEY_BYTES); /* the id stays that of the public key */
    }
    bt_buf_put(buf, key->agent ? agent_prefix : private_prefix);
    bt_vkey_put(buf, &written);
    bt_buf_put_char(buf, '\n');
    bt_secret_wipe(&written, sizeof(written));
}

/* ---- Signatures ------------------------------------------------------------------------------ */

enum bt_status bt_signing_key_ready(struct bt_signing_key *key)
{
    assert(key);
    if (key->agent) {
        return BT_OK;
    }
    key->pair = key->pair ? key->pair : bt_ed25519_pair_create(key->secret);
    return key->pair ? BT_OK : BT_ENOMEM;
}

/* What answers at the socket is not trusted: a signature that does not fit is not used. */
static enum bt_status sign_by_agent(const struct bt_signing_key *key, bt_str message,
                                    uint8_t out[BT_SIGNATURE_BYTES], struct bt_error *error)
{
    static_assert((int)BT_SIGNATURE_BYTES == (int)BT_SSH_SIGNATURE_BYTES, "both are of Ed25519");
    uint8_t signature[BT_SIGNATURE_BYTES];
    bool is_valid = false;
    if (!key->agent->socket) {
        return bt_error_set(error, BT_EIO,
                            "the key is in an SSH agent: set SSH_AUTH_SOCK or ledger.agent");
    }
    BT_TRY(bt_ssh_agent_sign(key->agent->socket, key->vkey.key, message, key->agent->wait_ms,
                             signature, error));
    const enum bt_status status = bt_vkey_verify(&key->vkey, message, signature, &is_valid);
    if (status != BT_OK || !is_valid) {
        return bt_error_set(error, status == BT_OK ? BT_EIO : status,
                            "the SSH agent gave a signature that the key did not make");
    }
    memcpy(out, signature, sizeof(signature));
    return BT_OK;
}

enum bt_status bt_signing_key_sign(const struct bt_signing_key *key, bt_str message,
                                   uint8_t out[BT_SIGNATURE_BYTES], struct bt_error *error)
{
    assert(key);
    if (key->agent) {
        return sign_by_agent(key, message, out, error);
    }
    struct evp_pkey_st *made = key->pair ? NULL : bt_ed25519_pair_create(key->secret);
    struct evp_pkey_st *pair = key->pair ? key->pair : made;
    const enum bt_status status = pair ? bt_ed25519_sign(pair, message, out) : BT_ENOMEM;
    bt_ed25519_pair_destroy(made);
    return status == BT_OK ? BT_OK : bt_error_set(error, status, "%s", bt_status_text(status));
}
