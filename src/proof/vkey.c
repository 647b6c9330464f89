/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vkey.c - keys to verify with, as text.
 */
#include "proof/vkey.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/env.h"
#include "base/error.h"
#include "base/hex.h"

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
    uint8_t hash[BT_SHA256_BYTES];
    memcpy(text, vkey->name, vkey->name_size);
    text[vkey->name_size] = '\n';
    text[vkey->name_size + 1] = (char)vkey->type;
    memcpy(text + vkey->name_size + 2, vkey->key, BT_KEY_BYTES);
    const enum bt_status status =
        bt_sha256((bt_str){text, vkey->name_size + 2 + BT_KEY_BYTES}, hash);
    assert(status == BT_OK); /* nothing in it can fail */
    (void)status;
    memcpy(vkey->id, hash, BT_KEY_ID_BYTES);
}

void bt_vkey_set(struct bt_vkey *vkey, bt_str name, enum bt_signing_key_type type,
                 const uint8_t key[BT_KEY_BYTES])
{
    assert(name.len <= BT_KEY_NAME_MAX);
    *vkey = (struct bt_vkey){.type = type, .name_size = name.len};
    memcpy(vkey->name, name.ptr, name.len);
    memcpy(vkey->key, key, BT_KEY_BYTES);
    compute_id(vkey);
}

enum bt_status bt_key_parts_read(bt_str text, enum bt_signing_key_type type,
                                 struct bt_key_parts *out, struct bt_error *error)
{
    const size_t first = bt_str_find_byte(text, '+', 0);
    const size_t second = bt_str_find_byte(text, '+', first + 1);
    out->name = bt_str_slice(text, 0, first);
    out->id = bt_str_slice(text, first + 1, second);
    const bt_str encoded = bt_str_slice(text, second + 1, text.len);
    if (!bt_signing_key_name_is_valid(out->name) || out->id.len != (size_t)2 * BT_KEY_ID_BYTES ||
        bt_base64_decoded_size(encoded) != sizeof(out->bytes)) {
        return bt_error_set(error, BT_EINVAL, "a key is written NAME+ID+BASE64; this is none");
    }
    bt_base64_decode(encoded, out->bytes);
    if (out->bytes[0] != type) {
        return bt_error_set(error, BT_EINVAL, "it is a key of type %u; %s has type %u",
                            out->bytes[0],
                            type == BT_KEY_LOG ? "the key of a log" : "the key of a witness", type);
    }
    return BT_OK;
}

enum bt_status bt_vkey_check_id(const struct bt_vkey *vkey, bt_str id, struct bt_error *error)
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

enum bt_status bt_vkey_make(bt_str name, enum bt_signing_key_type type,
                            const uint8_t key[BT_KEY_BYTES], struct bt_vkey *out,
                            struct bt_error *error)
{
    assert(out);
    if (is_weak(key)) {
        return bt_error_set(error, BT_EINVAL, "the key is one for which anyone can sign anything");
    }
    bt_vkey_set(out, name, type, key);
    return BT_OK;
}

enum bt_status bt_vkey_parse(bt_str text, enum bt_signing_key_type type, struct bt_vkey *out,
                             struct bt_error *error)
{
    assert(out);
    struct bt_key_parts parts;
    struct bt_vkey vkey;
    BT_TRY(bt_key_parts_read(text, type, &parts, error));
    BT_TRY(bt_vkey_make(parts.name, type, parts.bytes + 1, &vkey, error));
    BT_TRY(bt_vkey_check_id(&vkey, parts.id, error));
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

void bt_vkey_put(struct bt_buf *buf, const struct bt_vkey *vkey)
{
    assert(buf);
    assert(vkey);
    char id[2 * BT_KEY_ID_BYTES + 1];
    char encoded[1 + BT_KEY_BYTES];
    bt_vkey_id_hex(vkey, id);
    encoded[0] = (char)vkey->type;
    memcpy(encoded + 1, vkey->key, BT_KEY_BYTES);
    bt_buf_put(buf, bt_vkey_name(vkey));
    bt_buf_printf(buf, "+%s+", id);
    bt_base64_put(buf, (bt_str){encoded, sizeof(encoded)});
}
