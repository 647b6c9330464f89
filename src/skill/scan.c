/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan.c - folders -> the SKILL.md files directly below their sub-folders.
 *
 * Only real folders that are not hidden count, so that a link cannot make one skill look like two.
 * A file is read through the folder it was found in and cannot be outside of it.
 */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/vec.h"
#include "skill/skill_internal.h"

enum {
    ENTRIES_MAX = 100000, /* of one folder */
    FILES_MAX = 100000,   /* of all */
    PATH_BYTES_MAX = 4096,
};

static const char skill_name[] = "SKILL.md";

struct skill_scan_state {
    struct bt_arena *arena;
    BT_VEC(struct bt_skill_file) files;
    size_t folder; /* index */
    bt_str path;   /* of the folder, without slashes at its end */
    struct bt_dir *root;
    struct bt_error *error;
};

static enum bt_status fail_errno(struct skill_scan_state *scan, bt_str path, int number)
{
    const bool is_absent = number == ENOENT || number == ENOTDIR;
    const bool is_denied = number == EACCES || number == EPERM || number == ELOOP;
    return bt_error_set(scan->error, is_absent ? BT_ENOENT : (is_denied ? BT_EDENIED : BT_EIO),
                        "%.*s: %s", (int)(path.len < PATH_BYTES_MAX ? path.len : PATH_BYTES_MAX),
                        path.ptr, strerror(number));
}

static bool is_folder(int parent, const char *name)
{
    struct stat info;
    return fstatat(parent, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode);
}

/* Whether a name is SKILL.md but for the case of its letters. */
static bool is_like_skill_name(const char *name)
{
    return strlen(name) == sizeof(skill_name) - 1 &&
           bt_skill_name_equal(bt_str_of(name), bt_str_of(skill_name));
}

/* Read the file. What stands in its place, or is too large, is a problem of the skill. */
static enum bt_status read_file(struct skill_scan_state *scan, bt_str relative,
                                struct bt_skill_file *file)
{
    struct bt_error error;
    const enum bt_status status =
        bt_dir_read(scan->root, scan->arena, relative, BT_SKILL_BYTES_MAX, &file->text, &error);
    if (status == BT_EDENIED) {
        return bt_arena_copy(scan->arena, bt_str_of(error.text), &file->problem);
    }
    if (status != BT_OK) {
        return bt_error_set(scan->error, status, "%.*s: %s", BT_STR_ARG(file->path), error.text);
    }
    if (file->text.len > BT_SKILL_BYTES_MAX) {
        file->text = BT_STR("");
        file->problem = BT_STR("it is larger than 1 MiB");
    }
    return BT_OK;
}

static enum bt_status add_file(struct skill_scan_state *scan, const char *folder, const char *name)
{
    bt_str relative;
    struct bt_skill_file file = {.folder = scan->folder, .problem_at = BT_OFFSET_NONE};
    BT_TRY(bt_arena_printf(scan->arena, &relative, "%s/%s", folder, name));
    BT_TRY(bt_arena_printf(scan->arena, &file.path, "%.*s/%.*s", BT_STR_ARG(scan->path),
                           BT_STR_ARG(relative)));
    file.is_misnamed = strcmp(name, skill_name) != 0;
    file.text = BT_STR("");
    if (!file.is_misnamed) {
        BT_TRY(read_file(scan, relative, &file));
    }
    return bt_vec_push_max(scan->arena, &scan->files, FILES_MAX, file);
}

typedef enum bt_status entry_fn(struct skill_scan_state *scan, DIR *entries, const char *within,
                                const char *name);

/* Call `each` for the entries of an open folder, which is closed. `within` is its name. */
static enum bt_status each_entry(struct skill_scan_state *scan, int fd, const char *within,
                                 entry_fn *each)
{
    DIR *entries = fd >= 0 ? fdopendir(fd) : NULL;
    if (!entries) {
        const int number = errno;
        if (fd >= 0) {
            (void)close(fd);
        }
        return fail_errno(scan, scan->path, number);
    }
    enum bt_status status = BT_OK;
    size_t count = 0;
    const struct dirent *entry = NULL;
    do {
        errno = 0;
        entry = readdir(entries);
        if (!entry && errno != 0) {
            status = fail_errno(scan, scan->path, errno);
        } else if (entry && ++count > ENTRIES_MAX) {
            status =
                bt_error_set(scan->error, BT_ELIMIT, "it has more than %d entries", ENTRIES_MAX);
        } else if (entry) {
            status = each(scan, entries, within, entry->d_name);
        }
    } while (entry && status == BT_OK);
    (void)closedir(entries);
    return status;
}

static enum bt_status take_file(struct skill_scan_state *scan, DIR *entries, const char *within,
                                const char *name)
{
    (void)entries;
    return is_like_skill_name(name) ? add_file(scan, within, name) : BT_OK;
}

static enum bt_status take_folder(struct skill_scan_state *scan, DIR *entries, const char *within,
                                  const char *name)
{
    (void)within;
    if (name[0] == '.' || !is_folder(dirfd(entries), name)) {
        return BT_OK;
    }
    const int fd = openat(dirfd(entries), name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    return each_entry(scan, fd, name, take_file);
}

static enum bt_status scan_folder(struct skill_scan_state *scan, bt_str path)
{
    while (path.len > 1 && path.ptr[path.len - 1] == '/') {
        path.len--;
    }
    BT_TRY(bt_arena_copy(scan->arena, path, &scan->path));
    struct bt_error error;
    const enum bt_status status = bt_dir_open(scan->path, &scan->root, &error);
    if (status != BT_OK) {
        return bt_error_set(scan->error, status, "%.*s: %s", BT_STR_ARG(scan->path), error.text);
    }
    const int fd = open(scan->path.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const enum bt_status scanned = each_entry(scan, fd, "", take_folder);
    bt_dir_close(scan->root);
    return scanned;
}

/* The order in which a file system lists entries must not decide anything. */
static int compare_files(const void *a, const void *b)
{
    const struct bt_skill_file *left = a;
    const struct bt_skill_file *right = b;
    if (left->folder != right->folder) {
        return left->folder < right->folder ? -1 : 1;
    }
    return bt_str_compare(left->path, right->path);
}

enum bt_status bt_skill_scan(struct bt_arena *arena,
                             const struct bt_skill_catalogue_options *options,
                             struct bt_skill_catalogue *catalogue, struct bt_error *error)
{
    assert(options);
    struct skill_scan_state scan = {.arena = arena, .error = error};
    for (size_t i = 0; i < options->folder_count; i++) {
        scan.folder = i;
        BT_TRY(scan_folder(&scan, options->folders[i]));
    }
    if (scan.files.count > 0) {
        qsort(scan.files.items, scan.files.count, sizeof(*scan.files.items), compare_files);
    }
    catalogue->files = scan.files.items;
    catalogue->file_count = scan.files.count;
    return BT_OK;
}
