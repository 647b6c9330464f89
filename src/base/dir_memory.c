/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dir_memory.c - file.h where there are no files: folders in memory alone, which cannot be written
 * to. One whose `memory` is NULL is empty. It takes the place of file.c, dir_open.c, dir_list.c and
 * dir_write.c in the core profile.
 */
#include <assert.h>

#include "base/arena.h"
#include "base/dir.h"
#include "base/env.h"
#include "base/error.h"
#include "base/path.h"
#include "base/str.h"

static enum bt_status refuse_file(struct bt_error *error)
{
    return bt_error_set(error, BT_EDENIED, "this build has no files");
}

void bt_dir_close(struct bt_dir *root)
{
    if (root) {
        bt_handle_destroy(root);
    }
}

enum bt_status bt_dir_open(bt_str path, struct bt_dir **out, struct bt_error *error)
{
    (void)path;
    (void)out;
    return refuse_file(error);
}

enum bt_status bt_file_read(struct bt_arena *arena, bt_str path, uint64_t max_bytes, bt_str *out,
                            struct bt_error *error)
{
    (void)arena;
    (void)path;
    (void)max_bytes;
    (void)out;
    return refuse_file(error);
}

enum bt_file_kind bt_file_kind_of(bt_str path)
{
    (void)path;
    return BT_FILE_NONE;
}

/* ---- Reading --------------------------------------------------------------------------------- */

enum bt_status bt_dir_read_linked(const struct bt_dir *root, struct bt_arena *arena, bt_str path,
                                  uint64_t max_bytes, struct bt_dir_file *out,
                                  struct bt_error *error)
{
    assert(root);
    return bt_memory_files_read(root->memory, root->below, arena, path, max_bytes, out, error);
}

enum bt_status bt_dir_read_unlinked(const struct bt_dir *root, struct bt_arena *arena, bt_str path,
                                    uint64_t max_bytes, struct bt_dir_file *out,
                                    struct bt_error *error)
{
    return bt_dir_read_linked(root, arena, path, max_bytes, out, error);
}

enum bt_status bt_dir_list(const struct bt_dir *root, struct bt_arena *arena, const bt_str **out,
                           size_t *out_count, struct bt_error *error)
{
    assert(root);
    (void)error;
    return bt_memory_files_list(root->memory, root->below, arena, out, out_count);
}

struct bt_file_identity bt_dir_file_identity(const struct bt_dir *root, bt_str path)
{
    assert(root);
    struct bt_memory_entry entry;
    return bt_memory_files_find(root->memory, root->below, path, &entry, NULL) == BT_OK
               ? bt_memory_entry_identity(&entry)
               : (struct bt_file_identity){0};
}

bool bt_file_identity_equal(const struct bt_file_identity *a, const struct bt_file_identity *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size;
}

enum bt_file_kind bt_dir_file_kind_of(const struct bt_dir *root, bt_str path)
{
    assert(root);
    struct bt_memory_entry entry;
    if (!root->memory) {
        return BT_FILE_NONE;
    }
    if (bt_str_starts_with(path, BT_STR("/"))) {
        return BT_OUTSIDE_ROOT;
    }
    return bt_memory_files_find(root->memory, root->below, path, &entry, NULL) == BT_OK
               ? entry.kind
               : BT_FILE_NONE;
}

enum bt_status bt_dir_file_sha256(const struct bt_dir *root, bt_str path,
                                  uint8_t out[BT_SHA256_BYTES], struct bt_error *error)
{
    assert(root);
    struct bt_memory_entry entry;
    BT_TRY(bt_memory_files_find(root->memory, root->below, path, &entry, error));
    return entry.error == BT_PATH_OK
               ? bt_sha256(entry.content, out)
               : bt_error_set(error, BT_ENOENT, "%s", bt_status_text(BT_ENOENT));
}

enum bt_status bt_dir_open_subdir(const struct bt_dir *root, bt_str path, bool make,
                                  struct bt_dir **out, struct bt_error *error)
{
    assert(root);
    struct bt_memory_entry entry = {.kind = BT_FILE_DIRECTORY, .path = root->below};
    (void)make;
    if (bt_str_starts_with(path, BT_STR("/")) || bt_path_has_parent(path)) {
        return bt_error_set(error, BT_EDENIED, "the path leaves the folder");
    }
    if (!root->memory) {
        return bt_error_set(error, BT_ENOENT, "%s", bt_status_text(BT_ENOENT));
    }
    if (path.len > 0) {
        BT_TRY(bt_memory_files_find(root->memory, root->below, path, &entry, error));
    }
    return entry.kind == BT_FILE_DIRECTORY
               ? bt_dir_from_memory(root->memory, entry.path, out, error)
               : bt_error_set(error, BT_ENOENT, "%s", bt_status_text(BT_ENOENT));
}

/* ---- Writing, which is not possible ---------------------------------------------------------- */

bool bt_dir_is_private(const struct bt_dir *root)
{
    (void)root;
    return false;
}

enum bt_file_comparison bt_dir_compare_file(const struct bt_dir *root, bt_str name, bt_str content)
{
    (void)content;
    return bt_dir_file_kind_of(root, name) == BT_FILE_NONE ? BT_FILE_COMPARED_ABSENT
                                                           : BT_FILE_COMPARED_DIFFERENT;
}

enum bt_status bt_dir_ensure_file(const struct bt_dir *root, bt_str name, bt_str content,
                                  struct bt_error *error)
{
    (void)root;
    (void)name;
    (void)content;
    return refuse_file(error);
}

enum bt_status bt_dir_create_file(const struct bt_dir *root, bt_str name, bt_str content,
                                  struct bt_error *error)
{
    return bt_dir_ensure_file(root, name, content, error);
}
