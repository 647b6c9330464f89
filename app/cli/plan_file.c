/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_file.c - change a plan in place while other processes do the same.
 *
 * A file is replaced by renaming another over it, so the locked file may no longer be the one at
 * the path. Locking then starts over.
 */
#define _DEFAULT_SOURCE /* flock(), realpath() */
#include "plan_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <baton/file.h>

#include "print.h"

enum { TRIES_MAX = 100000 };

static bool print_change_error(const char *path)
{
    cli_print_error("cannot change %s: %s", path, strerror(errno));
    return false;
}

static bool lock_file(int fd)
{
    int result = flock(fd, LOCK_EX);
    while (result != 0 && errno == EINTR) {
        result = flock(fd, LOCK_EX);
    }
    return result == 0;
}

/* True when the path still leads to the open file. */
static bool is_current(const struct cli_plan_file *file)
{
    struct stat held;
    struct stat named;
    return fstat(file->fd, &held) == 0 && stat(file->path, &named) == 0 &&
           held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

bool plan_file_lock(const char *path, struct cli_plan_file *out)
{
    assert(out);
    struct cli_plan_file file = {.fd = -1};
    for (int tries = 0; tries < TRIES_MAX; tries++) {
        if (!realpath(path, file.path)) {
            return print_change_error(path);
        }
        file.fd = open(file.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        if (file.fd < 0 && errno != ENOENT) {
            return print_change_error(path);
        }
        if (file.fd >= 0 && lock_file(file.fd) && is_current(&file)) {
            *out = file;
            return true;
        }
        plan_file_unlock(&file);
    }
    errno = EBUSY;
    return print_change_error(path);
}

void plan_file_unlock(struct cli_plan_file *file)
{
    if (file->fd >= 0) {
        (void)close(file->fd);
        file->fd = -1;
    }
}

bool plan_file_replace(const struct cli_plan_file *file, bt_str content)
{
    struct bt_error error;
    if (bt_file_replace(bt_str_of(file->path), content, &error) != BT_OK) {
        cli_print_error("cannot write %s: %s", file->path, error.text);
        return false;
    }
    return true;
}
