/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interrupt.c - for LD_PRELOAD: every second call that reads from a socket or writes to one is
 * interrupted by a signal that is not there.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_interrupted(int fd)
{
    static atomic_uint calls;
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISSOCK(info.st_mode) || atomic_fetch_add(&calls, 1) % 2 != 0) {
        return false;
    }
    errno = EINTR;
    return true;
}

ssize_t read(int fd, void *bytes, size_t size)
{
    void *symbol = dlsym(RTLD_NEXT, "read");
    ssize_t (*real)(int, void *, size_t) = NULL;
    memcpy(&real, &symbol, sizeof(symbol)); /* C has no cast for it */
    return is_interrupted(fd) ? -1 : real(fd, bytes, size);
}

ssize_t write(int fd, const void *bytes, size_t size)
{
    void *symbol = dlsym(RTLD_NEXT, "write");
    ssize_t (*real)(int, const void *, size_t) = NULL;
    memcpy(&real, &symbol, sizeof(symbol)); /* C has no cast for it */
    return is_interrupted(fd) ? -1 : real(fd, bytes, size);
}

ssize_t recv(int fd, void *bytes, size_t size, int flags)
{
    return is_interrupted(fd) ? -1 : recvfrom(fd, bytes, size, flags, NULL, NULL);
}

ssize_t send(int fd, const void *bytes, size_t size, int flags)
{
    return is_interrupted(fd) ? -1 : sendto(fd, bytes, size, flags, NULL, 0);
}
