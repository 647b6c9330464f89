/* SPDX-License-Identifier: Apache-2.0 */
#include "scarce.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>
#include <openssl/crypto.h>

/* Tests alone may have such state. */
static struct scarce {
    enum scarce_sort sort;
    int countdown;
    int code;
    bool struck;
    sqlite3_mem_methods sqlite;
} scarce;

static bool strikes(enum scarce_sort sort)
{
    if (scarce.sort != sort || (scarce.struck && sort != SCARCE_LYING_FILES)) {
        return false;
    }
    if (scarce.countdown > 0) {
        scarce.countdown--;
        return false;
    }
    scarce.struck = true;
    return true;
}

void scarce_set(enum scarce_sort sort, int countdown, int code)
{
    scarce.countdown = countdown;
    scarce.code = code;
    scarce.struck = false;
    scarce.sort = sort;
}

bool scarce_end(void)
{
    scarce.sort = SCARCE_NOTHING;
    return scarce.struck;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_malloc(size_t size)
{
    return strikes(SCARCE_MEMORY) ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return strikes(SCARCE_MEMORY) ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return strikes(SCARCE_MEMORY) ? NULL : __real_realloc(memory, size);
}

static void *crypto_malloc(size_t size, const char *file, int line)
{
    (void)file;
    (void)line;
    return strikes(SCARCE_CRYPTO_MEMORY) ? NULL : __real_malloc(size);
}

static void *crypto_realloc(void *memory, size_t size, const char *file, int line)
{
    (void)file;
    (void)line;
    return strikes(SCARCE_CRYPTO_MEMORY) ? NULL : __real_realloc(memory, size);
}

static void crypto_free(void *memory, const char *file, int line)
{
    (void)file;
    (void)line;
    free(memory);
}

static void *sqlite_malloc(int size)
{
    return strikes(SCARCE_SQLITE_MEMORY) ? NULL : scarce.sqlite.xMalloc(size);
}

static void *sqlite_realloc(void *memory, int size)
{
    return strikes(SCARCE_SQLITE_MEMORY) ? NULL : scarce.sqlite.xRealloc(memory, size);
}

bool scarce_begin(void)
{
    if (CRYPTO_set_mem_functions(crypto_malloc, crypto_realloc, crypto_free) != 1 ||
        sqlite3_config(SQLITE_CONFIG_GETMALLOC, &scarce.sqlite) != SQLITE_OK) {
        return false;
    }
    sqlite3_mem_methods methods = scarce.sqlite;
    methods.xMalloc = sqlite_malloc;
    methods.xRealloc = sqlite_realloc;
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK;
}

/* ---- Files ----------------------------------------------------------------------------------- */

ssize_t __real_write(int fd, const void *bytes, size_t size);
int __real_fsync(int fd);
int __real_rename(const char *from, const char *to);
int __real_linkat(int from_fd, const char *from, int to_fd, const char *to, int flags);
int __real_mkdir(const char *path, mode_t mode);
int __real_mkdirat(int fd, const char *path, mode_t mode);
int __real_fchmod(int fd, mode_t mode);
ssize_t __wrap_write(int fd, const void *bytes, size_t size);
int __wrap_fsync(int fd);
int __wrap_rename(const char *from, const char *to);
int __wrap_linkat(int from_fd, const char *from, int to_fd, const char *to, int flags);
int __wrap_mkdir(const char *path, mode_t mode);
int __wrap_mkdirat(int fd, const char *path, mode_t mode);
int __wrap_fchmod(int fd, mode_t mode);

/* Whether this call fails; errno is set then. */
static bool fails(void)
{
    if (!strikes(SCARCE_FILES)) {
        return false;
    }
    errno = scarce.code;
    return true;
}

ssize_t __wrap_write(int fd, const void *bytes, size_t size)
{
    if (strikes(SCARCE_LYING_FILES)) {
        return (ssize_t)size;
    }
    if (strikes(SCARCE_HALF_FILES)) {
        scarce_set(SCARCE_FILES, 0, scarce.code); /* for the other half */
        scarce.struck = false;
        return __real_write(fd, bytes, size / 2);
    }
    return fails() ? -1 : __real_write(fd, bytes, size);
}

int __wrap_fsync(int fd)
{
    return fails() ? -1 : __real_fsync(fd);
}

int __wrap_rename(const char *from, const char *to)
{
    return fails() ? -1 : __real_rename(from, to);
}

int __wrap_linkat(int from_fd, const char *from, int to_fd, const char *to, int flags)
{
    return fails() ? -1 : __real_linkat(from_fd, from, to_fd, to, flags);
}

int __wrap_mkdir(const char *path, mode_t mode)
{
    return fails() ? -1 : __real_mkdir(path, mode);
}

int __wrap_mkdirat(int fd, const char *path, mode_t mode)
{
    return fails() ? -1 : __real_mkdirat(fd, path, mode);
}

int __wrap_fchmod(int fd, mode_t mode)
{
    return fails() ? -1 : __real_fchmod(fd, mode);
}
