/* SPDX-License-Identifier: Apache-2.0 */
/*
 * init.c - a new ledger: key, vkey, store, and the checkpoint of size 0, in this order.
 *
 * An interrupted init can be repeated: the key that it left is used again, and the store holds a
 * ledger only after its transaction was committed.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "ledger/entry.h"
#include "ledger/ledger_internal.h"
#include "ledger/memory.h"
#include "store/files.h"

/* A ledger while it is created. */
struct ledger_init_state {
    struct bt_env *env;
    struct bt_arena *arena;
    const struct bt_ledger_init_options *plan;
    struct bt_store_location place;
    bt_str key_file;
    bt_str head_file;
    bt_str seen_file; /* the state file; "": none */
    bt_str vkey_file;
    struct bt_signing_key key;
    struct bt_key_agent agent;
    struct bt_ledger_init_result made;
};

static enum bt_status make_key(struct ledger_init_state *making, struct bt_error *error)
{
    const struct bt_ledger_init_options *plan = making->plan;
    enum bt_status status = BT_OK;
    if (plan->agent_key.len > 0) {
        return bt_signing_key_from_agent(plan->origin, plan->agent_key, &making->agent,
                                         &making->key, error);
    }
    if (plan->key_text.len > 0) {
        BT_TRY(
            bt_signing_key_parse(plan->key_text, BT_KEY_LOG, &making->agent, &making->key, error));
        if (!bt_str_eq(bt_vkey_name(&making->key.vkey), plan->origin)) {
            return bt_error_set(error, BT_EINVAL, "the key is of another origin, %.*s",
                                BT_STR_ARG(bt_vkey_name(&making->key.vkey)));
        }
        return BT_OK;
    }
    if (plan->has_seed) {
        status = bt_signing_key_seed(plan->origin, BT_KEY_LOG, plan->seed, &making->key);
    } else {
        uint8_t secret[BT_KEY_BYTES];
        if (!making->env->random(making->env->context, secret, sizeof(secret))) {
            return bt_error_set(error, BT_EIO, "the system gave no randomness");
        }
        status = bt_signing_key_generate(plan->origin, BT_KEY_LOG, secret, &making->key);
        memset(secret, 0, sizeof(secret));
    }
    return status == BT_OK ? BT_OK : bt_error_set(error, status, "cannot make a key");
}

/* Use the existing key file: it must have the same name, and match --key, --agent or --seed if
 * given. */
static enum bt_status take_key(struct ledger_init_state *making, struct bt_error *error)
{
    struct bt_signing_key keys[2];
    bool two = false;
    const struct bt_ledger_init_options *plan = making->plan;
    BT_TRY(bt_ledger_read_key_file(making->key_file.ptr, &making->agent, keys, &two,
                                   &making->made.key_was_readable, error));
    const struct bt_signing_key found = keys[0];
    if (two) {
        return bt_error_set(error, BT_EINVAL, "%.80s holds two keys, which are being rotated",
                            making->key_file.ptr);
    }
    if (!bt_str_eq(bt_vkey_name(&found.vkey), plan->origin)) {
        return bt_error_set(error, BT_EINVAL,
                            "%.60s is the key of another origin: run ledger init --origin %.*s, "
                            "or move the file away",
                            making->key_file.ptr, BT_STR_ARG(bt_vkey_name(&found.vkey)));
    }
    if (plan->key_text.len > 0 || plan->agent_key.len > 0 || plan->has_seed) {
        BT_TRY(make_key(making, error));
        if (!bt_vkey_eq(&making->key.vkey, &found.vkey) || making->key.agent != found.agent) {
            return bt_error_set(error, BT_EINVAL, "%.80s holds another key", making->key_file.ptr);
        }
    }
    making->key = found;
    if (making->made.key_was_readable && chmod(making->key_file.ptr, 0600) != 0) {
        return bt_error_set(error, BT_EIO, "cannot close %.80s to others: %s", making->key_file.ptr,
                            strerror(errno));
    }
    return BT_OK;
}

/* A head above size 0 means that there was a ledger: signing a second history would be a fork. */
static enum bt_status check_head(struct ledger_init_state *making, struct bt_error *error)
{
    bt_str note;
    struct bt_error why;
    struct bt_checkpoint *head = BT_NEW(making->arena, struct bt_checkpoint);
    const enum bt_status status =
        head ? bt_file_read(making->arena, making->head_file, BT_NOTE_BYTES_MAX, &note, &why)
             : BT_ENOMEM;
    if (status == BT_ENOENT) {
        return BT_OK;
    }
    if (status != BT_OK || bt_checkpoint_read(note, head) || head->size > 0) {
        return bt_error_set(
            error, BT_EDENIED,
            "%.80s tells of a ledger whose store is gone: find it, or delete that file",
            making->head_file.ptr);
    }
    return BT_OK;
}

static bool path_exists(bt_str path)
{
    struct stat info;
    return lstat(path.ptr, &info) == 0;
}

/* Load or create the key, and write its file. */
static enum bt_status load_or_create_key(struct ledger_init_state *making, struct bt_error *error)
{
    const struct bt_store_file_mode private = {.mode = 0600, .replacing = false};
    const bool is_there = path_exists(making->key_file);
    BT_TRY(is_there ? take_key(making, error) : make_key(making, error));
    struct bt_buf buf;
    bt_buf_init(&buf, (size_t)4 * BT_VKEY_TEXT_MAX);
    bt_signing_key_put(&buf, &making->key);
    enum bt_status status = buf.status;
    if (status == BT_OK && !is_there) {
        status = bt_store_write_file(making->key_file.ptr, bt_buf_str(&buf), private, error);
    }
    if (buf.len > 0) {
        memset(buf.ptr, 0, buf.len);
    }
    bt_buf_free(&buf);
    return status;
}

static enum bt_status put_vkey(struct ledger_init_state *making, struct bt_error *error)
{
    const struct bt_store_file_mode public = {.mode = 0644, .replacing = true};
    struct bt_buf buf;
    bt_buf_init(&buf, (size_t)4 * BT_VKEY_TEXT_MAX);
    bt_vkey_put(&buf, &making->key.vkey);
    enum bt_status status = bt_buf_copy(&buf, making->arena, &making->made.vkey);
    bt_buf_put_char(&buf, '\n');
    if (status == BT_OK && buf.status == BT_OK) {
        status = bt_store_write_file(making->vkey_file.ptr, bt_buf_str(&buf), public, error);
    }
    bt_buf_free(&buf);
    return status;
}

static enum bt_status put_meta(struct ledger_init_state *making, struct bt_store *store,
                               struct bt_error *error)
{
    char created[BT_ENTRY_TIME_BYTES + 1];
    bt_entry_time_put(bt_env_now(making->env), created);
    const bt_str test_key = making->plan->has_seed ? BT_STR("true") : BT_STR("false");
    BT_TRY(bt_store_meta_put(store, BT_STR("origin"), making->plan->origin, error));
    BT_TRY(bt_store_meta_put(store, BT_STR("vkey"), making->made.vkey, error));
    BT_TRY(bt_store_meta_put(store, BT_STR("test_key"), test_key, error));
    const bt_str entries = making->plan->holds_statements ? BT_STR(BT_STORE_STATEMENTS)
                           : making->plan->entries == 2   ? BT_STR("2")
                                                          : BT_STR("1");
    BT_TRY(bt_store_meta_put(store, BT_STR("entries"), entries, error));
    return bt_store_meta_put(store, BT_STR("created"), bt_str_of(created), error);
}

/* Sign the checkpoint of the empty log. */
static enum bt_status sign_empty(struct ledger_init_state *making, struct bt_error *error)
{
    struct bt_merkle_hash root;
    struct bt_buf note;
    struct bt_error why = {.status = BT_OK};
    bt_merkle_hash_empty(&root);
    bt_buf_init(&note, BT_NOTE_BYTES_MAX);
    enum bt_status status =
        bt_checkpoint_put(&note, bt_vkey_name(&making->key.vkey), &making->key, 0, &root, &why);
    if (status == BT_OK) {
        status = bt_buf_copy(&note, making->arena, &making->made.checkpoint);
    }
    bt_buf_free(&note);
    return status == BT_OK ? bt_ledger_hex(making->arena, &root, &making->made.root)
                           : bt_ledger_sign_error(status, &why, error);
}

/* Make that checkpoint the head. The head comes before the store, so that a ledger either is
 * complete or can be created again. */
static enum bt_status put_head(struct ledger_init_state *making, struct bt_error *error)
{
    const struct bt_store_file_mode private = {.mode = 0600, .replacing = true};
    BT_TRY(sign_empty(making, error));
    return bt_store_write_file(making->head_file.ptr, making->made.checkpoint, private, error);
}

static enum bt_status put_first(struct ledger_init_state *making, struct bt_store *store,
                                struct bt_error *error)
{
    struct bt_merkle_hash root;
    bt_merkle_hash_empty(&root);
    char batch[BT_STORE_BATCH_BYTES] = {0};
    const struct bt_store_checkpoint checkpoint = {
        .size = 0,
        .root = {(const char *)root.bytes, BT_HASH_BYTES},
        .frontier = BT_STR(""),
        .note = making->made.checkpoint,
        .batch = {batch, sizeof(batch)},
    };
    return bt_store_checkpoint_put(store, &checkpoint, error);
}

static enum bt_status make_store(struct ledger_init_state *making, uint64_t deadline_ms,
                                 struct bt_error *error)
{
    const struct bt_store_options options = {.deadline_ms = deadline_ms};
    struct bt_store *store = NULL;
    BT_TRY(bt_store_create(&making->place, &options, &store, error));
    enum bt_status status = put_meta(making, store, error);
    if (status == BT_OK) {
        status = put_first(making, store, error);
    }
    if (status == BT_OK) {
        status = bt_store_commit(store, error);
    }
    bt_store_close(store);
    return status;
}

/* Version control must not track the store, and least of all the key. */
static enum bt_status put_gitignore(struct ledger_init_state *making, struct bt_error *error)
{
    bt_str path;
    const struct bt_store_file_mode public = {.mode = 0644, .replacing = true};
    const bt_str folder = making->place.folder;
    if (!bt_str_eq(folder, BT_STR(".baton")) && !bt_str_ends_with(folder, BT_STR("/.baton"))) {
        return BT_OK;
    }
    BT_TRY(bt_arena_printf(making->arena, &path, "%.*s/.gitignore", BT_STR_ARG(folder)));
    return path_exists(path) ? BT_OK : bt_store_write_file(path.ptr, BT_STR("*\n"), public, error);
}

/* Check everything before anything is changed. */
static enum bt_status check_plan(struct ledger_init_state *making, struct bt_error *error)
{
    const struct bt_ledger_init_options *plan = making->plan;
    if (!bt_signing_key_name_is_valid(plan->origin)) {
        return bt_error_set(
            error, BT_EINVAL,
            "an origin is 1 to 200 of [A-Za-z0-9._/-], such as ledger.example/team");
    }
    if ((plan->has_seed ? 1 : 0) + (plan->key_text.len > 0) + (plan->agent_key.len > 0) > 1) {
        return bt_error_set(error, BT_EINVAL, "a key, an agent and a seed exclude each other");
    }
    BT_TRY(check_head(making, error));
    BT_TRY(bt_ledger_memory_check_origin(making->arena, making->seen_file, error));
    if (plan->key_text.len > 0 || plan->agent_key.len > 0) {
        BT_TRY(make_key(making, error));
        BT_TRY(sign_empty(making, error)); /* an agent may refuse */
    }
    struct bt_store *store = NULL;
    const struct bt_store_options options = {0};
    struct bt_error why;
    const enum bt_status status = bt_store_open(&making->place, &options, &store, &why);
    bt_store_close(status == BT_OK ? store : NULL);
    return status == BT_OK ? bt_error_set(error, BT_EDENIED, "%.80s holds a ledger already",
                                          making->place.url.ptr)
                           : BT_OK;
}

static enum bt_status make_all(struct ledger_init_state *making, uint64_t deadline_ms,
                               struct bt_error *error)
{
    BT_TRY(check_plan(making, error));
    BT_TRY(bt_store_make_dir(making->place.folder.ptr, 0700, error));
    BT_TRY(put_gitignore(making, error));
    BT_TRY(load_or_create_key(making, error));
    BT_TRY(put_vkey(making, error));
    BT_TRY(put_head(making, error));
    return make_store(making, deadline_ms, error);
}

enum bt_status bt_ledger_init(struct bt_env *env, struct bt_arena *arena,
                              const struct bt_ledger_options *options,
                              const struct bt_ledger_init_options *plan,
                              struct bt_ledger_init_result *out, struct bt_error *error)
{
    assert(env);
    assert(arena);
    assert(plan);
    assert(out);
    struct ledger_init_state making = {
        .env = env, .arena = arena, .plan = plan, .agent = bt_ledger_key_agent(options)};
    BT_TRY(bt_ledger_find_store(arena, options, false, &making.place, error));
    BT_TRY(bt_ledger_companion_path(arena, &making.place, ".key", &making.key_file));
    BT_TRY(bt_ledger_companion_path(arena, &making.place, ".head", &making.head_file));
    BT_TRY(bt_ledger_companion_path(arena, &making.place, ".vkey", &making.vkey_file));
    BT_TRY(bt_ledger_memory_path(arena, &options->memory, plan->origin, plan->has_seed,
                                 &making.seen_file));
    making.made.store = making.place.url;
    making.made.key_file = making.key_file;
    making.made.is_test_key = plan->has_seed;
    const enum bt_status status = make_all(&making, options->deadline_ms, error);
    making.made.is_agent_key = making.key.agent != NULL;
    bt_signing_key_wipe(&making.key);
    if (status == BT_OK) {
        *out = making.made;
    }
    return status;
}
