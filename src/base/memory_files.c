/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_files.c - files that lie in memory: sorted by path, so that the files of a directory are
 * neighbours.
 */
#include "base/memory_files.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/dir.h"
#include "base/error.h"
#include "base/path.h"
#include "base/vec.h"

enum { PATH_BYTES_MAX = 4095, NAME_BYTES_MAX = 255, FILES_MAX = 100000 };

struct memory_file {
    bt_str path; /* without ".", ".." and doubled slashes */
    bt_str content;
};

struct bt_memory_files {
    struct bt_arena arena; /* in which this lies */
    BT_VEC(struct memory_file) files;
};

struct bt_memory_files *bt_memory_files_create(size_t bytes_max)
{
    struct bt_arena arena;
    bt_arena_init(&arena, bytes_max);
    struct bt_memory_files *files = BT_NEW(&arena, struct bt_memory_files);
    if (files) {
        files->arena = arena;
    }
    return files;
}

void bt_memory_files_destroy(struct bt_memory_files *files)
{
    if (files) {
        struct bt_arena arena = files->arena;
        bt_arena_free(&arena);
    }
}

/* ---- Looking up ------------------------------------------------------------------------------ */

/* The number of files whose paths stand before this one. */
static size_t count_before(const struct bt_memory_files *files, bt_str path)
{
    size_t low = 0;
    size_t high = files->files.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (bt_str_compare(files->files.items[middle].path, path) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* A path while it is resolved. */
struct memory_path {
    char bytes[PATH_BYTES_MAX + 1];
    size_t length;
    size_t floor; /* the length that it never falls below */
};

static bt_str path_text(const struct memory_path *path)
{
    return (bt_str){path->bytes, path->length};
}

/* The first file below a folder; NULL: there is no such folder. */
static const struct memory_file *find_below(const struct bt_memory_files *files, bt_str folder)
{
    char bytes[PATH_BYTES_MAX + 1];
    assert(folder.len <= PATH_BYTES_MAX);
    memcpy(bytes, folder.ptr, folder.len);
    bytes[folder.len] = '/';
    const bt_str prefix = {bytes, folder.len + 1};
    const size_t index = count_before(files, prefix);
    const struct memory_file *file = &files->files.items[index];
    return index < files->files.count && bt_str_starts_with(file->path, prefix) ? file : NULL;
}

/* What the path leads to. A folder is there when it has files; the whole one always is. */
static enum bt_file_kind find_kind(const struct bt_memory_files *files,
                                   const struct memory_path *path, size_t *out_index)
{
    const bt_str text = path_text(path);
    if (text.len == 0) {
        return BT_FILE_DIRECTORY;
    }
    *out_index = count_before(files, text);
    if (*out_index < files->files.count && bt_str_eq(files->files.items[*out_index].path, text)) {
        return BT_FILE_REGULAR;
    }
    return find_below(files, text) ? BT_FILE_DIRECTORY : BT_FILE_NONE;
}

/* Add a name to the path. False: it would be longer than any path. */
static bool enter_name(struct memory_path *path, bt_str name)
{
    const size_t slash = path->length > 0 ? 1 : 0;
    if (name.len > NAME_BYTES_MAX || path->length + slash + name.len > PATH_BYTES_MAX) {
        return false;
    }
    path->bytes[path->length] = '/';
    memcpy(path->bytes + path->length + slash, name.ptr, name.len);
    path->length += slash + name.len;
    return true;
}

static enum bt_status check_path(bt_str path, struct bt_error *error)
{
    if (path.len == 0) {
        return bt_error_set(error, BT_EINVAL, "the path is empty");
    }
    if (path.len > PATH_BYTES_MAX) {
        return bt_error_set(error, BT_EINVAL, "the path is longer than %d bytes", PATH_BYTES_MAX);
    }
    return memchr(path.ptr, '\0', path.len)
               ? bt_error_set(error, BT_EINVAL, "the path holds a NUL byte")
               : BT_OK;
}

/* Resolve a path from where `at` stands. Every folder on the way must be there. */
static enum bt_file_kind resolve_path(const struct bt_memory_files *files, bt_str path,
                                      struct memory_path *at, size_t *out_index)
{
    enum bt_file_kind kind = BT_FILE_DIRECTORY;
    size_t from = 0;
    bt_str name;
    if (bt_str_starts_with(path, BT_STR("/"))) {
        return BT_OUTSIDE_ROOT;
    }
    while (bt_path_next(path, &from, &name)) {
        if (kind != BT_FILE_DIRECTORY) {
            return BT_FILE_NONE;
        }
        if (bt_str_eq(name, BT_STR(".."))) {
            if (at->length == at->floor) {
                return BT_OUTSIDE_ROOT;
            }
            at->length = bt_path_parent(path_text(at)).len;
        } else if (!bt_str_eq(name, BT_STR("."))) {
            kind = enter_name(at, name) ? find_kind(files, at, out_index) : BT_FILE_NONE;
        }
    }
    const bool names_folder = bt_str_ends_with(path, BT_STR("/"));
    return kind == BT_FILE_REGULAR && names_folder ? BT_FILE_NONE : kind;
}

static enum bt_path_error error_of_kind(enum bt_file_kind kind)
{
    switch (kind) {
    case BT_FILE_REGULAR:
        return BT_PATH_OK;
    case BT_OUTSIDE_ROOT:
        return BT_PATH_OUTSIDE_DIR;
    case BT_FILE_DIRECTORY:
    case BT_FILE_SPECIAL:
        return BT_PATH_NOT_REGULAR;
    case BT_FILE_NONE:
        break;
    }
    return BT_PATH_NOT_FOUND;
}

enum bt_status bt_memory_files_find(const struct bt_memory_files *files, bt_str below, bt_str path,
                                    struct bt_memory_entry *out, struct bt_error *error)
{
    assert(files);
    assert(below.len <= PATH_BYTES_MAX);
    struct memory_path at;
    size_t index = 0;
    BT_TRY(check_path(path, error));
    at.floor = at.length = below.len > 0 ? below.len - 1 : 0;
    memcpy(at.bytes, below.ptr, at.length);
    const enum bt_file_kind kind = resolve_path(files, path, &at, &index);
    *out = (struct bt_memory_entry){.kind = kind, .error = error_of_kind(kind)};
    if (kind == BT_FILE_REGULAR) {
        out->content = files->files.items[index].content;
    } else if (kind == BT_FILE_DIRECTORY && at.length > 0) {
        out->path = bt_str_slice(find_below(files, path_text(&at))->path, 0, at.length + 1);
    }
    return BT_OK;
}

enum bt_status bt_memory_files_read(const struct bt_memory_files *files, bt_str below,
                                    struct bt_arena *arena, bt_str path, uint64_t max_bytes,
                                    struct bt_dir_file *out, struct bt_error *error)
{
    struct bt_memory_entry entry;
    BT_TRY(bt_memory_files_find(files, below, path, &entry, error));
    struct bt_dir_file file = {.error = entry.error, .stamp = bt_memory_entry_identity(&entry)};
    if (entry.kind == BT_FILE_REGULAR) {
        const uint64_t size = entry.content.len > max_bytes ? max_bytes + 1 : entry.content.len;
        BT_TRY(bt_arena_copy(arena, bt_str_slice(entry.content, 0, (size_t)size), &file.content));
    }
    *out = file;
    return BT_OK;
}

static int compare_names(const void *a, const void *b)
{
    return bt_str_compare(*(const bt_str *)a, *(const bt_str *)b);
}

enum bt_status bt_memory_files_list(const struct bt_memory_files *files, bt_str below,
                                    struct bt_arena *arena, const bt_str **out, size_t *out_count)
{
    BT_VEC(bt_str) names = {0};
    for (size_t i = count_before(files, below); i < files->files.count; i++) {
        const bt_str path = files->files.items[i].path;
        if (!bt_str_starts_with(path, below)) {
            break;
        }
        const bt_str name = bt_str_slice(path, below.len, bt_str_find_byte(path, '/', below.len));
        if (names.count == 0 || !bt_str_eq(names.items[names.count - 1], name)) {
            BT_TRY(bt_vec_push(arena, &names, name));
        }
    }
    if (names.count > 1) { /* a folder "a" stands behind a file "a.b", whose name is greater */
        qsort(names.items, names.count, sizeof(bt_str), compare_names);
    }
    *out = names.items;
    *out_count = names.count;
    return BT_OK;
}

struct bt_file_identity bt_memory_entry_identity(const struct bt_memory_entry *entry)
{
    /* A file is never changed, so the place of its bytes identifies it. */
    return entry->kind == BT_FILE_REGULAR
               ? (struct bt_file_identity){.inode = (uint64_t)(uintptr_t)entry->content.ptr,
                                           .size = entry->content.len,
                                           .changed_s = 1}
               : (struct bt_file_identity){0};
}

/* ---- Adding ---------------------------------------------------------------------------------- */

/* Resolve the path of a new file. */
static enum bt_status resolve_new(const struct bt_memory_files *files, bt_str path,
                                  struct memory_path *out, struct bt_error *error)
{
    enum bt_file_kind kind = BT_FILE_DIRECTORY;
    size_t index = 0;
    size_t from = 0;
    bt_str name;
    BT_TRY(check_path(path, error));
    if (bt_str_starts_with(path, BT_STR("/")) || bt_path_has_parent(path) ||
        bt_str_ends_with(path, BT_STR("/"))) {
        return bt_error_set(error, BT_EINVAL, "a file has a relative path without ..");
    }
    while (bt_path_next(path, &from, &name)) {
        if (kind == BT_FILE_REGULAR) {
            return bt_error_set(error, BT_EINVAL, "a part of the path is a file");
        }
        if (bt_str_eq(name, BT_STR("."))) {
            continue;
        }
        if (!enter_name(out, name)) {
            return bt_error_set(error, BT_EINVAL, "a name in the path is longer than %d bytes",
                                NAME_BYTES_MAX);
        }
        kind = find_kind(files, out, &index);
    }
    return kind == BT_FILE_NONE
               ? BT_OK
               : bt_error_set(error, BT_EEXIST, "%s",
                              kind == BT_FILE_REGULAR ? "there is such a file"
                                                      : "it is the path of a folder");
}

enum bt_status bt_memory_files_add(struct bt_memory_files *files, bt_str path, bt_str content,
                                   struct bt_error *error)
{
    assert(files);
    assert(content.ptr || content.len == 0);
    struct memory_path at;
    struct memory_file file = {0};
    at.floor = at.length = 0;
    BT_TRY(resolve_new(files, path, &at, error));
    if (files->files.count == FILES_MAX) {
        return bt_error_set(error, BT_ELIMIT, "a root in memory has at most %d files", FILES_MAX);
    }
    if (bt_arena_copy(&files->arena, path_text(&at), &file.path) != BT_OK ||
        bt_arena_copy(&files->arena, content, &file.content) != BT_OK ||
        bt_vec_reserve(&files->arena, &files->files, 1) != BT_OK) {
        return files->arena.system_refused
                   ? bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM))
                   : bt_error_set(error, BT_ELIMIT, "the files of roots in memory are too large");
    }
    struct memory_file *items = files->files.items;
    const size_t index = count_before(files, file.path);
    memmove(&items[index + 1], &items[index], (files->files.count - index) * sizeof(items[0]));
    items[index] = file;
    files->files.count++;
    return BT_OK;
}

/* ---- Folders ------------------------------------------------------------------------------ */

enum bt_status bt_dir_from_memory(const struct bt_memory_files *files, bt_str below,
                                  struct bt_dir **out, struct bt_error *error)
{
    struct bt_dir *dir = bt_handle_create(sizeof(*dir));
    if (!dir) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    *dir = (struct bt_dir){.fd = -1, .memory = files, .below = below};
    *out = dir;
    return BT_OK;
}

enum bt_status bt_dir_open_memory(const struct bt_memory_files *files, struct bt_dir **out,
                                  struct bt_error *error)
{
    assert(files);
    assert(out);
    return bt_dir_from_memory(files, BT_STR(""), out, error);
}
