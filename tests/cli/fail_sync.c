/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fail_sync.c - for LD_PRELOAD: a disk that fails every commit of SQLite, which syncs by
 * fdatasync(), as soon as the file that BATON_FAIL_SYNC names is there. The head file, which
 * follows a commit at its own pace, is synced by fsync() and spared.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

int fdatasync(int fd)
{
    const char *path = getenv("BATON_FAIL_SYNC");
    if (path && access(path, F_OK) == 0) {
        errno = EIO;
        return -1;
    }
    return fsync(fd);
}
