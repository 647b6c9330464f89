/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gitignore.c - read the .gitignore files of a folder and of the repository above it.
 *
 * A file that cannot be read counts as absent: it could only leave out more.
 */
#include "gitignore.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"

/*
 * Read a small regular file below a folder; "" when there is none. BT_ELIMIT: it is too large.
 * BT_ENOMEM.
 */
static enum bt_status read_small_file(struct bt_arena *arena, int folder, const char *name,
                                      bt_str *out)
{
    const int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    struct stat info;
    enum bt_status status = BT_OK;
    *out = BT_STR("");
    if (fd < 0) {
        return BT_OK;
    }
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0) {
        const bool is_too_large = info.st_size > BT_IGNORE_FILE_BYTES_MAX;
        char *bytes = is_too_large ? NULL : bt_arena_alloc(arena, (size_t)info.st_size);
        const ssize_t got = bytes ? pread(fd, bytes, (size_t)info.st_size, 0) : -1;
        *out = got > 0 ? (bt_str){bytes, (size_t)got} : *out;
        status = is_too_large ? BT_ELIMIT : bytes ? BT_OK : BT_ENOMEM;
    }
    (void)close(fd);
    return status;
}

static enum bt_status add_file(struct bt_arena *arena, const struct check_gitignore_folder *folder,
                               const char *name, const struct bt_ignore_list **list)
{
    bt_str text;
    BT_TRY(read_small_file(arena, folder->fd, name, &text));
    if (text.len == 0) {
        return BT_OK;
    }
    struct bt_ignore_list *own = BT_NEW(arena, struct bt_ignore_list);
    BT_TRY(own ? BT_OK : BT_ENOMEM);
    own->parent = *list;
    BT_TRY(bt_arena_copy(arena, folder->path, &own->folder));
    BT_TRY(bt_ignore_add_lines(arena, own, text));
    *list = own;
    return BT_OK;
}

static bool is_repository(int folder)
{
    struct stat info;
    return fstatat(folder, ".git", &info, AT_SYMLINK_NOFOLLOW) == 0 ||
           fstatat(folder, ".hg", &info, AT_SYMLINK_NOFOLLOW) == 0 ||
           fstatat(folder, ".jj", &info, AT_SYMLINK_NOFOLLOW) == 0;
}

enum bt_status check_gitignore_of(struct bt_arena *arena,
                                  const struct check_gitignore_folder *folder,
                                  const struct bt_ignore_list **list, const char **out_too_large)
{
    static const char *const names[] = {".git/info/exclude", ".gitignore"};
    enum bt_status result = BT_OK;
    for (size_t i = folder->is_first && is_repository(folder->fd) ? 0 : 1; i < 2; i++) {
        const enum bt_status status = add_file(arena, folder, names[i], list);
        if (status == BT_ELIMIT) {
            *out_too_large = names[i];
        }
        result = status == BT_OK ? result : status;
    }
    return result;
}

/*
 * The length of the path of the nearest folder, from `real` upwards, that is a repository; 0: there
 * is none.
 */
static size_t find_repository(struct bt_arena *arena, bt_str real)
{
    for (size_t end = real.len; end > 0;) {
        bt_str path = BT_STR("");
        if (bt_arena_copy(arena, bt_str_slice(real, 0, end), &path) != BT_OK) {
            return 0;
        }
        const int fd = open(path.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        const bool found = fd >= 0 && is_repository(fd);
        if (fd >= 0) {
            (void)close(fd);
        }
        if (found) {
            return end;
        }
        do {
            end--;
        } while (end > 0 && real.ptr[end] != '/');
    }
    return 0;
}

enum bt_status check_gitignore_above(struct bt_arena *arena, bt_str real,
                                     const struct bt_ignore_list **out, const char **out_too_large)
{
    size_t end = find_repository(arena, real);
    enum bt_status result = BT_OK;
    *out = NULL;
    for (bool is_first = true; end > 0 && end < real.len; is_first = false) {
        struct check_gitignore_folder folder = {.is_first = is_first};
        BT_TRY(bt_arena_copy(arena, bt_str_slice(real, 0, end), &folder.path));
        folder.fd = open(folder.path.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (folder.fd >= 0) {
            const char *name = NULL;
            bt_str large = BT_STR("");
            const enum bt_status status = check_gitignore_of(arena, &folder, out, &name);
            result = status == BT_OK ? result : status;
            (void)close(folder.fd);
            if (name) {
                BT_TRY(bt_arena_printf(arena, &large, "%s/%s", folder.path.ptr, name));
                *out_too_large = large.ptr;
            }
        }
        end = bt_str_find_byte(real, '/', end + 1);
    }
    return result;
}
