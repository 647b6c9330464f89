/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key_files.c - the keys of a ledger, public and private, as stored in the files beside its store.
 *
 * A key rotation replaces these files while processes are running, so verifying and signing first
 * check whether the files have changed since they were read. A file that is missing changes
 * nothing.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "ledger/ed25519.h"
#include "ledger/ledger_internal.h"

enum {
    KEY_FILE_BYTES_MAX = 1024,
    VKEY_FILE_BYTES_MAX = 1 << 14,
    KEYS_BYTES_MAX = 1 << 18,
    DERIVED_BYTES_MAX = 256,
};

/* True when a file exists and differs from the last one seen; the new one is remembered. */
static bool is_replaced(const char *path, struct bt_ledger_file *seen)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        return false;
    }
    const struct bt_ledger_file now = {.device = (uint64_t)info.st_dev,
                                       .inode = (uint64_t)info.st_ino,
                                       .size = (uint64_t)info.st_size,
                                       .changed_s = info.st_ctim.tv_sec,
                                       .changed_ns = info.st_ctim.tv_nsec};
    const bool is_same = now.device == seen->device && now.inode == seen->inode &&
                         now.size == seen->size && now.changed_s == seen->changed_s &&
                         now.changed_ns == seen->changed_ns;
    *seen = now;
    return !is_same;
}

/* The first line is one key; a second line, while keys are rotated, is another. */
static enum bt_status parse_keys(bt_str text, const struct bt_key_agent *agent,
                                 struct bt_signing_key out[2], bool *out_two,
                                 struct bt_error *error)
{
    const size_t end = bt_str_find_byte(text, '\n', 0);
    const size_t first = end < text.len ? end + 1 : text.len;
    *out_two = first < text.len;
    BT_TRY(bt_signing_key_parse(bt_str_slice(text, 0, first), BT_KEY_LOG, agent, &out[0], error));
    return *out_two ? bt_signing_key_parse(bt_str_slice(text, first, text.len), BT_KEY_LOG, agent,
                                           &out[1], error)
                    : BT_OK;
}

/*
 * True when accounts other than the one that runs us may read or change the file. A file of root
 * that its group may only read is private to us: container managers mount secrets this way, because
 * the process is not root.
 */
static bool others_may_read(const struct stat *info)
{
    const bool is_mounted_secret =
        info->st_uid == 0 && geteuid() != 0 && (info->st_mode & (S_IWGRP | S_IXGRP | S_IRWXO)) == 0;
    return !is_mounted_secret && (info->st_mode & (S_IRWXG | S_IRWXO)) != 0;
}

struct bt_key_agent bt_ledger_key_agent(const struct bt_ledger_options *options)
{
    return (struct bt_key_agent){bt_ledger_agent_find(options->agent), options->deadline_ms > 0
                                                                           ? options->deadline_ms
                                                                           : BT_STORE_DEADLINE_MS};
}

enum bt_status bt_ledger_read_key_file(const char *path, const struct bt_key_agent *agent,
                                       struct bt_signing_key out[2], bool *out_two,
                                       bool *out_is_open, struct bt_error *error)
{
    assert(path);
    assert(out);
    struct stat info;
    struct bt_arena arena;
    bt_str text;
    struct bt_error why;
    if (stat(path, &info) != 0) {
        /* Not BT_ENOENT: there is a ledger, but its key cannot be read. */
        return bt_error_errno(error, "cannot read the key", path);
    }
    bt_arena_init(&arena, (size_t)16 * KEY_FILE_BYTES_MAX);
    enum bt_status status = bt_file_read(&arena, bt_str_of(path), KEY_FILE_BYTES_MAX, &text, &why);
    if (status == BT_OK) {
        status = parse_keys(text, agent, out, out_two, &why);
    }
    bt_arena_free(&arena);
    if (status != BT_OK) {
        return bt_error_set(error, status, "cannot use the key %.90s: %s", path, why.text);
    }
    const bool has_secret = !out[0].agent || (*out_two && !out[1].agent);
    const bool is_open = has_secret && others_may_read(&info);
    if (is_open && !out_is_open) {
        bt_signing_key_wipe(&out[0]);
        bt_signing_key_wipe(&out[1]);
        return bt_error_set(error, BT_EDENIED, "others may read the key %s: chmod 600 it", path);
    }
    if (out_is_open) {
        *out_is_open = is_open;
    }
    return BT_OK;
}

enum bt_status bt_verifier_keys_from_store(struct bt_arena *arena,
                                           const struct bt_ledger_options *options,
                                           struct bt_verifier_keys **out, struct bt_error *error)
{
    assert(out);
    struct bt_store_location place;
    bt_str path;
    bt_str text;
    struct bt_error why;
    struct bt_verifier_keys *keys = bt_verifier_keys_new(arena, BT_VERIFIER_KEY_LOG);
    if (!keys) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    BT_TRY(bt_ledger_find_store(arena, options, true, &place, error));
    BT_TRY(bt_ledger_companion_path(arena, &place, ".vkey", &path));
    const enum bt_status status = bt_file_read(arena, path, VKEY_FILE_BYTES_MAX, &text, &why);
    if (status != BT_OK) {
        return bt_error_set(error, status, "%.90s: %s", path.ptr, why.text);
    }
    BT_TRY(bt_verifier_keys_add_lines(keys, text, error));
    *out = keys;
    return BT_OK;
}

/* Add the keys with the ledger's name from the file beside the store, the newest last. */
static enum bt_status add_others(const struct bt_ledger *ledger, struct bt_arena *scratch,
                                 struct bt_verifier_keys *keys, struct bt_buf *newest,
                                 struct bt_error *error)
{
    struct bt_error why;
    bt_str text;
    struct bt_verifier_keys *others = bt_verifier_keys_new(scratch, BT_VERIFIER_KEY_LOG);
    if (!others) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    if (bt_file_read(scratch, ledger->files.vkey, VKEY_FILE_BYTES_MAX, &text, &why) != BT_OK ||
        bt_verifier_keys_add_lines(others, text, &why) != BT_OK) {
        return BT_OK;
    }
    for (size_t i = 0; i < others->keys.count; i++) {
        const struct bt_vkey *other = &others->keys.items[i];
        if (bt_vkey_eq(other, &ledger->vkey) || !bt_str_eq(bt_vkey_name(other), ledger->origin)) {
            continue;
        }
        bt_buf_clear(newest);
        bt_vkey_put(newest, other);
        BT_TRY(bt_verifier_keys_add(keys, bt_buf_str(newest), error));
    }
    return BT_OK;
}

/*
 * The key that the store names is the ledger's first key. Later keys, from rotations, are in the
 * file beside the store; without a valid file there is only the first. Reads nothing of the ledger
 * that can change.
 */
static enum bt_status find_keys(const struct bt_ledger *ledger, struct bt_arena *arena,
                                struct bt_verifier_keys **out, bt_str *out_newest,
                                struct bt_error *error)
{
    struct bt_arena scratch;
    struct bt_buf newest;
    struct bt_verifier_keys *keys = bt_verifier_keys_new(arena, BT_VERIFIER_KEY_LOG);
    if (!keys) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    BT_TRY(bt_verifier_keys_add(keys, ledger->first_vkey, error));
    bt_arena_init(&scratch, KEYS_BYTES_MAX);
    bt_buf_init(&newest, (size_t)2 * BT_VKEY_TEXT_MAX);
    enum bt_status status = add_others(ledger, &scratch, keys, &newest, error);
    if (status == BT_OK && newest.len > 0) {
        status = bt_buf_copy(&newest, arena, out_newest);
    } else if (status == BT_OK) {
        *out_newest = ledger->first_vkey;
    }
    bt_buf_free(&newest);
    bt_arena_free(&scratch);
    if (status == BT_OK) {
        *out = keys;
    }
    return status;
}

enum bt_status bt_ledger_reload_public_keys(struct bt_ledger *ledger, struct bt_error *error)
{
    assert(ledger);
    const bool is_new = is_replaced(ledger->files.vkey.ptr, &ledger->vkey_seen);
    return is_new || !ledger->keys
               ? find_keys(ledger, &ledger->arena, &ledger->keys, &ledger->vkey_text, error)
               : BT_OK;
}

static bool is_own(const struct bt_verifier_keys *own, const struct bt_vkey *vkey)
{
    assert(own);
    for (size_t i = 0; i < own->keys.count; i++) {
        if (bt_vkey_eq(&own->keys.items[i], vkey)) {
            return true;
        }
    }
    return false;
}

/* Use the keys of the file, if they are among the ledger's own. */
static enum bt_status take_keys(struct bt_ledger *ledger, const struct bt_verifier_keys *own,
                                struct bt_error *error)
{
    struct bt_signing_key keys[2] = {0};
    bool are_two = false;
    enum bt_status status = bt_ledger_read_key_file(ledger->files.key.ptr, &ledger->signing.agent,
                                                    keys, &are_two, NULL, error);
    if (status == BT_OK &&
        (!is_own(own, &keys[0].vkey) || (are_two && !is_own(own, &keys[1].vkey)))) {
        status = bt_error_set(error, BT_EINVAL, "the key is %.*s's, and not that of this ledger",
                              BT_STR_ARG(bt_vkey_name(&keys[0].vkey)));
    }
    if (status == BT_OK) {
        bt_signing_key_wipe(&ledger->signing.key);
        bt_signing_key_wipe(&ledger->signing.next);
        ledger->signing.key = keys[0];
        ledger->signing.next = keys[1];
        ledger->signing.is_rotating = are_two;
    }
    bt_signing_key_wipe(&keys[0]);
    bt_signing_key_wipe(&keys[1]);
    return status;
}

/* Code that signs on another thread must not read the public keys that the ledger holds. */
static enum bt_status reload_changed_keys(struct bt_ledger *ledger, struct bt_error *error)
{
    const struct bt_ledger_file before = ledger->signing.seen;
    if (!is_replaced(ledger->files.key.ptr, &ledger->signing.seen)) {
        return BT_OK;
    }
    struct bt_arena arena;
    struct bt_verifier_keys *own = NULL;
    bt_str newest;
    bt_arena_init(&arena, KEYS_BYTES_MAX);
    enum bt_status status = find_keys(ledger, &arena, &own, &newest, error);
    if (status == BT_OK) {
        status = take_keys(ledger, own, error);
    }
    bt_arena_free(&arena);
    if (status != BT_OK) {
        ledger->signing.seen = before; /* so that nothing is signed until the file is repaired */
    }
    return status;
}

/* Copy the agent, since the environment of the process may change. */
static enum bt_status keep_agent(struct bt_ledger *ledger, const struct bt_ledger_options *options)
{
    bt_str socket;
    ledger->signing.agent = bt_ledger_key_agent(options);
    if (ledger->signing.agent.socket) {
        BT_TRY(bt_arena_copy(&ledger->arena, bt_str_of(ledger->signing.agent.socket), &socket));
        ledger->signing.agent.socket = socket.ptr;
    }
    return BT_OK;
}

enum bt_status bt_ledger_load_private_keys(struct bt_ledger *ledger,
                                           const struct bt_ledger_options *options,
                                           struct bt_error *error)
{
    assert(ledger->keys);
    const char *key_file = options->key_file;
    bt_str path = BT_STR("");
    BT_TRY(keep_agent(ledger, options));
    BT_TRY(bt_ledger_companion_path(&ledger->arena, bt_store_url(ledger->store), ".key", &path));
    BT_TRY(
        bt_arena_copy(&ledger->arena, key_file ? bt_str_of(key_file) : path, &ledger->files.key));
    (void)is_replaced(ledger->files.key.ptr, &ledger->signing.seen);
    BT_TRY(take_keys(ledger, ledger->keys, error));
    ledger->is_writing = pthread_mutex_init(&ledger->signing.lock, NULL) == 0;
    if (!ledger->is_writing) {
        bt_ledger_wipe_keys(ledger);
        return bt_error_set(error, BT_EIO, "the system gives no lock");
    }
    return BT_OK;
}

void bt_ledger_wipe_keys(struct bt_ledger *ledger)
{
    bt_signing_key_wipe(&ledger->signing.key);
    bt_signing_key_wipe(&ledger->signing.next);
    if (ledger->is_writing) {
        (void)pthread_mutex_destroy(&ledger->signing.lock);
    }
}

enum bt_status bt_ledger_lock_keys(struct bt_ledger *ledger, struct bt_error *error)
{
    assert(ledger->is_writing);
    (void)pthread_mutex_lock(&ledger->signing.lock);
    struct bt_error why;
    if (reload_changed_keys(ledger, &why) != BT_OK) {
        (void)pthread_mutex_unlock(&ledger->signing.lock);
        return bt_error_set(error, BT_EIO, "cannot sign: %s", why.text);
    }
    return BT_OK;
}

void bt_ledger_unlock_keys(struct bt_ledger *ledger)
{
    (void)pthread_mutex_unlock(&ledger->signing.lock);
}

enum bt_status bt_ledger_sign_error(enum bt_status status, const struct bt_error *why,
                                    struct bt_error *error)
{
    return bt_error_set(error, status, "cannot sign: %s",
                        why->text[0] ? why->text : bt_status_text(status));
}

/* ---- Derived secrets ------------------------------------------------------------------------- */

/* An agent signs the same text the same way each time, and its signature is nobody else's. */
static enum bt_status derive_by_agent(const struct bt_signing_key *key, bt_str purpose,
                                      uint8_t out[BT_SHA256_BYTES], struct bt_error *error)
{
    uint8_t signature[BT_SIGNATURE_BYTES];
    struct bt_buf text;
    bt_buf_init(&text, DERIVED_BYTES_MAX);
    bt_buf_put_text(&text, "baton derive v1 ");
    bt_buf_put(&text, purpose);
    enum bt_status status = text.status;
    if (status == BT_OK) {
        status = bt_signing_key_sign(key, bt_buf_str(&text), signature, error);
    }
    if (status == BT_OK) {
        status = bt_sha256((bt_str){(const char *)signature, sizeof(signature)}, out);
    }
    bt_secret_wipe(signature, sizeof(signature));
    bt_buf_free(&text);
    return status;
}

static enum bt_status derive_from_secret(const struct bt_signing_key *key, bt_str purpose,
                                         uint8_t out[BT_SHA256_BYTES])
{
    static_assert(BT_KEY_BYTES == BT_SHA256_BYTES, "the secret is a key for HMAC as it is");
    struct bt_buf label;
    bt_buf_init(&label, DERIVED_BYTES_MAX);
    bt_buf_put_text(&label, "baton/gateway/v1/");
    bt_buf_put(&label, purpose);
    const enum bt_status status =
        label.status == BT_OK ? bt_hmac_sha256(key->secret, bt_buf_str(&label), out) : label.status;
    bt_buf_free(&label);
    return status;
}

enum bt_status bt_ledger_derive_secret(struct bt_ledger *ledger, bt_str purpose,
                                       uint8_t out[BT_SHA256_BYTES], struct bt_error *error)
{
    struct bt_error why = {.status = BT_OK};
    BT_TRY(bt_ledger_lock_keys(ledger, error));
    const struct bt_signing_key *key = &ledger->signing.key;
    const enum bt_status status = key->agent ? derive_by_agent(key, purpose, out, &why)
                                             : derive_from_secret(key, purpose, out);
    bt_ledger_unlock_keys(ledger);
    return status == BT_OK ? BT_OK : bt_ledger_sign_error(status, &why, error);
}
