/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file_replace.c - atomic file replacement: write beside, make durable, rename, make the folder
 * durable.
 */
#include "base/file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"

/* The names of one replacement, all in the folder of the file. */
struct file_replace_names {
    char folder[PATH_MAX];
    char target[PATH_MAX];
    char temp_path[PATH_MAX]; /* template for mkstemp() */
};

static enum bt_status find_place(bt_str path, struct file_replace_names *place,
                                 struct bt_error *error)
{
    static const char suffix[] = ".XXXXXX";
    if (path.len == 0 || memchr(path.ptr, '\0', path.len) || path.ptr[path.len - 1] == '/') {
        return bt_error_set(error, BT_EINVAL, "not the path of a file");
    }
    if (path.len + sizeof(suffix) + 1 >= PATH_MAX) {
        return bt_error_set(error, BT_EINVAL, "the path is longer than %d bytes", PATH_MAX - 1);
    }
    size_t name = path.len;
    while (name > 0 && path.ptr[name - 1] != '/') {
        name--;
    }
    memcpy(place->target, path.ptr, path.len);
    place->target[path.len] = '\0';
    /* FOLDER/.NAME.XXXXXX: hidden, so that a walk of the folder does not judge it. */
    const int size = snprintf(place->temp_path, sizeof(place->temp_path), "%.*s.%s%s", (int)name,
                              path.ptr, place->target + name, suffix);
    assert(size > 0);
    assert((size_t)size < sizeof(place->temp_path));
    const size_t folder = name > 1 ? name - 1 : name;
    memcpy(place->folder, name == 0 ? "." : path.ptr, name == 0 ? 1 : folder);
    place->folder[name == 0 ? 1 : folder] = '\0';
    return BT_OK;
}

/* The mode of the file that is replaced, or that of a new file. What is neither a file nor a link
 * is not ours to replace: a device, a pipe, a folder. */
static enum bt_status find_mode(const char *target, mode_t *out_mode, struct bt_error *error)
{
    struct stat info;
    const bool exists = lstat(target, &info) == 0;
    if (exists && S_ISREG(info.st_mode)) {
        *out_mode = info.st_mode & 07777;
        return BT_OK;
    }
    if (exists && !S_ISLNK(info.st_mode)) {
        return bt_error_set(error, BT_EDENIED, "it is not a regular file");
    }
    const mode_t mask = umask(0);
    (void)umask(mask);
    *out_mode = 0644 & ~mask;
    return BT_OK;
}

static enum bt_status write_temp_file(int fd, mode_t mode, bt_str content, struct bt_error *error)
{
    if (!bt_fd_write(fd, content)) {
        return bt_error_errno(error, NULL, NULL);
    }
    if (fchmod(fd, mode) != 0) {
        return bt_error_errno(error, NULL, NULL);
    }
    return fsync(fd) == 0 ? BT_OK : bt_error_errno(error, NULL, NULL);
}

static enum bt_status sync_folder(const struct file_replace_names *place, struct bt_error *error)
{
    const int fd = open(place->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return bt_error_errno(error, NULL, NULL);
    }
    const enum bt_status status = bt_fd_sync_dir(fd) ? BT_OK : bt_error_errno(error, NULL, NULL);
    (void)close(fd);
    return status;
}

enum bt_status bt_file_replace(bt_str path, bt_str content, struct bt_error *error)
{
    struct file_replace_names place;
    mode_t mode = 0;
    BT_TRY(find_place(path, &place, error));
    BT_TRY(find_mode(place.target, &mode, error));
    const int fd = mkstemp(place.temp_path);
    if (fd < 0) {
        return bt_error_errno(error, NULL, NULL);
    }
    enum bt_status status = write_temp_file(fd, mode, content, error);
    if (close(fd) != 0 && status == BT_OK) {
        status = bt_error_errno(error, NULL, NULL);
    }
    if (status == BT_OK && rename(place.temp_path, place.target) != 0) {
        status = bt_error_errno(error, NULL, NULL);
    }
    if (status != BT_OK) {
        (void)unlink(place.temp_path); /* the old file is still in place */
        return status;
    }
    return sync_folder(&place, error);
}
