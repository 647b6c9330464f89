/* SPDX-License-Identifier: Apache-2.0 */
/*
 * root_read.c - files below the root of a catalogue: safe paths, one read, one digest.
 */
#include <assert.h>

#include "dialect/governed/governed_root.h"

enum { PATH_SHOWN = 80 };

static const bt_str fault_names[BT_GOVERNED_FILE_ERROR__MAX] = {
    [BT_ROOT_FINE] = BT_STR_INIT(""),
    [BT_ROOT_MISSING] = BT_STR_INIT("missing"),
    [BT_ROOT_UNSAFE] = BT_STR_INIT("unsafe"),
    [BT_ROOT_NOT_LOCKED] = BT_STR_INIT("not_locked"),
    [BT_ROOT_HASH_MISMATCH] = BT_STR_INIT("hash_mismatch"),
    [BT_ROOT_SYNTAX] = BT_STR_INIT("syntax"),
    [BT_ROOT_SCHEMA] = BT_STR_INIT("schema"),
    [BT_ROOT_INCONSISTENT] = BT_STR_INIT("inconsistent"),
    [BT_ROOT_VERSION] = BT_STR_INIT("version"),
};

bt_str bt_governed_file_error_name(enum bt_governed_file_error fault)
{
    assert(fault < BT_GOVERNED_FILE_ERROR__MAX);
    return fault_names[fault];
}

/* Whether every segment is a plain name. Links and kinds of files are asked of the system. */
static bool is_plain(bt_str path)
{
    size_t from = 0;
    while (from <= path.len) {
        const size_t end = bt_str_find_byte(path, '/', from);
        const bt_str segment = bt_str_slice(path, from, end);
        if (segment.len == 0 || bt_str_eq(segment, BT_STR(".")) ||
            bt_str_eq(segment, BT_STR("..")) || bt_str_find_byte(segment, '\\', 0) < segment.len ||
            bt_str_find_byte(segment, '\0', 0) < segment.len) {
            return false;
        }
        from = end + 1;
    }
    return true;
}

/* The bytes of a file that is still to be written, or "". */
static bt_str find_made_file(const struct bt_governed_options *options, bt_str path)
{
    return !options->made                       ? BT_STR("")
           : bt_str_eq(path, options->manifest) ? options->made->manifest
           : bt_str_eq(path, options->lock)     ? options->made->lock
                                                : BT_STR("");
}

enum bt_status bt_governed_file_read(struct bt_governed_checker *governed, struct bt_arena *arena,
                                     const struct bt_governed_options *options, bt_str path,
                                     struct bt_governed_file *out)
{
    assert(options->dir);
    assert(out);
    const uint64_t limit = governed->env->limits.document_bytes;
    struct bt_dir_file file = {0};
    struct bt_error error = {BT_OK, ""};
    *out = (struct bt_governed_file){.fault = BT_ROOT_UNSAFE, .bytes = BT_STR("")};
    if (!is_plain(path)) {
        return BT_OK;
    }
    const bt_str made = find_made_file(options, path);
    if (made.len > 0) {
        *out = (struct bt_governed_file){.fault = BT_ROOT_FINE, .bytes = made};
        return bt_sha256_hex(made, out->sha256);
    }
    const enum bt_status status =
        bt_dir_read_unlinked(options->dir, arena, path, limit, &file, &error);
    if (status == BT_EINVAL) { /* longer than any path can be */
        out->fault = BT_ROOT_MISSING;
        return BT_OK;
    }
    if (status != BT_OK) {
        return bt_error_set(&governed->trouble, status, "%.*s: %s",
                            BT_STR_ARG(bt_str_slice(path, 0, PATH_SHOWN)), error.text);
    }
    if (file.error != BT_PATH_OK || file.content.len > limit) {
        out->fault = file.error == BT_PATH_NOT_FOUND ? BT_ROOT_MISSING : BT_ROOT_UNSAFE;
        return BT_OK;
    }
    out->fault = BT_ROOT_FINE;
    out->bytes = file.content;
    out->stamp = file.stamp;
    out->is_recent = file.is_recent;
    return bt_sha256_hex(file.content, out->sha256);
}

static bool is_current(const struct bt_governed_root *governed_root, bt_str path,
                       const struct bt_governed_file *file)
{
    if (file->fault != BT_ROOT_FINE || file->sha256[0] == '\0') {
        return true; /* what was not read accepts nothing */
    }
    const struct bt_file_identity now = bt_dir_file_identity(governed_root->options->dir, path);
    return !file->is_recent && bt_file_identity_equal(&file->stamp, &now);
}

bool bt_governed_root_is_current(const struct bt_governed_root *governed_root, const size_t *agents,
                                 size_t count)
{
    if (!is_current(governed_root, governed_root->manifest.path, &governed_root->manifest.file) ||
        !is_current(governed_root, governed_root->lock.path, &governed_root->lock.file) ||
        !is_current(governed_root, governed_root->boundaries.path,
                    &governed_root->boundaries.file)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const struct bt_governed_agent *agent =
            agents[i] < governed_root->count ? &governed_root->agents[agents[i]] : NULL;
        if (agent && !is_current(governed_root, agent->file, &agent->prompt)) {
            return false;
        }
    }
    return true;
}
