/* SPDX-License-Identifier: Apache-2.0 */
/* found.c - whether a file that a walk found is a document, and its content if it is. */
#include "found.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

static enum bt_status fail_errno(struct bt_error *error, int number)
{
    const enum bt_status status =
        number == ENOENT                                                            ? BT_ENOENT
        : number == EACCES || number == EPERM || number == ELOOP || number == ENXIO ? BT_EDENIED
                                                                                    : BT_EIO;
    return bt_error_set(error, status, "%s", strerror(number));
}

/* Read `size` bytes from an offset on, or fewer where the file ends before. */
static enum bt_status read_part(int fd, off_t from, size_t size, char *bytes, bt_str *out,
                                struct bt_error *error)
{
    size_t len = 0;
    while (len < size) { /* ends with the file, or when all was read */
        const ssize_t got = pread(fd, bytes + len, size - len, from + (off_t)len);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return fail_errno(error, errno);
        }
        if (got == 0) {
            break;
        }
        len += (size_t)got;
    }
    *out = (bt_str){bytes, len};
    return BT_OK;
}

static enum bt_status recognise_file(int fd, const struct check_found_file *file, off_t size,
                                     struct check_found_buffer *buffer, bt_str *out_head,
                                     struct check_found_result *out, struct bt_error *error)
{
    const size_t end = size < BT_RECOGNISE_BYTES ? (size_t)size : BT_RECOGNISE_BYTES;
    bt_str tail = BT_STR("");
    BT_TRY(read_part(fd, 0, end, buffer->head, out_head, error));
    if (size > BT_RECOGNISE_BYTES && bt_recognise_needs_end(file->name)) {
        BT_TRY(read_part(fd, size - (off_t)end, end, buffer->tail, &tail, error));
    }
    out->choice = bt_walk_choose(file->name, *out_head, tail, &out->dialect);
    return BT_OK;
}

static enum bt_status read_open(struct bt_arena *arena, int fd, const struct check_found_file *file,
                                struct check_found_buffer *buffer, uint64_t bytes_max,
                                struct check_found_result *out, struct bt_error *error)
{
    struct stat info;
    bt_str head = BT_STR("");
    if (fstat(fd, &info) != 0) {
        return fail_errno(error, errno);
    }
    if (!S_ISREG(info.st_mode)) {
        return bt_error_set(error, BT_EDENIED, "it is not a regular file");
    }
    if (file->dialect) {
        *out = (struct check_found_result){.choice = BT_WALK_JUDGE, .dialect = file->dialect};
    } else {
        BT_TRY(recognise_file(fd, file, info.st_size, buffer, &head, out, error));
    }
    if (!arena || out->choice != BT_WALK_JUDGE) {
        return BT_OK;
    }
    /* A buffer that is not full holds the whole file. */
    return !file->dialect && head.len < BT_RECOGNISE_BYTES && head.len <= bytes_max
               ? bt_arena_copy(arena, head, &out->content)
               : bt_fd_read(arena, fd, bytes_max, &out->content, error);
}

enum bt_status check_found_read(struct bt_arena *arena, const struct check_found_file *file,
                                struct check_found_buffer *buffer, uint64_t bytes_max,
                                struct check_found_result *out, struct bt_error *error)
{
    assert(file);
    assert(buffer);
    assert(out);
    *out = (struct check_found_result){.choice = BT_WALK_PASS, .content = BT_STR("")};
    if (!file->is_regular) {
        /* A special file is not opened. If its name calls it a document, that is a failure. */
        out->choice = file->dialect
                          ? BT_WALK_JUDGE
                          : bt_walk_choose(file->name, BT_STR(""), BT_STR(""), &out->dialect);
        return out->choice == BT_WALK_JUDGE
                   ? bt_error_set(error, BT_EDENIED, "it is not a regular file")
                   : BT_OK;
    }
    const int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        return fail_errno(error, errno);
    }
    const enum bt_status status = read_open(arena, fd, file, buffer, bytes_max, out, error);
    (void)close(fd); /* opened for reading: nothing can be lost */
    return status;
}
