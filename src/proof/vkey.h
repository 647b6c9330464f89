/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vkey.h - Ed25519 keys to verify with, as C2SP signed-note writes them.
 *
 *     vkey    NAME+<id, 8 hex>+base64(type || public key)
 */
#ifndef BATON_SRC_PROOF_VKEY_H
#define BATON_SRC_PROOF_VKEY_H

#include <baton/base.h>

enum bt_signing_key_type {
    BT_KEY_NONE = 0,
    BT_KEY_LOG = 1,
    BT_KEY_WITNESS = 4, /* its signatures include a time */
};

enum {
    BT_KEY_NAME_MAX = 200,
    BT_KEY_ID_BYTES = 4,
    BT_KEY_BYTES = 32,
    BT_SIGNATURE_BYTES = 64,
    BT_VKEY_TEXT_MAX = 300,
};

struct bt_signature_host; /* see ledger/ed25519.h */

/* A key to verify with. A plain value that owns its name. */
struct bt_vkey {
    enum bt_signing_key_type type;
    uint8_t id[BT_KEY_ID_BYTES];
    uint8_t key[BT_KEY_BYTES];
    size_t name_size;
    char name[BT_KEY_NAME_MAX];
    struct bt_signature_host *host; /* who verifies in a core build; NULL: nobody */
};

/* 1 to 200 characters [A-Za-z0-9._/-], first and last a letter or digit, no //, no part . or .. */
bool bt_signing_key_name_is_valid(bt_str name);
bt_str bt_vkey_name(const struct bt_vkey *vkey);

/* BT_EINVAL: the text is not a vkey, its id does not fit its key, it is of another type, or anyone
 * can sign for it; `error` says which. */
BT_MUST_USE enum bt_status bt_vkey_parse(bt_str text, enum bt_signing_key_type type,
                                         struct bt_vkey *out, struct bt_error *error);
/* The vkey of a public key; the name must be valid. BT_EINVAL: anyone can sign for this key. */
BT_MUST_USE enum bt_status bt_vkey_make(bt_str name, enum bt_signing_key_type type,
                                        const uint8_t key[BT_KEY_BYTES], struct bt_vkey *out,
                                        struct bt_error *error);
void bt_vkey_put(struct bt_buf *buf, const struct bt_vkey *vkey);
/* The id as 8 hexadecimal digits and a NUL byte. */
void bt_vkey_id_hex(const struct bt_vkey *vkey, char out[2 * BT_KEY_ID_BYTES + 1]);
/* NAME+ID, as findings name a key. */
bt_str bt_vkey_id_text(const struct bt_vkey *vkey, char out[BT_VKEY_TEXT_MAX]);
bool bt_vkey_eq(const struct bt_vkey *a, const struct bt_vkey *b);

/* ---- Parts of keys, for texts of the same form ----------------------------------------------- */

/* The parts of NAME+ID+BASE64: id and key as written, not checked against each other. */
struct bt_key_parts {
    bt_str name;
    bt_str id;
    uint8_t bytes[1 + BT_KEY_BYTES]; /* type and key */
};

/* BT_EINVAL: the text has another form, or is of another type. The bytes may be secret. */
BT_MUST_USE enum bt_status bt_key_parts_read(bt_str text, enum bt_signing_key_type type,
                                             struct bt_key_parts *out, struct bt_error *error);
/* Set a vkey whose name is valid, weak or not. */
void bt_vkey_set(struct bt_vkey *vkey, bt_str name, enum bt_signing_key_type type,
                 const uint8_t key[BT_KEY_BYTES]);
/* BT_EINVAL: the id is not that of the key. */
BT_MUST_USE enum bt_status bt_vkey_check_id(const struct bt_vkey *vkey, bt_str id,
                                            struct bt_error *error);

#endif
