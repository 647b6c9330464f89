/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kill_at.c - loaded before libc: counts the calls that change files, logs them, and kills the
 * process at one of them.
 *
 *     KILL_AT=N       die instead of making the N-th such call, counted from 1; 0: never
 *     KILL_LOG=FILE   append one line for each call: its name and the path or descriptor
 *     KILL_COPY=1     make files in their place, in two pieces, instead of linking whole ones: what
 *                     a test must notice
 *
 * The stand-ins call the kernel themselves, so nothing needs to be looked up.
 */
#define _GNU_SOURCE /* syscall() */
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <baton/base.h>

#include "base/str.h"

static uint64_t calls;

static void log_call(const char *name, const char *what)
{
    const char *path = getenv("KILL_LOG");
    char line[512];
    const int size = snprintf(line, sizeof(line), "%s %s\n", name, what);
    const long fd =
        path ? syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT, 0600) : -1;
    if (fd >= 0 && size > 0) {
        (void)!syscall(SYS_write, fd, line, strlen(line));
        (void)!syscall(SYS_close, fd);
    }
}

static void count(const char *name, const char *what)
{
    const char *at = getenv("KILL_AT");
    uint64_t number = 0;
    log_call(name, what);
    calls++;
    if (at && bt_str_to_u64(bt_str_of(at), &number) == BT_OK && calls == number) {
        (void)raise(SIGKILL);
    }
}

/* Whether a descriptor is a file or folder: what goes to a pipe or a terminal changes none. */
static const char *shown(int fd, char out[32])
{
    struct stat info;
    const int known = fstat(fd, &info) == 0;
    (void)snprintf(out, 32, "%s", known && S_ISDIR(info.st_mode) ? "folder" : "file");
    return known && (S_ISDIR(info.st_mode) || S_ISREG(info.st_mode)) ? out : NULL;
}

ssize_t write(int fd, const void *bytes, size_t size)
{
    char text[32];
    const char *what = shown(fd, text);
    if (what) {
        count("write", what);
    }
    return syscall(SYS_write, fd, bytes, size);
}

int fsync(int fd)
{
    char text[32];
    const char *what = shown(fd, text);
    count("fsync", what ? what : "other");
    return (int)syscall(SYS_fsync, fd);
}

/* Copy a small file in two pieces, with a call that counts between them. */
static int copy_in_pieces(int from_folder, const char *from, int to_folder, const char *to)
{
    char bytes[4096];
    const long source = syscall(SYS_openat, from_folder, from, O_RDONLY, 0);
    const long target = syscall(SYS_openat, to_folder, to, O_WRONLY | O_CREAT | O_EXCL, 0644);
    const long size = source < 0 ? -1 : syscall(SYS_read, source, bytes, sizeof(bytes));
    if (source < 0 || target < 0 || size < 0) {
        return -1;
    }
    (void)!syscall(SYS_write, target, bytes, size / 2);
    count("copy", to);
    (void)!syscall(SYS_write, target, bytes + size / 2, size - size / 2);
    (void)!syscall(SYS_close, source);
    (void)!syscall(SYS_close, target);
    return 0;
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    count("linkat", to);
    if (getenv("KILL_COPY")) {
        return copy_in_pieces(from_folder, from, to_folder, to);
    }
    return (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
}

int unlinkat(int folder, const char *path, int flags)
{
    count("unlinkat", path);
    return (int)syscall(SYS_unlinkat, folder, path, flags);
}

int unlink(const char *path)
{
    count("unlink", path);
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int mkdirat(int folder, const char *path, mode_t mode)
{
    count("mkdirat", path);
    return (int)syscall(SYS_mkdirat, folder, path, mode);
}

int rename(const char *from, const char *to)
{
    count("rename", to);
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int mkstemp64(char *path)
{
    const size_t length = strlen(path);
    count("mkstemp", path);
    memcpy(path + length - 6, "killed", 6); /* one run, one name */
    return (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL, 0600);
}

int openat64(int folder, const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if ((flags & O_CREAT) != 0) {
        count("openat", path);
    }
    return (int)syscall(SYS_openat, folder, path, flags, mode);
}
