/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file.c - bounded reads, reads beneath a root, and atomic replacement.
 *
 * Files are opened without blocking and without becoming a controlling terminal, and only then
 * asked what they are: a FIFO, socket, device or directory is refused before a byte is read.
 */
#include "base/build_options.h"
#if !BT_POSIX_ONLY
#define _GNU_SOURCE /* O_PATH */
#endif
#include "base/file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/dir.h"
#include "base/error.h"
#include "base/hash.h"

enum {
    READ_FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
    READ_BYTES_FIRST = 16 * 1024,
/* To ask what something is, without reading it where that can be said. */
#if BT_POSIX_ONLY
    KIND_FLAGS = READ_FLAGS,
#else
    KIND_FLAGS = O_PATH | O_CLOEXEC,
#endif
};

static enum bt_status status_of_errno(int number)
{
    switch (number) {
    case ENOENT:
    case ENOTDIR:
        return BT_ENOENT;
    case EACCES:
    case EPERM:
    case ELOOP:
    case EXDEV:
    case EISDIR:
    case ENXIO:
        return BT_EDENIED;
    case ENOMEM:
        return BT_ENOMEM;
    default:
        return BT_EIO;
    }
}

static enum bt_status fail_errno(struct bt_error *error, int number)
{
    /* A socket cannot even be opened. */
    const char *reason = number == ENXIO ? "it is not a regular file" : strerror(number);
    return bt_error_set(error, status_of_errno(number), "%s", reason);
}

enum bt_status bt_path_to_cstr(bt_str path, char out[PATH_MAX], struct bt_error *error)
{
    if (path.len == 0) {
        return bt_error_set(error, BT_EINVAL, "the path is empty");
    }
    if (path.len >= PATH_MAX) {
        return bt_error_set(error, BT_EINVAL, "the path is longer than %d bytes", PATH_MAX - 1);
    }
    if (memchr(path.ptr, '\0', path.len)) {
        return bt_error_set(error, BT_EINVAL, "the path holds a NUL byte");
    }
    memcpy(out, path.ptr, path.len);
    out[path.len] = '\0';
    return BT_OK;
}

/* Read until the end or `max` bytes, whichever comes first. */
static enum bt_status read_up_to(int fd, size_t max, struct bt_buf *buf, struct bt_error *error)
{
    size_t step = READ_BYTES_FIRST;
    while (buf->len < max) {
        const size_t left = max - buf->len;
        char *room = bt_buf_reserve(buf, step < left ? step : left);
        if (!room) {
            return bt_error_set(error, buf->status, "%s", bt_status_text(buf->status));
        }
        const ssize_t count = read(fd, room, step < left ? step : left);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            return bt_error_errno(error, NULL, NULL);
        }
        if (count == 0) {
            break;
        }
        buf->len += (size_t)count;
        step = (size_t)count == step ? step * 2 : step;
    }
    return BT_OK;
}

enum bt_status bt_fd_read(struct bt_arena *arena, int fd, uint64_t max_bytes, bt_str *out,
                          struct bt_error *error)
{
    assert(arena);
    assert(out);
    if (max_bytes >= SIZE_MAX / 2) {
        return bt_error_set(error, BT_EINVAL, "the limit is too large");
    }
    struct bt_buf buf;
    bt_buf_init(&buf, (size_t)max_bytes + 1);
    enum bt_status status = read_up_to(fd, (size_t)max_bytes + 1, &buf, error);
    if (status == BT_OK) {
        status = bt_buf_copy(&buf, arena, out);
        if (status != BT_OK) {
            (void)bt_error_set(error, status, "%s", bt_status_text(status));
        }
    }
    bt_buf_free(&buf);
    return status;
}

/* Refuse what is not a regular file before a byte is read. */
static enum bt_status check_regular(int fd, struct bt_error *error)
{
    struct stat info;
    if (fstat(fd, &info) != 0) {
        return bt_error_errno(error, NULL, NULL);
    }
    if (S_ISDIR(info.st_mode)) {
        return bt_error_set(error, BT_EDENIED, "it is a folder");
    }
    if (!S_ISREG(info.st_mode)) {
        return bt_error_set(error, BT_EDENIED, "it is not a regular file");
    }
    return BT_OK;
}

static enum bt_status read_and_close(struct bt_arena *arena, int fd, uint64_t max_bytes,
                                     bt_str *out, struct bt_error *error)
{
    enum bt_status status = check_regular(fd, error);
    if (status == BT_OK) {
        status = bt_fd_read(arena, fd, max_bytes, out, error);
    }
    (void)close(fd); /* opened for reading: nothing can be lost */
    return status;
}

enum bt_status bt_file_read(struct bt_arena *arena, bt_str path, uint64_t max_bytes, bt_str *out,
                            struct bt_error *error)
{
    assert(arena);
    assert(out);
    char name[PATH_MAX];
    BT_TRY(bt_path_to_cstr(path, name, error));
    const int fd = open(name, READ_FLAGS);
    if (fd < 0) {
        return fail_errno(error, errno);
    }
    return read_and_close(arena, fd, max_bytes, out, error);
}

enum bt_status bt_fd_digest(int fd, uint64_t bytes_max, struct bt_file_digest *out,
                            struct bt_error *error)
{
    assert(out);
    const enum bt_status status = bt_sha256_fd(fd, bytes_max, out->sha256, &out->size);
    if (status != BT_OK) {
        return bt_error_set(error, status, "%s", bt_status_text(status));
    }
    out->is_truncated = out->size > bytes_max;
    out->size -= out->is_truncated;
    return BT_OK;
}

enum bt_status bt_file_digest(bt_str path, uint64_t bytes_max, struct bt_file_digest *out,
                              struct bt_error *error)
{
    char name[PATH_MAX];
    BT_TRY(bt_path_to_cstr(path, name, error));
    const int fd = open(name, READ_FLAGS);
    if (fd < 0) {
        return fail_errno(error, errno);
    }
    enum bt_status status = check_regular(fd, error);
    if (status == BT_OK) {
        status = bt_fd_digest(fd, bytes_max, out, error);
    }
    (void)close(fd); /* opened for reading: nothing can be lost */
    return status;
}

enum bt_status bt_dir_from_fd(int fd, struct bt_dir **out, struct bt_error *error)
{
    struct bt_dir *root = bt_handle_create(sizeof(*root));
    if (!root) {
        (void)close(fd);
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    *root = (struct bt_dir){.fd = fd};
    *out = root;
    return BT_OK;
}

enum bt_status bt_dir_open(bt_str path, struct bt_dir **out, struct bt_error *error)
{
    assert(out);
    char name[PATH_MAX];
    BT_TRY(bt_path_to_cstr(path, name, error));
    const int fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return fail_errno(error, errno);
    }
    return bt_dir_from_fd(fd, out, error);
}

void bt_dir_close(struct bt_dir *root)
{
    if (root) {
        if (!root->memory) {
            (void)close(root->fd);
        }
        bt_handle_destroy(root);
    }
}

/* Open one component without following a link. */
static int open_component(int folder, const char *name, int flags)
{
    return openat(folder, name, O_NOFOLLOW | flags);
}

int bt_dir_open_path(int root_fd, const char *path, int flags)
{
    int folder = root_fd;
    for (;;) {
        const size_t length = strcspn(path, "/");
        char name[NAME_MAX + 1];
        const bool is_up = length == 2 && path[0] == '.' && path[1] == '.';
        if (length == 0 || length > NAME_MAX || is_up) {
            errno = is_up ? EXDEV : ENOENT;
            break;
        }
        memcpy(name, path, length);
        name[length] = '\0';
        const bool is_last = path[length] == '\0';
        const int next =
            open_component(folder, name, is_last ? flags : O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (folder != root_fd) {
            const int kept = errno;
            (void)close(folder);
            errno = kept;
        }
        if (next < 0 || is_last) {
            return next;
        }
        folder = next;
        path += length + 1;
    }
    if (folder != root_fd) {
        const int kept = errno;
        (void)close(folder);
        errno = kept;
    }
    return -1;
}

/* Open what a relative path names beneath the root. */
static enum bt_status open_in_root(const struct bt_dir *root, bt_str path, int flags, int *out_fd,
                                   struct bt_error *error)
{
    char name[PATH_MAX];
    BT_TRY(bt_path_to_cstr(path, name, error));
    if (bt_str_starts_with(path, BT_STR("/"))) {
        return bt_error_set(error, BT_EDENIED, "the path is absolute");
    }
    const int fd = bt_dir_open_beneath(root->fd, name, flags, BT_DIR_LINKS_OF_DEVICE);
    if (fd < 0) {
        return fail_errno(error, errno);
    }
    *out_fd = fd;
    return BT_OK;
}

/* The status of a path below a folder in memory. */
static enum bt_status status_of_path(enum bt_path_error why, struct bt_error *error)
{
    switch (why) {
    case BT_PATH_OK:
        return BT_OK;
    case BT_PATH_NOT_FOUND:
        return bt_error_set(error, BT_ENOENT, "%s", strerror(ENOENT));
    case BT_PATH_NOT_REGULAR:
        return bt_error_set(error, BT_EDENIED, "it is not a regular file");
    case BT_PATH_OUTSIDE_DIR:
    case BT_PATH_LINK_LOOP:
        break;
    }
    return bt_error_set(error, BT_EDENIED, "%s", strerror(EXDEV));
}

enum bt_status bt_dir_read(const struct bt_dir *root, struct bt_arena *arena, bt_str path,
                           uint64_t max_bytes, bt_str *out, struct bt_error *error)
{
    assert(root);
    assert(arena);
    assert(out);
    int fd = -1;
    if (root->memory) {
        struct bt_dir_file file;
        BT_TRY(
            bt_memory_files_read(root->memory, root->below, arena, path, max_bytes, &file, error));
        BT_TRY(status_of_path(file.error, error));
        *out = file.content;
        return BT_OK;
    }
    BT_TRY(open_in_root(root, path, READ_FLAGS, &fd, error));
    return read_and_close(arena, fd, max_bytes, out, error);
}

static enum bt_file_kind kind_of(const struct stat *info)
{
    if (S_ISREG(info->st_mode)) {
        return BT_FILE_REGULAR;
    }
    return S_ISDIR(info->st_mode) ? BT_FILE_DIRECTORY : BT_FILE_SPECIAL;
}

enum bt_file_kind bt_file_kind_of(bt_str path)
{
    char name[PATH_MAX];
    struct stat info;
    const bool there = bt_path_to_cstr(path, name, NULL) == BT_OK && stat(name, &info) == 0;
    return there ? kind_of(&info) : BT_FILE_NONE;
}

enum bt_file_kind bt_dir_file_kind_of(const struct bt_dir *root, bt_str path)
{
    assert(root);
    int fd = -1;
    struct stat info;
    if (bt_str_starts_with(path, BT_STR("/"))) {
        return BT_OUTSIDE_ROOT;
    }
    if (root->memory) {
        struct bt_memory_entry entry;
        return bt_memory_files_find(root->memory, root->below, path, &entry, NULL) == BT_OK
                   ? entry.kind
                   : BT_FILE_NONE;
    }
    errno = 0;
    if (open_in_root(root, path, KIND_FLAGS, &fd, NULL) != BT_OK) {
        return errno == EXDEV ? BT_OUTSIDE_ROOT : BT_FILE_NONE;
    }
    const bool known = fstat(fd, &info) == 0;
    (void)close(fd);
    return known ? kind_of(&info) : BT_FILE_NONE;
}

enum bt_status bt_dir_file_sha256(const struct bt_dir *root, bt_str path,
                                  uint8_t out[BT_SHA256_BYTES], struct bt_error *error)
{
    assert(root);
    assert(out);
    int fd = -1;
    uint64_t size = 0;
    if (root->memory) {
        struct bt_memory_entry entry;
        BT_TRY(bt_memory_files_find(root->memory, root->below, path, &entry, error));
        BT_TRY(status_of_path(entry.error, error));
        return bt_sha256(entry.content, out);
    }
    BT_TRY(open_in_root(root, path, READ_FLAGS, &fd, error));
    enum bt_status status = check_regular(fd, error);
    if (status == BT_OK) {
        status = bt_sha256_fd(fd, UINT64_MAX, out, &size);
    }
    (void)close(fd); /* opened for reading: nothing can be lost */
    return status;
}
