/* SPDX-License-Identifier: Apache-2.0 */
/*
 * work_dirs.c - the private folder of each listener's host: STORE/work/ID, the same in every run.
 *
 * ID is a hash of the listener's name under the key in STORE/work.key, so a handler that reads its
 * path learns neither its own name nor the paths of others. Hosts of another account must pass
 * through STORE: then its group may, and no other account.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/hex.h"
#include "pump/pump_internal.h"

enum { ID_BYTES = 16 };

static const char key_name[] = "work.key";

static enum bt_status make_key(struct bt_pump *pump, const struct bt_dir *store,
                               struct bt_error *error)
{
    uint8_t *key = pump->launch.folder_key;
    if (!pump->env->random(pump->env->context, key, sizeof(pump->launch.folder_key))) {
        return bt_error_set(error, BT_EIO, "the system gave no randomness");
    }
    const bt_str bytes = {(const char *)key, sizeof(pump->launch.folder_key)};
    return bt_dir_create_file(store, bt_str_of(key_name), bytes, error);
}

static enum bt_status read_key(struct bt_pump *pump, const struct bt_dir *store,
                               struct bt_error *error)
{
    bt_str bytes;
    const enum bt_status status =
        bt_dir_read(store, &pump->memory, bt_str_of(key_name), BT_SHA256_BYTES, &bytes, error);
    if (status == BT_ENOENT) {
        return make_key(pump, store, error);
    }
    BT_TRY(status);
    if (bytes.len != sizeof(pump->launch.folder_key)) {
        return bt_error_set(error, BT_ECORRUPT,
                            "%s has not %d bytes: remove it, and handlers begin anew", key_name,
                            BT_SHA256_BYTES);
    }
    memcpy(pump->launch.folder_key, bytes.ptr, bytes.len);
    return BT_OK;
}

/* Only the user of the pump and the group of its hosts may enter. */
static enum bt_status close_off(const struct bt_pump *pump, const char *path,
                                struct bt_error *error)
{
    const struct bt_host_launch_context *context = &pump->launch.context;
    if ((context->drop_user && lchown(path, (uid_t)-1, context->gid) != 0) ||
        chmod(path, context->drop_user ? 0710 : 0700) != 0) {
        return bt_error_set(error, BT_EIO, "cannot keep %s private: %s", path, strerror(errno));
    }
    return BT_OK;
}

enum bt_status bt_pump_open_work(struct bt_pump *pump, bt_str folder, struct bt_error *error)
{
    struct bt_dir *store;
    BT_TRY(bt_arena_printf(&pump->memory, &pump->launch.folder, "%.*s/work", BT_STR_ARG(folder)));
    BT_TRY(bt_pump_make_folders(pump->launch.folder.ptr, 0700, error));
    BT_TRY(close_off(pump, folder.ptr, error));
    BT_TRY(close_off(pump, pump->launch.folder.ptr, error));
    BT_TRY(bt_dir_open(folder, &store, error));
    const enum bt_status status = read_key(pump, store, error);
    bt_dir_close(store);
    return status;
}

enum bt_status bt_pump_work_of(struct bt_pump *pump, bt_str listener, bt_str *out,
                               struct bt_error *error)
{
    const struct bt_host_launch_context *context = &pump->launch.context;
    uint8_t hash[BT_SHA256_BYTES];
    char id[2 * ID_BYTES + 1] = "";
    bt_str path;
    BT_TRY(bt_hmac_sha256(pump->launch.folder_key, listener, hash));
    bt_hex_put(hash, ID_BYTES, id);
    BT_TRY(bt_arena_printf(&pump->arena, &path, "%.*s/%s", BT_STR_ARG(pump->launch.folder), id));
    if ((mkdir(path.ptr, 0700) != 0 && errno != EEXIST) ||
        (context->drop_user && lchown(path.ptr, context->uid, context->gid) != 0)) {
        return bt_error_errno(error, "cannot make the work directory", path.ptr);
    }
    *out = path;
    return BT_OK;
}
