/* SPDX-License-Identifier: Apache-2.0 */
/* files.c - whole files, made durable together with their names. */
#include "store/files.h"

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

/* Set the error that an action on a file or folder failed. */
static enum bt_status fail_errno(const char *act, const char *path, int number,
                                 struct bt_error *error)
{
    return bt_error_set(error, number == EEXIST ? BT_EDENIED : BT_EIO, "cannot %s %.80s: %s", act,
                        path, strerror(number));
}

enum bt_status bt_store_sync_dir(const char *folder, struct bt_error *error)
{
    assert(folder);
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return fail_errno("open the folder", folder, errno, error);
    }
    const bool synced = bt_fd_sync_dir(fd);
    const int number = errno;
    (void)close(fd);
    return synced ? BT_OK : fail_errno("sync the folder", folder, number, error);
}

/* The folder of a path: "." when it names none. A slash at the end is ignored. */
static void folder_of(const char *path, char out[PATH_MAX])
{
    size_t size = strlen(path);
    while (size > 1 && path[size - 1] == '/') {
        size--;
    }
    while (size > 0 && path[size - 1] != '/') {
        size--;
    }
    const bool is_here = size == 0;
    size = size > 1 ? size - 1 : 1;
    memcpy(out, is_here ? "." : path, size);
    out[size] = '\0';
}

enum bt_status bt_store_make_dir(const char *folder, uint32_t mode, struct bt_error *error)
{
    assert(folder);
    char above[PATH_MAX];
    if (mkdir(folder, mode) != 0) {
        return errno == EEXIST ? BT_OK : fail_errno("make the folder", folder, errno, error);
    }
    folder_of(folder, above);
    return bt_store_sync_dir(above, error);
}

/* Write content, set the mode and sync; the descriptor is closed. errno says what failed,
 * *out_is_written whether that was after writing. */
static bool write_content(int fd, bt_str content, struct bt_store_file_mode mode,
                          bool *out_is_written)
{
    *out_is_written = fchmod(fd, (mode_t)mode.mode) == 0 && bt_fd_write(fd, content);
    const bool filled = *out_is_written && (mode.is_unsynced || fsync(fd) == 0);
    const int number = errno;
    const bool closed = close(fd) == 0;
    errno = filled ? errno : number;
    return filled && closed;
}

static bool is_full(int number)
{
    return number == ENOSPC || number == EDQUOT;
}

/* Give the file its name: replacing an existing one, or only where there is none. */
static bool publish_file(const char *temp_path, const char *path, bool replacing)
{
    if (replacing) {
        return rename(temp_path, path) == 0;
    }
    return link(temp_path, path) == 0 && unlink(temp_path) == 0;
}

enum bt_status bt_store_write_file(const char *path, bt_str content, struct bt_store_file_mode mode,
                                   struct bt_error *error)
{
    assert(path);
    char temp_path[PATH_MAX];
    char folder[PATH_MAX];
    const int size = snprintf(temp_path, sizeof(temp_path), "%s.XXXXXX", path);
    if (size < 0 || (size_t)size >= sizeof(temp_path)) {
        return bt_error_set(error, BT_EINVAL, "the path is too long");
    }
    const int fd = mkstemp(temp_path);
    bool is_written = false;
    if (fd >= 0 && write_content(fd, content, mode, &is_written) &&
        publish_file(temp_path, path, mode.replacing)) {
        folder_of(path, folder);
        return mode.is_unsynced ? BT_OK : bt_store_sync_dir(folder, error);
    }
    const int number = errno;
    if (fd >= 0) {
        (void)unlink(temp_path);
    }
    return !is_written && is_full(number)
               ? bt_error_set(error, BT_ELIMIT, "cannot write %.80s: %s", path, strerror(number))
               : fail_errno("write", path, number, error);
}
