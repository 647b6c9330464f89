/* SPDX-License-Identifier: Apache-2.0 */
/* witness.c - create a witness, set the logs it trusts, and list what it holds. */
#include "ledger/witness_internal.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <baton/json.h>

#include "base/file.h"
#include "base/vec.h"
#include "json/emit.h"
#include "ledger/witness.h"
#include "store/files.h"

enum {
    KEYS_FILE_BYTES_MAX = 1 << 20,
    KEY_FILE_BYTES_MAX = 1024,
    LOGS_MAX = 100000,
    EVIDENCE_MAX = 100,
    LOCK_WAIT_MS = 5000
};

static enum bt_status log_folder(struct bt_arena *arena, const char *folder, bt_str origin,
                                 bt_str *out)
{
    struct bt_merkle_hash hash;
    char hex[BT_HASH_HEX_BYTES];
    bt_merkle_hash_plain(origin, &hash);
    bt_merkle_hash_hex(&hash, hex);
    return bt_arena_printf(arena, out, "%s/logs/%s", folder, hex);
}

enum bt_status bt_witness_make_log_folder(struct bt_arena *arena, const char *folder, bt_str origin,
                                          bt_str *out, struct bt_error *error)
{
    bt_str logs;
    BT_TRY(bt_store_make_dir(folder, 0700, error));
    BT_TRY(bt_arena_printf(arena, &logs, "%s/logs", folder));
    BT_TRY(bt_store_make_dir(logs.ptr, 0700, error));
    BT_TRY(log_folder(arena, folder, origin, out));
    return bt_store_make_dir(out->ptr, 0700, error);
}

static size_t count_files(const char *folder)
{
    size_t count = 0;
    DIR *stream = opendir(folder);
    while (stream && readdir(stream)) {
        count++;
    }
    if (stream) {
        (void)closedir(stream);
    }
    return count > 2 ? count - 2 : 0; /* itself and the parent folder */
}

enum bt_status bt_witness_keep_evidence(struct bt_arena *arena, bt_str log_folder, bt_str bytes,
                                        struct bt_error *error)
{
    const struct bt_store_file_mode mode = {.mode = 0600, .replacing = true};
    struct bt_merkle_hash hash;
    char hex[BT_HASH_HEX_BYTES];
    bt_str folder;
    bt_str path;
    bt_merkle_hash_plain(bytes, &hash);
    bt_merkle_hash_hex(&hash, hex);
    BT_TRY(bt_arena_printf(arena, &folder, "%s/evidence", log_folder.ptr));
    BT_TRY(bt_store_make_dir(folder.ptr, 0700, error));
    BT_TRY(bt_arena_printf(arena, &path, "%s/%s", folder.ptr, hex));
    return count_files(folder.ptr) < EVIDENCE_MAX
               ? bt_store_write_file(path.ptr, bytes, mode, error)
               : BT_OK;
}

int bt_witness_lock(struct bt_arena *arena, const char *folder, struct bt_error *error)
{
    bt_str path;
    if (bt_arena_printf(arena, &path, "%s/witness.lock", folder) != BT_OK) {
        (void)bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
        return -1;
    }
    const int fd = open(path.ptr, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || !bt_fd_lock(fd, LOCK_WAIT_MS)) {
        (void)bt_error_set(error, BT_EIO, "cannot lock %.90s: %s", path.ptr,
                           errno == EWOULDBLOCK ? "another process has it; try again"
                                                : strerror(errno));
        if (fd >= 0) {
            (void)close(fd);
        }
        return -1;
    }
    return fd;
}

enum bt_status bt_witness_key(struct bt_arena *arena, const char *folder,
                              struct bt_signing_key *out, struct bt_error *error)
{
    bt_str path;
    bt_str text;
    struct stat info;
    struct bt_error why;
    BT_TRY(bt_arena_printf(arena, &path, "%s/witness.key", folder));
    if (stat(path.ptr, &info) != 0) {
        return bt_error_set(error, BT_ENOENT, "%.90s holds no witness", folder);
    }
    if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        return bt_error_set(error, BT_EDENIED, "others may read the key %.90s: chmod 600 it",
                            path.ptr);
    }
    enum bt_status status = bt_file_read(arena, path, KEY_FILE_BYTES_MAX, &text, &why);
    if (status == BT_OK) {
        status = bt_signing_key_parse(text, BT_KEY_WITNESS, NULL, out, &why);
    }
    return status == BT_OK ? BT_OK : bt_error_set(error, status, "%.80s: %s", path.ptr, why.text);
}

/* Read an optional file; *out_has: it exists. */
static enum bt_status read_if(struct bt_arena *arena, bt_str path, size_t max, bool *out_has,
                              bt_str *out, struct bt_error *error)
{
    struct bt_error why;
    const enum bt_status status = bt_file_read(arena, path, max, out, &why);
    *out_has = status == BT_OK;
    return status == BT_OK || status == BT_ENOENT
               ? BT_OK
               : bt_error_set(error, status, "%.80s: %s", path.ptr, why.text);
}

enum bt_status bt_witness_log(struct bt_arena *arena, const char *folder, bt_str origin,
                              struct bt_witness_log **out, struct bt_error *error)
{
    bt_str path;
    bt_str text;
    bool has_keys = false;
    struct bt_witness_log *log = BT_NEW(arena, struct bt_witness_log);
    if (!log) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    BT_TRY(log_folder(arena, folder, origin, &log->folder));
    BT_TRY(bt_arena_printf(arena, &path, "%s/vkeys", log->folder.ptr));
    BT_TRY(read_if(arena, path, KEYS_FILE_BYTES_MAX, &has_keys, &text, error));
    if (has_keys) {
        log->keys = bt_verifier_keys_new(arena, BT_VERIFIER_KEY_LOG);
        if (!log->keys) {
            return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
        }
        BT_TRY(bt_verifier_keys_add_lines(log->keys, text, error));
    }
    BT_TRY(bt_arena_printf(arena, &path, "%s/checkpoint", log->folder.ptr));
    BT_TRY(read_if(arena, path, BT_NOTE_BYTES_MAX, &log->has_checkpoint, &log->note, error));
    if (log->has_checkpoint && bt_checkpoint_read(log->note, &log->checkpoint)) {
        return bt_error_set(error, BT_ECORRUPT, "%.90s is damaged", path.ptr);
    }
    if (!log->has_checkpoint) {
        log->checkpoint.size = 0;
        bt_merkle_hash_empty(&log->checkpoint.root);
    }
    *out = log;
    return BT_OK;
}

static enum bt_status make_key(struct bt_env *env, const struct bt_ledger_init_options *plan,
                               struct bt_signing_key *out, struct bt_error *error)
{
    if (plan->key_text.len > 0) {
        BT_TRY(bt_signing_key_parse(plan->key_text, BT_KEY_WITNESS, NULL, out, error));
        return bt_str_eq(bt_vkey_name(&out->vkey), plan->origin)
                   ? BT_OK
                   : bt_error_set(error, BT_EINVAL, "the key has another name");
    }
    if (plan->has_seed) {
        return bt_signing_key_seed(plan->origin, BT_KEY_WITNESS, plan->seed, out);
    }
    uint8_t secret[BT_KEY_BYTES];
    if (!env->random(env->context, secret, sizeof(secret))) {
        return bt_error_set(error, BT_EIO, "the system gave no randomness");
    }
    const enum bt_status status =
        bt_signing_key_generate(plan->origin, BT_KEY_WITNESS, secret, out);
    memset(secret, 0, sizeof(secret));
    return status;
}

/* The key comes first: without it the folder is not a witness. */
static enum bt_status put_files(struct bt_arena *arena, const char *folder,
                                const struct bt_signing_key *key, bt_str *out_vkey,
                                struct bt_error *error)
{
    const struct bt_store_file_mode private = {.mode = 0600, .replacing = false};
    const struct bt_store_file_mode public = {.mode = 0644, .replacing = true};
    bt_str path;
    bt_str line;
    struct bt_buf buf;
    bt_buf_init(&buf, (size_t)4 * BT_VKEY_TEXT_MAX);
    bt_vkey_put(&buf, &key->vkey);
    enum bt_status status = bt_buf_copy(&buf, arena, out_vkey);
    bt_buf_clear(&buf);
    bt_signing_key_put(&buf, key);
    if (status == BT_OK) {
        status = bt_arena_printf(arena, &path, "%s/witness.key", folder);
    }
    if (status == BT_OK) {
        status = bt_store_write_file(path.ptr, bt_buf_str(&buf), private, error);
    }
    if (buf.len > 0) {
        memset(buf.ptr, 0, buf.len);
    }
    bt_buf_free(&buf);
    BT_TRY(status);
    BT_TRY(bt_arena_printf(arena, &line, "%.*s\n", BT_STR_ARG(*out_vkey)));
    BT_TRY(bt_arena_printf(arena, &path, "%s/witness.vkey", folder));
    BT_TRY(bt_store_write_file(path.ptr, line, public, error));
    BT_TRY(bt_arena_printf(arena, &path, "%s/logs", folder));
    return bt_store_make_dir(path.ptr, 0700, error);
}

enum bt_status bt_witness_init(struct bt_env *env, struct bt_arena *arena, const char *folder,
                               const struct bt_ledger_init_options *plan,
                               struct bt_witness_init_result *out, struct bt_error *error)
{
    assert(env);
    assert(plan);
    assert(out);
    struct bt_signing_key key;
    struct stat info;
    bt_str path;
    if (!bt_signing_key_name_is_valid(plan->origin)) {
        return bt_error_set(error, BT_EINVAL, "a name is 1 to 200 of [A-Za-z0-9._/-]");
    }
    if (plan->has_seed && plan->key_text.len > 0) {
        return bt_error_set(error, BT_EINVAL, "a key and a seed exclude each other");
    }
    BT_TRY(bt_arena_printf(arena, &path, "%s/witness.key", folder));
    if (lstat(path.ptr, &info) == 0) {
        return bt_error_set(error, BT_EDENIED, "%.90s holds a witness already", folder);
    }
    BT_TRY(make_key(env, plan, &key, error));
    BT_TRY(bt_store_make_dir(folder, 0700, error));
    struct bt_witness_init_result made = {.is_test_key = plan->has_seed};
    const enum bt_status status = put_files(arena, folder, &key, &made.vkey, error);
    bt_signing_key_wipe(&key);
    BT_TRY(status);
    *out = made;
    return BT_OK;
}

/* Names of the folders of logs, sorted. */
struct ledger_witness_names {
    bt_str *items;
    size_t count;
    size_t capacity;
};

static enum bt_status list_logs(struct bt_arena *arena, const char *folder,
                                struct ledger_witness_names *out, struct bt_error *error)
{
    bt_str path;
    enum bt_status status = BT_OK;
    BT_TRY(bt_arena_printf(arena, &path, "%s/logs", folder));
    DIR *stream = opendir(path.ptr);
    if (!stream) {
        return bt_error_set(error, BT_ENOENT, "%.90s holds no witness", folder);
    }
    *out = (struct ledger_witness_names){0};
    const struct dirent *entry = readdir(stream);
    for (; entry && status == BT_OK && out->count < LOGS_MAX; entry = readdir(stream)) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        bt_str name;
        status = bt_arena_copy(arena, bt_str_of(entry->d_name), &name);
        status = status == BT_OK ? bt_vec_push(arena, out, name) : status;
    }
    (void)closedir(stream);
    return status == BT_OK ? BT_OK : bt_error_set(error, status, "%s", bt_status_text(status));
}

static enum bt_status put_vkeys(struct bt_arena *arena, const struct bt_witness_log *log,
                                const struct bt_vkey *added, struct bt_error *error)
{
    const struct bt_store_file_mode mode = {.mode = 0644, .replacing = true};
    struct bt_buf buf;
    bt_str path;
    bt_buf_init(&buf, KEYS_FILE_BYTES_MAX);
    for (size_t i = 0; log->keys && i < log->keys->keys.count; i++) {
        bt_vkey_put(&buf, &log->keys->keys.items[i]);
        bt_buf_put_char(&buf, '\n');
    }
    bt_vkey_put(&buf, added);
    bt_buf_put_char(&buf, '\n');
    enum bt_status status = bt_store_make_dir(log->folder.ptr, 0700, error);
    if (status == BT_OK) {
        status = bt_arena_printf(arena, &path, "%s/vkeys", log->folder.ptr);
    }
    if (status == BT_OK) {
        status = buf.status == BT_OK ? bt_store_write_file(path.ptr, bt_buf_str(&buf), mode, error)
                                     : buf.status;
    }
    bt_buf_free(&buf);
    return status;
}

static enum bt_status trust_locked(struct bt_arena *arena, const char *folder,
                                   const struct bt_vkey *vkey, bool adding, struct bt_error *error)
{
    struct bt_witness_log *log = NULL;
    BT_TRY(bt_witness_log(arena, folder, bt_vkey_name(vkey), &log, error));
    assert(log);
    for (size_t i = 0; log->keys && i < log->keys->keys.count; i++) {
        if (bt_vkey_eq(&log->keys->keys.items[i], vkey)) {
            return BT_OK;
        }
    }
    if (log->keys && !adding) {
        return bt_error_set(error, BT_EDENIED,
                            "another key is trusted for this origin; --add trusts this one too");
    }
    return put_vkeys(arena, log, vkey, error);
}

enum bt_status bt_witness_trust_log(struct bt_arena *arena, const char *folder, bt_str vkey,
                                    bool adding, struct bt_witness_trust_result *out,
                                    struct bt_error *error)
{
    assert(arena);
    assert(out);
    struct bt_vkey parsed;
    struct bt_signing_key key;
    struct ledger_witness_names names = {0};
    BT_TRY(bt_vkey_parse(vkey, BT_KEY_LOG, &parsed, error));
    BT_TRY(bt_witness_key(arena, folder, &key, error));
    bt_signing_key_wipe(&key);
    const int lock = bt_witness_lock(arena, folder, error);
    if (lock < 0) {
        return BT_EIO;
    }
    enum bt_status status = trust_locked(arena, folder, &parsed, adding, error);
    if (status == BT_OK) {
        status = list_logs(arena, folder, &names, error);
    }
    (void)close(lock);
    BT_TRY(status);
    out->logs = names.count;
    return bt_arena_copy(arena, bt_vkey_name(&parsed), &out->origin);
}

/* A log as the witness reports it. */
struct witness_log_view {
    bt_str origin;
    bt_str hash;
    uint64_t size;
    struct bt_merkle_hash root;
};

static int compare_log_views(const void *a, const void *b)
{
    return bt_str_compare(((const struct witness_log_view *)a)->origin,
                          ((const struct witness_log_view *)b)->origin);
}

/* The origin is the name of the first key. */
static enum bt_status read_log_view(struct bt_arena *arena, const char *folder, bt_str hash,
                                    struct witness_log_view *out, struct bt_error *error)
{
    bt_str path;
    bt_str text;
    bool has_keys = false;
    struct bt_witness_log *log = NULL;
    BT_TRY(bt_arena_printf(arena, &path, "%s/logs/%.*s/vkeys", folder, BT_STR_ARG(hash)));
    BT_TRY(read_if(arena, path, KEYS_FILE_BYTES_MAX, &has_keys, &text, error));
    out->hash = hash;
    out->origin = has_keys ? bt_str_slice(text, 0, bt_str_find_byte(text, '+', 0)) : BT_STR("");
    BT_TRY(bt_witness_log(arena, folder, out->origin, &log, error));
    assert(log);
    out->size = log->checkpoint.size;
    out->root = log->checkpoint.root;
    return BT_OK;
}

enum bt_status bt_witness_find_origin(struct bt_arena *arena, const char *folder, bt_str hash,
                                      bt_str *out, struct bt_error *error)
{
    assert(arena);
    assert(out);
    struct ledger_witness_names names;
    struct witness_log_view view;
    BT_TRY(list_logs(arena, folder, &names, error));
    for (size_t i = 0; i < names.count; i++) {
        if (bt_str_eq(names.items[i], hash)) {
            BT_TRY(read_log_view(arena, folder, names.items[i], &view, error));
            *out = view.origin;
            return view.origin.len > 0 ? BT_OK : BT_ENOENT;
        }
    }
    return bt_error_set(error, BT_ENOENT, "this witness does not know that log");
}

static void emit_log_view(struct bt_emit *emit, const struct witness_log_view *view)
{
    char root[BT_HASH_HEX_BYTES];
    bt_merkle_hash_hex(&view->root, root);
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "origin", view->origin);
    bt_emit_member_string(emit, "origin_hash", view->hash);
    bt_emit_member_u64(emit, "size", view->size);
    bt_emit_member_string(emit, "root", bt_str_of(root));
    bt_emit_end(emit);
}

enum bt_status bt_witness_put_logs(struct bt_arena *arena, const char *folder, bt_str origin,
                                   struct bt_buf *buf, struct bt_error *error)
{
    assert(arena);
    assert(buf);
    struct bt_signing_key key;
    struct ledger_witness_names names;
    struct bt_emit emit;
    BT_TRY(bt_witness_key(arena, folder, &key, error));
    const struct bt_vkey vkey = key.vkey;
    bt_signing_key_wipe(&key);
    BT_TRY(list_logs(arena, folder, &names, error));
    struct witness_log_view *view = BT_NEW_ARRAY(arena, struct witness_log_view, names.count + 1);
    if (!view) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    size_t count = 0;
    for (size_t i = 0; i < names.count; i++) {
        BT_TRY(read_log_view(arena, folder, names.items[i], &view[count], error));
        count += origin.len == 0 || bt_str_eq(view[count].origin, origin);
    }
    if (origin.len > 0 && count == 0) {
        return bt_error_set(error, BT_ENOENT, "this witness does not know that log");
    }
    qsort(view, count, sizeof(struct witness_log_view), compare_log_views);
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "name", bt_vkey_name(&vkey));
    bt_emit_name(&emit, "vkey");
    bt_emit_raw(&emit, BT_STR("\""));
    bt_vkey_put(buf, &vkey); /* no character needs an escape */
    bt_buf_put_char(buf, '"');
    bt_emit_name(&emit, "logs");
    bt_emit_begin_array(&emit);
    for (size_t i = 0; i < count; i++) {
        emit_log_view(&emit, &view[i]);
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    bt_buf_put_char(buf, '\n');
    return buf->status;
}

enum bt_status bt_witness_get_checkpoint(struct bt_arena *arena, const char *folder, bt_str origin,
                                         bt_str *out, struct bt_error *error)
{
    assert(out);
    struct bt_witness_log *log = NULL;
    BT_TRY(bt_witness_log(arena, folder, origin, &log, error));
    assert(log);
    if (!log->has_checkpoint) {
        return bt_error_set(error, BT_ENOENT, "this witness has cosigned nothing of that log");
    }
    *out = log->note;
    return BT_OK;
}

enum bt_status bt_witness_read_known(struct bt_arena *arena, const char *folder, bt_str origin,
                                     struct bt_witness_known *out, struct bt_error *error)
{
    assert(out);
    struct bt_witness_log *log = NULL;
    bt_str evidence;
    BT_TRY(bt_witness_log(arena, folder, origin, &log, error));
    assert(log);
    BT_TRY(bt_arena_printf(arena, &evidence, "%s/evidence", log->folder.ptr));
    *out = (struct bt_witness_known){log->checkpoint.size, count_files(evidence.ptr)};
    return BT_OK;
}
