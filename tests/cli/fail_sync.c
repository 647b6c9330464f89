/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fail_sync.c - for LD_PRELOAD: a disk that fails every sync as soon as the file that
 * BATON_FAIL_SYNC names is there.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c): declared here for strict C */
extern long syscall(long number, ...);

static int sync_or_fail(long number, int fd)
{
    const char *path = getenv("BATON_FAIL_SYNC");
    if (path && access(path, F_OK) == 0) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(number, fd);
}

int fsync(int fd)
{
    return sync_or_fail(SYS_fsync, fd);
}

int fdatasync(int fd)
{
    return sync_or_fail(SYS_fdatasync, fd);
}
