/* SPDX-License-Identifier: Apache-2.0 */
/*
 * public_keys.c - the public keys of a ledger, in every form that verifiers read: vkeys, a COSE Key
 * Set, a JWK set, PEM.
 *
 * No private key is needed. Which key signs now is what the lines of the private file begin with,
 * their names and ids; where that file cannot be read, the newest checkpoint tells who signed it.
 */
#include <assert.h>
#include <string.h>

#include "base/file.h"
#include "base/hex.h"
#include "cbor/cbor.h"
#include "json/emit.h"
#include "ledger/cose.h"
#include "ledger/ledger_internal.h"

enum {
    KEY_FILE_BYTES_MAX = 1024,
    SIGNERS_MAX = 2,
    TEXT_BYTES_MAX = 1024,
    KEYS_BYTES_MAX = 1 << 22
};

/* SubjectPublicKeyInfo of Ed25519 (RFC 8410) before the key. */
static const char spki_head[12] = "\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00";

/* The keys that sign now: the present one, and during a rotation the next one. */
struct public_keys_signers {
    size_t count;
    char names[SIGNERS_MAX][BT_VKEY_TEXT_MAX]; /* NAME+ID */
};

static void add_signer(struct public_keys_signers *signers, bt_str name)
{
    if (signers->count < SIGNERS_MAX && name.len < BT_VKEY_TEXT_MAX) {
        memcpy(signers->names[signers->count], name.ptr, name.len);
        signers->names[signers->count++][name.len] = '\0';
    }
}

/* NAME+ID in a line KIND+KEY+NAME+ID+KEY, or "". */
static bt_str find_name(bt_str line)
{
    const size_t kind = bt_str_find_byte(line, '+', 0);
    const size_t begin = bt_str_find_byte(line, '+', kind + 1);
    const size_t name = bt_str_find_byte(line, '+', begin + 1);
    const size_t id = bt_str_find_byte(line, '+', name + 1);
    return id < line.len ? bt_str_slice(line, begin + 1, id) : BT_STR("");
}

/* Take the names in the private file. */
static void read_key_file(const char *path, struct public_keys_signers *out)
{
    struct bt_arena arena;
    struct bt_error why;
    bt_str text;
    bt_arena_init(&arena, (size_t)16 * KEY_FILE_BYTES_MAX);
    if (bt_file_read(&arena, bt_str_of(path), KEY_FILE_BYTES_MAX, &text, &why) == BT_OK) {
        for (size_t from = 0; from < text.len;) {
            const size_t end = bt_str_find_byte(text, '\n', from);
            add_signer(out, find_name(bt_str_slice(text, from, end)));
            from = end + 1;
        }
    }
    bt_arena_free(&arena);
}

/* Take the names of the ledger's keys that signed the newest checkpoint. */
static enum bt_status read_checkpoint(struct bt_ledger *ledger, struct bt_arena *arena,
                                      struct public_keys_signers *out, struct bt_error *error)
{
    struct bt_ledger_checkpoint newest;
    struct bt_checkpoint *note = BT_NEW(arena, struct bt_checkpoint);
    if (!note) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    BT_TRY(bt_ledger_get_checkpoint(ledger, arena, BT_LEDGER_SEQ_NONE, &newest, error));
    if (bt_checkpoint_read(newest.note, note)) {
        return bt_error_set(error, BT_ECORRUPT, "the log is damaged; run baton ledger verify");
    }
    for (size_t i = 0; i < note->line_count; i++) {
        char id[2 * BT_KEY_ID_BYTES + 1] = "";
        bt_str name;
        bt_hex_put(note->lines[i].id, BT_KEY_ID_BYTES, id);
        BT_TRY(bt_arena_printf(arena, &name, "%.*s+%s", BT_STR_ARG(note->lines[i].name), id));
        if (bt_str_eq(note->lines[i].name, ledger->origin)) {
            add_signer(out, name);
        }
    }
    return BT_OK;
}

static enum bt_status find_signers(struct bt_ledger *ledger, struct bt_arena *arena,
                                   struct public_keys_signers *out, struct bt_error *error)
{
    bt_str path;
    *out = (struct public_keys_signers){0};
    BT_TRY(bt_ledger_companion_path(arena, bt_store_url(ledger->store), ".key", &path));
    read_key_file(path.ptr, out);
    return out->count > 0 ? BT_OK : read_checkpoint(ledger, arena, out, error);
}

static const char *state_of(const struct public_keys_signers *signers, const struct bt_vkey *vkey)
{
    static const char *const states[] = {"current", "next"};
    char name[BT_VKEY_TEXT_MAX];
    const bt_str wanted = bt_vkey_id_text(vkey, name);
    for (size_t i = 0; i < signers->count; i++) {
        if (bt_str_eq(wanted, bt_str_of(signers->names[i]))) {
            return states[i];
        }
    }
    return "retired";
}

static void put_pem(struct bt_buf *buf, const struct bt_vkey *vkey)
{
    char spki[sizeof(spki_head) + BT_KEY_BYTES];
    memcpy(spki, spki_head, sizeof(spki_head));
    memcpy(spki + sizeof(spki_head), vkey->key, BT_KEY_BYTES);
    bt_buf_put_text(buf, "-----BEGIN PUBLIC KEY-----\n");
    bt_base64_put(buf, (bt_str){spki, sizeof(spki)});
    bt_buf_put_text(buf, "\n-----END PUBLIC KEY-----\n");
}

/* Put a string of base64url. */
static void put_member_base64url(struct bt_emit *emit, const char *name, const uint8_t *bytes)
{
    bt_emit_name(emit, name);
    bt_emit_raw(emit, BT_STR("\""));
    bt_base64url_put(emit->buf, (bt_str){(const char *)bytes, BT_KEY_BYTES});
    bt_buf_put_char(emit->buf, '"');
}

static void put_jwk(struct bt_emit *emit, const struct bt_vkey *vkey)
{
    struct bt_merkle_hash kid;
    bt_cose_thumbprint(vkey, &kid);
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "alg", BT_STR("EdDSA"));
    bt_emit_member_string(emit, "crv", BT_STR("Ed25519"));
    put_member_base64url(emit, "kid", kid.bytes);
    bt_emit_member_string(emit, "kty", BT_STR("OKP"));
    bt_emit_member_string(emit, "use", BT_STR("sig"));
    put_member_base64url(emit, "x", vkey->key);
    bt_emit_end(emit);
}

/* Put a key in all its forms. */
static void put_key(struct bt_emit *emit, const struct bt_vkey *vkey, const char *state)
{
    char id[2 * BT_KEY_ID_BYTES + 1];
    char hex[BT_HASH_HEX_BYTES];
    struct bt_merkle_hash kid;
    struct bt_buf text;
    bt_vkey_id_hex(vkey, id);
    bt_cose_thumbprint(vkey, &kid);
    bt_merkle_hash_hex(&kid, hex);
    bt_buf_init(&text, TEXT_BYTES_MAX);
    bt_emit_begin_object(emit);
    bt_vkey_put(&text, vkey);
    bt_emit_member_string(emit, "vkey", bt_buf_str(&text));
    bt_emit_member_string(emit, "key_id", bt_str_of(id));
    bt_emit_member_string(emit, "kid", bt_str_of(hex));
    bt_emit_member_string(emit, "state", bt_str_of(state));
    bt_buf_clear(&text);
    bt_cose_put_key(&text, vkey);
    bt_emit_name(emit, "cose_key");
    bt_emit_raw(emit, BT_STR("\""));
    bt_base64_put(emit->buf, bt_buf_str(&text));
    bt_buf_put_char(emit->buf, '"');
    bt_buf_clear(&text);
    put_pem(&text, vkey);
    bt_emit_member_string(emit, "pem", bt_buf_str(&text));
    bt_emit_name(emit, "jwk");
    put_jwk(emit, vkey);
    bt_emit_end(emit);
    bt_buf_free(&text);
}

static enum bt_status put_all_forms(struct bt_ledger *ledger, struct bt_arena *arena,
                                    struct bt_buf *buf, struct bt_error *error)
{
    const struct bt_vkey_list *keys = &ledger->keys->keys;
    struct public_keys_signers signers;
    struct bt_emit emit;
    BT_TRY(find_signers(ledger, arena, &signers, error));
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "origin", ledger->origin);
    bt_emit_name(&emit, "keys");
    bt_emit_begin_array(&emit);
    for (size_t i = 0; i < keys->count; i++) {
        put_key(&emit, &keys->items[i], state_of(&signers, &keys->items[i]));
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    return BT_OK;
}

static void put_jwk_set(struct bt_buf *buf, const struct bt_vkey_list *keys)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_name(&emit, "keys");
    bt_emit_begin_array(&emit);
    for (size_t i = 0; i < keys->count; i++) {
        put_jwk(&emit, &keys->items[i]);
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    bt_buf_put_char(buf, '\n');
}

enum bt_status bt_ledger_put_keys(struct bt_ledger *ledger, struct bt_arena *arena,
                                  enum bt_public_key_format format, struct bt_buf *buf,
                                  struct bt_error *error)
{
    assert(ledger);
    assert(buf);
    BT_TRY(bt_ledger_reload_public_keys(ledger, error));
    const struct bt_vkey_list *keys = &ledger->keys->keys;
    if (format == BT_PUBLIC_KEYS_ALL) {
        BT_TRY(put_all_forms(ledger, arena, buf, error));
    } else if (format == BT_PUBLIC_KEYS_JWK) {
        put_jwk_set(buf, keys);
    } else if (format == BT_PUBLIC_KEYS_COSE) {
        bt_cbor_put_head(buf, BT_CBOR_ARRAY, keys->count);
    }
    for (size_t i = 0; i < keys->count; i++) {
        if (format == BT_PUBLIC_KEYS_VKEY) {
            bt_vkey_put(buf, &keys->items[i]);
            bt_buf_put_char(buf, '\n');
        } else if (format == BT_PUBLIC_KEYS_COSE) {
            bt_cose_put_key(buf, &keys->items[i]);
        } else if (format == BT_PUBLIC_KEYS_PEM) {
            put_pem(buf, &keys->items[i]);
        }
    }
    return buf->status;
}

enum bt_status bt_ledger_put_cose_key(struct bt_ledger *ledger, bt_str kid, struct bt_buf *buf,
                                      struct bt_error *error)
{
    assert(ledger);
    BT_TRY(bt_ledger_reload_public_keys(ledger, error));
    const struct bt_vkey_list *keys = &ledger->keys->keys;
    for (size_t i = 0; i < keys->count; i++) {
        struct bt_merkle_hash thumbprint;
        struct bt_buf text;
        bt_cose_thumbprint(&keys->items[i], &thumbprint);
        bt_buf_init(&text, TEXT_BYTES_MAX);
        bt_base64url_put(&text, (bt_str){(const char *)thumbprint.bytes, BT_HASH_BYTES});
        const bool is_wanted = bt_str_eq(kid, bt_buf_str(&text));
        bt_buf_free(&text);
        if (is_wanted) {
            bt_cose_put_key(buf, &keys->items[i]);
            return buf->status;
        }
    }
    return bt_error_set(error, BT_ENOENT, "the ledger has no such key");
}

enum bt_status bt_ledger_copy_keys(struct bt_ledger *ledger, struct bt_verifier_keys *out,
                                   struct bt_error *error)
{
    assert(ledger);
    struct bt_buf lines;
    bt_buf_init(&lines, KEYS_BYTES_MAX);
    enum bt_status status =
        bt_ledger_put_keys(ledger, out->arena, BT_PUBLIC_KEYS_VKEY, &lines, error);
    status = status == BT_OK ? bt_verifier_keys_add_lines(out, bt_buf_str(&lines), error) : status;
    bt_buf_free(&lines);
    return status;
}
