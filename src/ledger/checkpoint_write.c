/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checkpoint_write.c - checkpoints and cosignatures, signed.
 */
#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/hex.h"
#include "ledger/checkpoint.h"

static const bt_str dash = BT_STR_INIT("\xe2\x80\x94 "); /* U+2014 and a space */

/* U+2014 NAME base64(id || signature) LF */
static void put_line(struct bt_buf *buf, bt_str name, const struct bt_vkey *vkey,
                     const uint8_t *signature, size_t size)
{
    char bytes[BT_KEY_ID_BYTES + BT_COSIGNATURE_BYTES];
    assert(size <= BT_COSIGNATURE_BYTES);
    memcpy(bytes, vkey->id, BT_KEY_ID_BYTES);
    memcpy(bytes + BT_KEY_ID_BYTES, signature, size);
    bt_buf_put(buf, dash);
    bt_buf_put(buf, name);
    bt_buf_put_char(buf, ' ');
    bt_base64_put(buf, (bt_str){bytes, BT_KEY_ID_BYTES + size});
    bt_buf_put_char(buf, '\n');
}

enum bt_status bt_checkpoint_put(struct bt_buf *buf, bt_str origin,
                                 const struct bt_signing_key *key, uint64_t size,
                                 const struct bt_merkle_hash *root, struct bt_error *error)
{
    assert(buf);
    assert(key);
    uint8_t signature[BT_SIGNATURE_BYTES];
    const size_t from = buf->len;
    bt_checkpoint_put_text(buf, origin, size, root);
    BT_TRY(buf->status);
    const bt_str text = bt_str_slice(bt_buf_str(buf), from, buf->len);
    BT_TRY(bt_signing_key_sign(key, text, signature, error));
    bt_buf_put_char(buf, '\n');
    put_line(buf, origin, &key->vkey, signature, sizeof(signature));
    return buf->status;
}

enum bt_status bt_checkpoint_put_more(struct bt_buf *buf, bt_str origin,
                                      const struct bt_signing_key *key, struct bt_error *error)
{
    assert(buf);
    assert(key);
    uint8_t signature[BT_SIGNATURE_BYTES];
    const bt_str note = bt_buf_str(buf);
    size_t end = 0; /* of the text, which is followed by an empty line */
    while (end + 1 < note.len && !(note.ptr[end] == '\n' && note.ptr[end + 1] == '\n')) {
        end++;
    }
    assert(end + 1 < note.len);
    BT_TRY(bt_signing_key_sign(key, bt_str_slice(note, 0, end + 1), signature, error));
    put_line(buf, origin, &key->vkey, signature, sizeof(signature));
    return buf->status;
}

enum bt_status bt_cosignature_put(struct bt_buf *buf, const struct bt_signing_key *witness,
                                  bt_str text, uint64_t time)
{
    assert(buf);
    assert(witness);
    uint8_t bytes[BT_COSIGNATURE_BYTES];
    for (size_t i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(time >> (56 - 8 * i));
    }
    struct bt_buf message;
    bt_buf_init(&message, (size_t)2 * BT_NOTE_BYTES_MAX);
    bt_cosignature_put_signed(&message, text, time);
    enum bt_status status = message.status;
    if (status == BT_OK) {
        status = bt_signing_key_sign(witness, bt_buf_str(&message), bytes + 8, NULL);
    }
    bt_buf_free(&message);
    BT_TRY(status);
    put_line(buf, bt_vkey_name(&witness->vkey), &witness->vkey, bytes, sizeof(bytes));
    return buf->status;
}
