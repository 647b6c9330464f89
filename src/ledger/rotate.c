/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rotate.c - rotate the key of a ledger: created, recorded, signing together with the old one, then
 * alone.
 *
 * The private file holds one line, and two while both keys sign; it is replaced as a whole, so at
 * every moment it holds a key that the ledger's verifiers know. The public file only grows, because
 * signatures of old keys must stay verifiable.
 */
#include <assert.h>
#include <string.h>

#include "ledger/admin.h"
#include "ledger/proof_api.h"
#include "ledger/transaction.h"
#include "store/files.h"

enum { FILE_BYTES_MAX = 1 << 14 };

struct key_rotation_state {
    struct bt_ledger *ledger;
    struct bt_env *env;
    struct bt_arena *arena;
    struct bt_ledger_rotate_options *options;
    struct bt_ledger_record *recorded;
    bt_str line; /* the new vkey as a line: the document of the entry */
    char digest[BT_HASH_HEX_BYTES];
};

/* Replace the private file: one key, or two. */
static enum bt_status put_keys(const struct bt_ledger *ledger, const struct bt_signing_key *first,
                               const struct bt_signing_key *second, struct bt_error *error)
{
    const struct bt_store_file_mode private = {.mode = 0600, .replacing = true};
    struct bt_buf buf;
    bt_buf_init(&buf, FILE_BYTES_MAX);
    bt_signing_key_put(&buf, first);
    if (second) {
        bt_signing_key_put(&buf, second);
    }
    const enum bt_status status =
        buf.status == BT_OK
            ? bt_store_write_file(ledger->files.key.ptr, bt_buf_str(&buf), private, error)
            : bt_error_set(error, buf.status, "%s", bt_status_text(buf.status));
    if (buf.len > 0) {
        memset(buf.ptr, 0, buf.len);
    }
    bt_buf_free(&buf);
    return status;
}

/* Replace the public file: all keys that the ledger had, and the new one. */
static enum bt_status put_vkeys(const struct bt_ledger *ledger, const struct bt_vkey *next,
                                struct bt_error *error)
{
    const struct bt_store_file_mode public = {.mode = 0644, .replacing = true};
    const struct bt_vkey_list *keys = &ledger->keys->keys;
    struct bt_buf buf;
    bt_buf_init(&buf, FILE_BYTES_MAX);
    for (size_t i = 0; i < keys->count; i++) {
        bt_vkey_put(&buf, &keys->items[i]);
        bt_buf_put_char(&buf, '\n');
    }
    bt_vkey_put(&buf, next);
    bt_buf_put_char(&buf, '\n');
    const enum bt_status status =
        buf.status == BT_OK
            ? bt_store_write_file(ledger->files.vkey.ptr, bt_buf_str(&buf), public, error)
            : bt_error_set(error, buf.status, "too many keys");
    bt_buf_free(&buf);
    return status;
}

static enum bt_status keep_vkey(struct bt_arena *arena, const struct bt_vkey *vkey, bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, (size_t)2 * BT_VKEY_TEXT_MAX);
    bt_vkey_put(&buf, vkey);
    return bt_buf_finish(&buf, arena, out);
}

static enum bt_status make_key(const struct key_rotation_state *rotating,
                               struct bt_signing_key *out, struct bt_error *error)
{
    const struct bt_ledger_rotate_options *options = rotating->options;
    const struct bt_env *env = rotating->env;
    const bt_str name = rotating->ledger->origin;
    uint8_t secret[BT_KEY_BYTES];
    if (options->agent_key.len > 0) {
        return bt_signing_key_from_agent(name, options->agent_key, &rotating->ledger->signing.agent,
                                         out, error);
    }
    if (options->is_seeded) {
        return bt_signing_key_seed(name, BT_KEY_LOG, options->seed, out);
    }
    if (!env->random(env->context, secret, sizeof(secret))) {
        return bt_error_set(error, BT_EIO, "the system gave no randomness");
    }
    const enum bt_status status = bt_signing_key_generate(name, BT_KEY_LOG, secret, out);
    memset(secret, 0, sizeof(secret));
    return status == BT_OK ? BT_OK : bt_error_set(error, status, "cannot make a key");
}

/* Let a key sign once: that of an agent may be refused, and then no file may name it. */
static enum bt_status try_key(const struct bt_signing_key *key, struct bt_error *error)
{
    uint8_t signature[BT_SIGNATURE_BYTES];
    struct bt_error why = {.status = BT_OK};
    const enum bt_status status =
        bt_signing_key_sign(key, bt_vkey_name(&key->vkey), signature, &why);
    return status == BT_OK ? BT_OK : bt_ledger_sign_error(status, &why, error);
}

/* Create and save the key; verifiers know it before it signs. */
static enum bt_status begin_rotation(struct key_rotation_state *rotating, struct bt_error *error)
{
    struct bt_ledger *ledger = rotating->ledger;
    struct bt_signing_key next = {0};
    bt_str text;
    if (rotating->options->is_seeded && !ledger->is_test_key) {
        return bt_error_set(error, BT_EINVAL, "a seed is for ledgers whose key is a test key");
    }
    BT_TRY(make_key(rotating, &next, error));
    BT_TRY(keep_vkey(&ledger->arena, &next.vkey, &text));
    if (bt_vkey_eq(&next.vkey, &ledger->signing.key.vkey)) {
        bt_signing_key_wipe(&next);
        return bt_error_set(error, BT_EINVAL, "the new key would be the old one");
    }
    enum bt_status status = try_key(&next, error);
    if (status == BT_OK) {
        status = put_vkeys(ledger, &next.vkey, error);
    }
    if (status == BT_OK) {
        status = bt_verifier_keys_add(ledger->keys, text, error);
    }
    if (status == BT_OK) {
        status = put_keys(ledger, &ledger->signing.key, &next, error);
    }
    if (status == BT_OK) {
        ledger->signing.next = next;
        ledger->signing.is_rotating = true;
    }
    bt_signing_key_wipe(&next);
    return status;
}

/* A rotation that was interrupted goes on with its own key, and with no other. */
static enum bt_status check_next(const struct key_rotation_state *rotating, struct bt_error *error)
{
    struct bt_signing_key wanted;
    if (rotating->options->agent_key.len == 0) {
        return BT_OK;
    }
    BT_TRY(make_key(rotating, &wanted, error));
    return bt_vkey_eq(&wanted.vkey, &rotating->ledger->signing.next.vkey)
               ? BT_OK
               : bt_error_set(error, BT_EDENIED, "a rotation to another key is under way");
}

struct ledger_rotate_search {
    bool is_recorded;
};

static bool take_entry(void *context, const struct bt_store_entry *row)
{
    struct ledger_rotate_search *search = context;
    search->is_recorded = bt_str_eq(row->kind, BT_STR("key"));
    return !search->is_recorded;
}

/* Check whether an entry has this document and is of kind `key`. */
static enum bt_status is_recorded(const struct key_rotation_state *rotating, bool *out,
                                  struct bt_error *error)
{
    struct ledger_rotate_search search = {false};
    struct bt_merkle_hash digest;
    bt_merkle_hash_plain(rotating->line, &digest);
    const struct bt_store_scan scan = {.order = BT_STORE_BY_DOCUMENT,
                                       .key = {(const char *)digest.bytes, BT_HASH_BYTES}};
    BT_TRY(bt_store_entry_scan(rotating->ledger->store, &scan, take_entry, &search, error));
    *out = search.is_recorded;
    return BT_OK;
}

static enum bt_status add_key_entry(struct bt_ledger_transaction *recording, void *context,
                                    struct bt_error *error)
{
    struct key_rotation_state *rotating = context;
    const struct bt_ledger *ledger = rotating->ledger;
    char old_id[2 * BT_KEY_ID_BYTES + 1];
    char new_id[2 * BT_KEY_ID_BYTES + 1];
    struct bt_entry *entry = BT_NEW(rotating->arena, struct bt_entry);
    if (!entry) {
        return BT_ENOMEM;
    }
    bt_vkey_id_hex(&ledger->signing.key.vkey, old_id);
    bt_vkey_id_hex(&ledger->signing.next.vkey, new_id);
    bt_entry_init(entry);
    entry->actor = rotating->options->actor;
    entry->kind = BT_STR("key");
    entry->dialect = BT_STR("baton");
    entry->verdict = BT_STR("recorded");
    entry->document.sha256 = bt_str_of(rotating->digest);
    entry->document.size = rotating->line.len;
    BT_TRY(bt_arena_copy(rotating->arena, bt_str_of(old_id), &entry->refs.old_key));
    BT_TRY(bt_arena_copy(rotating->arena, bt_str_of(new_id), &entry->refs.new_key));
    BT_TRY(bt_ledger_transaction_add_entry(recording, entry, &rotating->line, rotating->recorded,
                                           error));
    return bt_ledger_transaction_copy_record(recording, rotating->recorded,
                                             &rotating->options->record);
}

static enum bt_status record_rotation(struct key_rotation_state *rotating,
                                      struct bt_findings *alarms, struct bt_error *error)
{
    struct bt_ledger_transaction recording = {
        .ledger = rotating->ledger, .env = rotating->env, .arena = rotating->arena};
    const enum bt_status status =
        bt_ledger_transaction_run(&recording, add_key_entry, rotating, alarms, error);
    rotating->options->is_recorded = recording.is_recorded;
    return status;
}

/* The texts of both keys, and of the entry's document. */
static enum bt_status build_key_texts(struct key_rotation_state *rotating)
{
    struct bt_ledger_rotate_options *options = rotating->options;
    struct bt_merkle_hash digest;
    BT_TRY(keep_vkey(rotating->arena, &rotating->ledger->signing.key.vkey, &options->old_vkey));
    BT_TRY(keep_vkey(rotating->arena, &rotating->ledger->signing.next.vkey, &options->new_vkey));
    BT_TRY(
        bt_arena_printf(rotating->arena, &rotating->line, "%.*s\n", BT_STR_ARG(options->new_vkey)));
    bt_merkle_hash_plain(rotating->line, &digest);
    bt_merkle_hash_hex(&digest, rotating->digest);
    return BT_OK;
}

static enum bt_status end_rotation(struct key_rotation_state *rotating, struct bt_error *error)
{
    struct bt_ledger *ledger = rotating->ledger;
    bool is_done = false;
    BT_TRY(build_key_texts(rotating));
    BT_TRY(is_recorded(rotating, &is_done, error));
    if (!is_done) {
        return bt_error_set(error, BT_EDENIED, "the new key is not recorded yet: begin once more");
    }
    BT_TRY(put_keys(ledger, &ledger->signing.next, NULL, error));
    bt_signing_key_wipe(&ledger->signing.key);
    ledger->signing.key = ledger->signing.next;
    ledger->signing.is_rotating = false;
    bt_signing_key_wipe(&ledger->signing.next);
    return BT_OK;
}

enum bt_status bt_ledger_rotate_key(struct bt_ledger *ledger, struct bt_env *env,
                                    struct bt_arena *arena,
                                    struct bt_ledger_rotate_options *rotation,
                                    struct bt_findings *alarms, struct bt_error *error)
{
    assert(ledger);
    assert(ledger->is_writing);
    assert(rotation);
    struct key_rotation_state rotating = {.ledger = ledger,
                                          .env = env,
                                          .arena = arena,
                                          .options = rotation,
                                          .recorded = BT_NEW(arena, struct bt_ledger_record)};
    bool is_done = false;
    rotation->record = BT_STR("");
    rotation->is_recorded = false;
    if (bt_ledger_has_statements(ledger)) {
        return bt_error_set(error, BT_EDENIED,
                            "a log of statements has no entries, so none could tell of a new key");
    }
    if (!rotating.recorded) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    if (rotation->ends) {
        return ledger->signing.is_rotating
                   ? end_rotation(&rotating, error)
                   : bt_error_set(error, BT_EDENIED, "no rotation is under way");
    }
    BT_TRY(ledger->signing.is_rotating ? check_next(&rotating, error)
                                       : begin_rotation(&rotating, error));
    BT_TRY(build_key_texts(&rotating));
    BT_TRY(is_recorded(&rotating, &is_done, error));
    return is_done ? bt_error_set(error, BT_EDENIED, "a rotation is under way; end it first")
                   : record_rotation(&rotating, alarms, error);
}
