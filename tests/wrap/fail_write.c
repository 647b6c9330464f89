/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fail_write.c - for LD_PRELOAD: a disk that takes no more writes to files named *.db*, as soon as
 * the file that BATON_FAIL_WRITE names is there. It holds a word: `full`, or `read-only` for a disk
 * on which such files cannot be opened for writing either.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The error of writes to a file; 0: they work. */
static int find_error(const char *name)
{
    const char *path = strstr(name, ".db") ? getenv("BATON_FAIL_WRITE") : NULL;
    char text[16] = "";
    const int fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0) {
        return 0;
    }
    const ssize_t size = read(fd, text, sizeof(text) - 1);
    (void)close(fd);
    return size <= 0 ? 0 : text[0] == 'f' ? ENOSPC : EROFS;
}

static int find_error_of(int fd)
{
    char link[64];
    char name[512] = "";
    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    return readlink(link, name, sizeof(name) - 1) > 0 ? find_error(name) : 0;
}

static ssize_t write_at(int fd, const void *bytes, size_t size, off_t offset)
{
    errno = find_error_of(fd);
    return errno ? -1 : (ssize_t)syscall(SYS_pwrite64, fd, bytes, size, offset);
}

/* With large offsets the headers rename these functions, so each is defined under both names. */
ssize_t fail_pwrite(int fd, const void *bytes, size_t size, off_t offset) __asm__("pwrite");
ssize_t fail_pwrite64(int fd, const void *bytes, size_t size, off_t offset) __asm__("pwrite64");
int fail_open(const char *name, int flags, ...) __asm__("open");
int fail_open64(const char *name, int flags, ...) __asm__("open64");

ssize_t fail_pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
    return write_at(fd, bytes, size, offset);
}

ssize_t fail_pwrite64(int fd, const void *bytes, size_t size, off_t offset)
{
    return write_at(fd, bytes, size, offset);
}

static int open_file(const char *name, int flags, mode_t mode)
{
    const bool writes = (flags & (O_WRONLY | O_RDWR | O_CREAT)) != 0;
    errno = writes && find_error(name) == EROFS ? EROFS : 0;
    return errno ? -1 : (int)syscall(SYS_openat, AT_FDCWD, name, flags, mode);
}

int fail_open(const char *name, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return open_file(name, flags, mode);
}

int fail_open64(const char *name, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return open_file(name, flags, mode);
}
