/* SPDX-License-Identifier: Apache-2.0 */
/* fail_inotify.c - a system on which no more folders can be watched. Loaded before the program. */
#include <errno.h>
#include <stdint.h>

int inotify_add_watch(int fd, const char *path, uint32_t what);

int inotify_add_watch(int fd, const char *path, uint32_t what)
{
    (void)fd;
    (void)path;
    (void)what;
    errno = ENOSPC;
    return -1;
}
