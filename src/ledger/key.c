/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key.c - keys as text, and signatures with them.
 */
#include "ledger/key.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/hex.h"
#include "ledger/ed25519.h"
#include "ledger/hash.h"

static const bt_str private_prefix = BT_STR_INIT("PRIVATE+KEY+");

/* A part between slashes: not empty, not . and not .. */
static bool is_part(bt_str part)
{
    return part.len > 0 && !bt_str_eq(part, BT_STR(".")) && !bt_str_eq(part, BT_STR(".."));
}

bool bt_signing_key_name_is_valid(bt_str name)
{
    if (name.len == 0 || name.len > BT_KEY_NAME_MAX || !bt_ascii_is_alnum(name.ptr[0]) ||
        !bt_ascii_is_alnum(name.ptr[name.len - 1])) {
        return false;
    }
    size_t part = 0;
    for (size_t i = 0; i < name.len; i++) {
        const char byte = name.ptr[i];
        if (byte == '/') {
            if (!is_part(bt_str_slice(name, part, i))) {
                return false;
            }
            part = i + 1;
        } else if (!bt_ascii_is_alnum(byte) && byte != '.' && byte != '_' && byte != '-') {
            return false;
        }
    }
    return is_part(bt_str_slice(name, part, name.len));
}

bt_str bt_vkey_name(const struct bt_vkey *vkey)
{
    assert(vkey);
    return (bt_str){vkey->name, vkey->name_size};
}

/* The first 4 bytes of SHA-256(name || LF || type || public key). */
static void compute_id(struct bt_vkey *vkey)
{
    char text[BT_KEY_NAME_MAX + 2 + BT_KEY_BYTES];
    memcpy(text, vkey->name, vkey->name_size);
    text[vkey->name_size] = '\n';
    text[vkey->name_size + 1] = (char)vkey->type;
    memcpy(text + vkey->name_size + 2, vkey->key, BT_KEY_BYTES);
    struct bt_merkle_hash hash;
    bt_merkle_hash_plain((bt_str){text, vkey->name_size + 2 + BT_KEY_BYTES}, &hash);
    memcpy(vkey->id, hash.bytes, BT_KEY_ID_BYTES);
}

static void set_name(struct bt_vkey *vkey, bt_str name)
{
    assert(name.len <= BT_KEY_NAME_MAX);
    memcpy(vkey->name, name.ptr, name.len);
    vkey->name_size = name.len;
}

/* The parts of NAME+ID+BASE64: id and key as written, not checked against each other. */
struct ledger_key_parts {
    bt_str name;
    bt_str id;
    uint8_t key[BT_KEY_BYTES];
};

static enum bt_status parse_key(bt_str text, enum bt_signing_key_type type,
                                struct ledger_key_parts *out, struct bt_error *error)
{
    const size_t first = bt_str_find_byte(text, '+', 0);
    const size_t second = bt_str_find_byte(text, '+', first + 1);
    out->name = bt_str_slice(text, 0, first);
    out->id = bt_str_slice(text, first + 1, second);
    const bt_str encoded = bt_str_slice(text, second + 1, text.len);
    uint8_t bytes[1 + BT_KEY_BYTES];
    if (!bt_signing_key_name_is_valid(out->name) || out->id.len != (size_t)2 * BT_KEY_ID_BYTES ||
        bt_base64_decoded_size(encoded) != sizeof(bytes)) {
        return bt_error_set(error, BT_EINVAL, "a key is written NAME+ID+BASE64; this is none");
    }
    bt_base64_decode(encoded, bytes);
    if (bytes[0] != type) {
        return bt_error_set(error, BT_EINVAL, "it is a key of type %u; %s has type %u", bytes[0],
                            type == BT_KEY_LOG ? "the key of a log" : "the key of a witness", type);
    }
    memcpy(out->key, bytes + 1, BT_KEY_BYTES);
    bt_secret_wipe(bytes, sizeof(bytes));
    return BT_OK;
}

static enum bt_status check_id(const struct bt_vkey *vkey, bt_str id, struct bt_error *error)
{
    char digits[2 * BT_KEY_ID_BYTES + 1];
    bt_vkey_id_hex(vkey, digits);
    if (!bt_str_eq(bt_str_of(digits), id)) {
        return bt_error_set(error, BT_EINVAL, "its id should be %s: part of the key was changed",
                            digits);
    }
    return BT_OK;
}

/* The points of small order, without the sign bit. */
static const uint8_t small_points[][BT_KEY_BYTES] = {
    {0},
    {1},
    {0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4,
     0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6,
     0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05},
    {0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b,
     0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39,
     0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a},
    {0xec, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
};

/*
 * True when signatures that fit any text can be made for a key: it is a point of small order, or
 * its number is not below 2^255 - 19 and so has another encoding. A randomly generated key is never
 * weak.
 */
static bool is_weak(const uint8_t key[BT_KEY_BYTES])
{
    uint8_t point[BT_KEY_BYTES];
    memcpy(point, key, sizeof(point));
    point[BT_KEY_BYTES - 1] &= 0x7f;
    bool is_large = point[0] >= 0xed && point[BT_KEY_BYTES - 1] == 0x7f;
    for (size_t i = 1; i < BT_KEY_BYTES - 1; i++) {
        is_large = is_large && point[i] == 0xff;
    }
    bool is_small = false;
    for (size_t i = 0; i < sizeof(small_points) / sizeof(small_points[0]); i++) {
        is_small = is_small || memcmp(point, small_points[i], sizeof(point)) == 0;
    }
    return is_large || is_small;
}

enum bt_status bt_vkey_parse(bt_str text, enum bt_signing_key_type type, struct bt_vkey *out,
                             struct bt_error *error)
{
    assert(out);
    struct ledger_key_parts parts = {.key = {0}};
    BT_TRY(parse_key(text, type, &parts, error));
    struct bt_vkey vkey = {.type = type};
    set_name(&vkey, parts.name);
    memcpy(vkey.key, parts.key, BT_KEY_BYTES);
    compute_id(&vkey);
    BT_TRY(check_id(&vkey, parts.id, error));
    if (is_weak(vkey.key)) {
        return bt_error_set(error, BT_EINVAL, "the key is one for which anyone can sign anything");
    }
    *out = vkey;
    return BT_OK;
}

void bt_vkey_id_hex(const struct bt_vkey *vkey, char out[2 * BT_KEY_ID_BYTES + 1])
{
    assert(vkey);
    bt_hex_put(vkey->id, BT_KEY_ID_BYTES, out);
    out[(size_t)2 * BT_KEY_ID_BYTES] = '\0';
}

bt_str bt_vkey_id_text(const struct bt_vkey *vkey, char out[BT_VKEY_TEXT_MAX])
{
    char id[2 * BT_KEY_ID_BYTES + 1];
    bt_vkey_id_hex(vkey, id);
    const int size = snprintf(out, BT_VKEY_TEXT_MAX, "%.*s+%s", BT_STR_ARG(bt_vkey_name(vkey)), id);
    return (bt_str){out, (size_t)size};
}

bool bt_vkey_eq(const struct bt_vkey *a, const struct bt_vkey *b)
{
    return a->type == b->type && bt_str_eq(bt_vkey_name(a), bt_vkey_name(b)) &&
           memcmp(a->key, b->key, BT_KEY_BYTES) == 0;
}

static void put_parts(struct bt_buf *buf, const struct bt_vkey *vkey,
                      const uint8_t bytes[BT_KEY_BYTES])
{
    char id[2 * BT_KEY_ID_BYTES + 1];
    char encoded[1 + BT_KEY_BYTES];
    bt_vkey_id_hex(vkey, id);
    encoded[0] = (char)vkey->type;
    memcpy(encoded + 1, bytes, BT_KEY_BYTES);
    bt_buf_put(buf, bt_vkey_name(vkey));
    bt_buf_printf(buf, "+%s+", id);
    bt_base64_put(buf, (bt_str){encoded, sizeof(encoded)});
    bt_secret_wipe(encoded, sizeof(encoded));
}

void bt_vkey_put(struct bt_buf *buf, const struct bt_vkey *vkey)
{
    assert(buf);
    assert(vkey);
    put_parts(buf, vkey, vkey->key);
}

void bt_signing_key_put(struct bt_buf *buf, const struct bt_signing_key *key)
{
    assert(buf);
    assert(key);
    bt_buf_put(buf, private_prefix);
    put_parts(buf, &key->vkey, key->secret);
    bt_buf_put_char(buf, '\n');
}

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
    struct evp_pkey_st *pair = bt_ed25519_pair_create(secret);
    if (!pair) {
        return BT_ENOMEM;
    }
    struct bt_signing_key key = {.vkey = {.type = type}};
    const bool is_done = bt_ed25519_get_public(pair, key.vkey.key);
    bt_ed25519_pair_destroy(pair);
    if (!is_done) {
        return BT_EIO;
    }
    set_name(&key.vkey, name);
    compute_id(&key.vkey);
    memcpy(key.secret, secret, BT_KEY_BYTES);
    *out = key;
    bt_signing_key_wipe(&key);
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

enum bt_status bt_signing_key_parse(bt_str text, enum bt_signing_key_type type,
                                    struct bt_signing_key *out, struct bt_error *error)
{
    assert(out);
    if (!bt_str_starts_with(text, private_prefix) || text.ptr[text.len - 1] != '\n') {
        return bt_error_set(error, BT_EINVAL, "a private key is one line that begins with %s",
                            private_prefix.ptr);
    }
    struct ledger_key_parts parts;
    struct bt_signing_key key;
    BT_TRY(parse_key(bt_str_slice(text, private_prefix.len, text.len - 1), type, &parts, error));
    const enum bt_status status = bt_signing_key_generate(parts.name, type, parts.key, &key);
    bt_secret_wipe(parts.key, sizeof(parts.key));
    if (status != BT_OK) {
        return bt_error_set(error, status, "%s", bt_status_text(status));
    }
    BT_TRY(check_id(&key.vkey, parts.id, error));
    *out = key;
    bt_signing_key_wipe(&key);
    return BT_OK;
}

enum bt_status bt_signing_key_ready(struct bt_signing_key *key)
{
    assert(key);
    key->pair = key->pair ? key->pair : bt_ed25519_pair_create(key->secret);
    return key->pair ? BT_OK : BT_ENOMEM;
}

enum bt_status bt_signing_key_sign(const struct bt_signing_key *key, bt_str message,
                                   uint8_t out[BT_SIGNATURE_BYTES])
{
    assert(key);
    struct evp_pkey_st *made = key->pair ? NULL : bt_ed25519_pair_create(key->secret);
    struct evp_pkey_st *pair = key->pair ? key->pair : made;
    const enum bt_status status = pair ? bt_ed25519_sign(pair, message, out) : BT_ENOMEM;
    bt_ed25519_pair_destroy(made);
    return status;
}
