/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.c - files below the root of a catalogue: safe paths, one read, one digest.
 */
#include <assert.h>

#include "dialect/governed/roster.h"

enum { PATH_SHOWN = 80 };

static const bt_str fault_names[BT_ROOT_FAULT__MAX] = {
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

bt_str bt_root_fault_name(enum bt_root_fault fault)
{
    assert(fault < BT_ROOT_FAULT__MAX);
    return fault_names[fault];
}

/* Whether every segment is a plain name. Links and kinds of files are asked of the system. */
static bool is_plain(bt_str path)
{
    size_t from = 0;
    while (from <= path.len) {
        const size_t end = bt_str_find(path, '/', from);
        const bt_str segment = bt_str_slice(path, from, end);
        if (segment.len == 0 || bt_str_eq(segment, BT_STR(".")) ||
            bt_str_eq(segment, BT_STR("..")) || bt_str_find(segment, '\\', 0) < segment.len ||
            bt_str_find(segment, '\0', 0) < segment.len) {
            return false;
        }
        from = end + 1;
    }
    return true;
}

enum bt_status bt_root_bytes(struct bt_governed *governed, struct bt_arena *arena,
                             const struct bt_governed_options *options, bt_str path,
                             struct bt_root_bytes *out)
{
    assert(options->root);
    assert(out);
    const uint64_t limit = governed->env->limits.document_bytes;
    struct bt_root_file file = {0};
    struct bt_error error = {BT_OK, ""};
    *out = (struct bt_root_bytes){.fault = BT_ROOT_UNSAFE, .bytes = BT_STR("")};
    if (!is_plain(path)) {
        return BT_OK;
    }
    const enum bt_status status =
        bt_root_fetch_plain(options->root, arena, path, limit, &file, &error);
    if (status == BT_EINVAL) { /* longer than any path can be */
        out->fault = BT_ROOT_MISSING;
        return BT_OK;
    }
    if (status != BT_OK) {
        return bt_fail(&governed->trouble, status, "%.*s: %s",
                       BT_STR_ARG(bt_str_slice(path, 0, PATH_SHOWN)), error.text);
    }
    if (file.refusal != BT_NOT_REFUSED || file.content.len > limit) {
        out->fault = file.refusal == BT_NOT_THERE ? BT_ROOT_MISSING : BT_ROOT_UNSAFE;
        return BT_OK;
    }
    out->fault = BT_ROOT_FINE;
    out->bytes = file.content;
    out->stamp = file.stamp;
    out->is_young = file.is_young;
    return bt_sha256_hex(file.content, out->sha256);
}

static bool is_current(const struct bt_roster *roster, bt_str path,
                       const struct bt_root_bytes *file)
{
    if (file->fault != BT_ROOT_FINE || file->sha256[0] == '\0') {
        return true; /* what was not read accepts nothing */
    }
    const struct bt_file_stamp now = bt_root_stamp(roster->options->root, path);
    return !file->is_young && bt_file_stamp_eq(&file->stamp, &now);
}

bool bt_roster_is_current(const struct bt_roster *roster, const size_t *agents, size_t count)
{
    if (!is_current(roster, roster->manifest.path, &roster->manifest.file) ||
        !is_current(roster, roster->lock.path, &roster->lock.file) ||
        !is_current(roster, roster->boundaries.path, &roster->boundaries.file)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const struct bt_agent *agent =
            agents[i] < roster->count ? &roster->agents[agents[i]] : NULL;
        if (agent && !is_current(roster, agent->file, &agent->prompt)) {
            return false;
        }
    }
    return true;
}
