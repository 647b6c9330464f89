/* SPDX-License-Identifier: Apache-2.0 */
/*
 * append.c - one event to the end of a log: lock, one write, fsync.
 *
 * The lock is flock(2), which belongs to the open file and so excludes other threads as well as
 * other processes. It guards the look at the last byte and the taking back of a write that failed;
 * writers that know nothing of it are still kept apart by O_APPEND and the single write.
 */
#include "trace/trace.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "trace/trace_set.h"

enum {
    OPEN_FLAGS = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW,
    LOG_MODE = 0600, /* it tells who worked on what */
};

static enum bt_status fail_errno(struct bt_error *error, int number)
{
    switch (number) {
    case ENOENT:
    case ENOTDIR:
        return bt_error_set(error, BT_ENOENT, "%s", strerror(number));
    case ELOOP:
        return bt_error_set(error, BT_EDENIED, "it is a symbolic link");
    case ENXIO:
    case EISDIR:
        return bt_error_set(error, BT_EDENIED, "it is not a regular file");
    case EACCES:
    case EPERM:
    case EROFS:
        return bt_error_set(error, BT_EDENIED, "%s", strerror(number));
    default:
        return bt_error_set(error, BT_EIO, "%s", strerror(number));
    }
}

static enum bt_status lock_file(int fd, uint32_t wait_ms_max, struct bt_error *error)
{
    if (bt_fd_lock(fd, wait_ms_max)) {
        return BT_OK;
    }
    return errno == EWOULDBLOCK ? bt_error_set(error, BT_ELIMIT, "another process holds its lock")
                                : fail_errno(error, errno);
}

/* Whether the last line lacks its line feed. */
static enum bt_status is_torn(int fd, off_t size, bool *out, struct bt_error *error)
{
    char last = '\n';
    if (size > 0) {
        const ssize_t count = pread(fd, &last, 1, size - 1);
        if (count != 1) {
            return count < 0 ? fail_errno(error, errno)
                             : bt_error_set(error, BT_EIO, "it became shorter meanwhile");
        }
    }
    *out = last != '\n';
    return BT_OK;
}

/* Take back what a failed write left, unless another process has written after it. */
static void take_back(int fd, off_t size, ssize_t written)
{
    struct stat info;
    if (written > 0 && fstat(fd, &info) == 0 && info.st_size == size + written) {
        /* Should it fail too, the line stays torn, and the next one who appends ends it. */
        const int ignored = ftruncate(fd, size);
        (void)ignored;
    }
}

static enum bt_status write_line(int fd, off_t size, bt_str line, struct bt_error *error)
{
    ssize_t written = -1;
    do {
        written = write(fd, line.ptr, line.len);
    } while (written < 0 && errno == EINTR);
    if (written != (ssize_t)line.len) {
        const int number = written < 0 ? errno : ENOSPC;
        take_back(fd, size, written);
        return fail_errno(error, number);
    }
    if (fsync(fd) != 0) {
        const int number = errno;
        take_back(fd, size, written);
        return fail_errno(error, number);
    }
    return BT_OK;
}

/* Make the name of a new log durable as well. */
static enum bt_status sync_folder(const char *path, struct bt_error *error)
{
    char folder[PATH_MAX] = ".";
    const char *slash = strrchr(path, '/');
    if (slash) {
        const size_t length = slash == path ? 1 : (size_t)(slash - path);
        memcpy(folder, path, length);
        folder[length] = '\0';
    }
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        /* A folder that may be written to but not read cannot be synced; the line itself is. */
        return errno == EACCES ? BT_OK : fail_errno(error, errno);
    }
    const bool synced = fsync(fd) == 0;
    const int number = errno;
    (void)close(fd);
    return synced ? BT_OK : fail_errno(error, number);
}

/* `line` begins with a line feed, which is left out unless the last line is torn. */
static enum bt_status append_line(int fd, const char *path, bt_str line, uint32_t wait_ms_max,
                                  struct bt_error *error)
{
    struct stat info;
    bool torn = false;
    if (fstat(fd, &info) != 0) {
        return fail_errno(error, errno);
    }
    if (!S_ISREG(info.st_mode)) {
        return bt_error_set(error, BT_EDENIED, "it is not a regular file");
    }
    BT_TRY(lock_file(fd, wait_ms_max, error));
    if (fstat(fd, &info) != 0) {
        return fail_errno(error, errno);
    }
    if (info.st_nlink == 0) { /* a line in it would be lost with it */
        return bt_error_set(error, BT_EIO, "it was removed meanwhile");
    }
    BT_TRY(is_torn(fd, info.st_size, &torn, error));
    BT_TRY(write_line(fd, info.st_size, bt_str_slice(line, torn ? 0 : 1, line.len), error));
    return info.st_size == 0 ? sync_folder(path, error) : BT_OK;
}

static enum bt_status open_and_append(bt_str path, bt_str line, uint32_t wait_ms_max,
                                      struct bt_error *error)
{
    char name[PATH_MAX];
    if (path.len == 0 || path.len >= sizeof(name) || memchr(path.ptr, '\0', path.len)) {
        return bt_error_set(error, BT_EINVAL, "it is not a path");
    }
    memcpy(name, path.ptr, path.len);
    name[path.len] = '\0';
    const int fd = open(name, OPEN_FLAGS, LOG_MODE);
    if (fd < 0) {
        return fail_errno(error, errno);
    }
    enum bt_status status = append_line(fd, name, line, wait_ms_max, error);
    if (close(fd) != 0 && status == BT_OK) { /* which also lets go of the lock */
        status = fail_errno(error, errno);
    }
    return status;
}

enum bt_status bt_trace_append(bt_str path, const struct bt_trace_event *event,
                               uint32_t wait_ms_max, struct bt_error *error)
{
    assert(event);
    char at[BT_INSTANT_TEXT_BYTES];
    if (event->trace_id.len == 0) {
        return bt_error_set(error, BT_EINVAL, "the event has no trace_id");
    }
    if (event->workflow.len == 0) {
        return bt_error_set(error, BT_EINVAL, "the event has no workflow");
    }
    if (event->type == BT_TRACE_EVENT_UNKNOWN || event->type >= BT_TRACE_EVENT__MAX) {
        return bt_error_set(error, BT_EINVAL, "the event has no type");
    }
    if (!bt_timestamp_format(event->at, at)) {
        return bt_error_set(error, BT_EINVAL, "the event's time cannot be written");
    }
    struct bt_buf line;
    bt_buf_init(&line, BT_TRACE_LINE_BYTES_MAX + 2);
    bt_buf_put_char(&line, '\n');
    bt_trace_event_put(&line, event, at);
    bt_buf_put_char(&line, '\n');
    enum bt_status status = line.status;
    if (status == BT_OK) {
        status = open_and_append(path, bt_buf_str(&line), wait_ms_max, error);
    } else {
        (void)bt_error_set(error, status, "%s",
                           status == BT_ELIMIT ? "the event is too long" : bt_status_text(status));
    }
    bt_buf_free(&line);
    return status;
}
