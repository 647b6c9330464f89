/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_files.c - for LD_PRELOAD: what a program does to files, in order, with every byte.
 *
 * TRACE_LOG names the file that gets one line for each call that succeeded:
 *
 *     entry INODE PATH        a name leads to a file from now on: made, linked or renamed
 *     gone PATH               a name does not any more
 *     write INODE OFFSET HEX
 *     cut INODE SIZE
 *     sync INODE              of a file, or of a folder
 *     folder INODE PATH       it was made, or is first seen
 */
#define _GNU_SOURCE /* O_TMPFILE, syscall() */
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, PART_BYTES = 1024 };

/* ---- Saying ---------------------------------------------------------------------------------- */

static long open_log(void)
{
    const char *path = getenv("TRACE_LOG");
    return path ? syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC,
                          0600)
                : -1;
}

static void put(long log, const char *text, size_t size)
{
    if (log >= 0) {
        (void)!syscall(SYS_write, log, text, size);
    }
}

static void say(const char *line)
{
    const long log = open_log();
    put(log, line, strlen(line));
    (void)syscall(SYS_close, log);
}

/* The path that a name has below a descriptor of a folder. */
static void whole(int folder, const char *name, char out[PATH_BYTES])
{
    char link[64];
    char base[PATH_BYTES / 2] = "";
    if (name[0] == '/') {
        (void)snprintf(out, PATH_BYTES, "%s", name);
        return;
    }
    (void)snprintf(link, sizeof(link), folder == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d",
                   folder);
    const ssize_t size = readlink(link, base, sizeof(base) - 1);
    base[size > 0 ? size : 0] = '\0';
    (void)snprintf(out, PATH_BYTES, "%s/%.2000s", base, name);
}

static void say_entry(int folder, const char *name)
{
    char path[PATH_BYTES];
    char line[PATH_BYTES + 64];
    struct stat info;
    whole(folder, name, path);
    if (lstat(path, &info) == 0) {
        (void)snprintf(line, sizeof(line), "%s %ju %s\n",
                       S_ISDIR(info.st_mode) ? "folder" : "entry", (uintmax_t)info.st_ino, path);
        say(line);
    }
}

static void say_gone(int folder, const char *name)
{
    char path[PATH_BYTES];
    char line[PATH_BYTES + 64];
    whole(folder, name, path);
    (void)snprintf(line, sizeof(line), "gone %s\n", path);
    say(line);
}

/* The inode of a file or a folder; 0 for everything else. */
static uintmax_t inode_of(int fd)
{
    struct stat info;
    return fstat(fd, &info) == 0 && (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)) ? info.st_ino
                                                                                     : 0;
}

static void say_write(int fd, const void *bytes, ssize_t size, off_t at)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *from = bytes;
    const uintmax_t inode = inode_of(fd);
    char text[2 * PART_BYTES];
    if (inode == 0 || size <= 0) {
        return;
    }
    const long log = open_log();
    const int head = snprintf(text, sizeof(text), "write %ju %jd ", inode, (intmax_t)at);
    put(log, text, (size_t)head);
    for (ssize_t i = 0; i < size; i += PART_BYTES) {
        const ssize_t part = size - i < PART_BYTES ? size - i : PART_BYTES;
        for (ssize_t j = 0; j < part; j++) {
            text[2 * j] = digits[from[i + j] >> 4];
            text[2 * j + 1] = digits[from[i + j] & 15];
        }
        put(log, text, (size_t)(2 * part));
    }
    put(log, "\n", 1);
    (void)syscall(SYS_close, log);
}

static void say_inode(const char *what, int fd, intmax_t number)
{
    char line[128];
    const uintmax_t inode = inode_of(fd);
    if (inode != 0) {
        (void)snprintf(line, sizeof(line), number < 0 ? "%s %ju\n" : "%s %ju %jd\n", what, inode,
                       number);
        say(line);
    }
}

/* ---- Calls ----------------------------------------------------------------------------------- */

ssize_t write(int fd, const void *bytes, size_t size)
{
    const off_t at =
        (fcntl(fd, F_GETFL) & O_APPEND) ? lseek(fd, 0, SEEK_END) : lseek(fd, 0, SEEK_CUR);
    const ssize_t done = syscall(SYS_write, fd, bytes, size);
    say_write(fd, bytes, done, at);
    return done;
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at)
{
    const ssize_t done = syscall(SYS_pwrite64, fd, bytes, size, at);
    say_write(fd, bytes, done, at);
    return done;
}

int ftruncate64(int fd, off64_t size)
{
    const int code = (int)syscall(SYS_ftruncate, fd, size);
    if (code == 0) {
        say_inode("cut", fd, size);
    }
    return code;
}

static int synced(int fd, int code)
{
    if (code == 0) {
        say_inode("sync", fd, -1);
    }
    return code;
}

int fsync(int fd)
{
    return synced(fd, (int)syscall(SYS_fsync, fd));
}

int fdatasync(int fd)
{
    return synced(fd, (int)syscall(SYS_fdatasync, fd));
}

static int opened(int folder, const char *path, int flags, mode_t mode)
{
    const int fd = (int)syscall(SYS_openat, folder, path, flags, mode);
    if (fd >= 0 && (flags & O_CREAT)) {
        say_entry(folder, path);
    }
    if (fd >= 0 && (flags & O_TRUNC)) {
        say_inode("cut", fd, 0);
    }
    return fd;
}

static mode_t mode_in(int flags, va_list arguments)
{
    return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, mode_t) : 0;
}

int open64(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_in(flags, arguments);
    va_end(arguments);
    return opened(AT_FDCWD, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_in(flags, arguments);
    va_end(arguments);
    return opened(folder, path, flags, mode);
}

int mkstemp64(char *path)
{
    static unsigned count;
    char *end = path + strlen(path) - 6;
    (void)snprintf(end, 7, "%03x%03x", (unsigned)getpid() & 0xfff, count++ & 0xfff);
    return opened(AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL, 0600);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    const int code = (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
    if (code == 0) {
        say_entry(to_folder, to);
    }
    return code;
}

int link(const char *from, const char *to)
{
    return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    const int code = (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, 0);
    if (code == 0) {
        say_entry(to_folder, to);
        say_gone(from_folder, from);
    }
    return code;
}

int rename(const char *from, const char *to)
{
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int unlinkat(int folder, const char *path, int flags)
{
    const int code = (int)syscall(SYS_unlinkat, folder, path, flags);
    if (code == 0) {
        say_gone(folder, path);
    }
    return code;
}

int unlink(const char *path)
{
    return unlinkat(AT_FDCWD, path, 0);
}

int mkdirat(int folder, const char *path, mode_t mode)
{
    const int code = (int)syscall(SYS_mkdirat, folder, path, mode);
    if (code == 0) {
        say_entry(folder, path);
    }
    return code;
}

int mkdir(const char *path, mode_t mode)
{
    return mkdirat(AT_FDCWD, path, mode);
}
