/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines.c - the lines of a file that may be compressed and may still grow.
 *
 * One buffer holds the bytes from the present line on. It is as large as the longest line and one
 * read; a line beyond the limit ends the reading.
 */
#define _POSIX_C_SOURCE 200809L
#include "transcript/lines.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zstd.h>

#include "base/clock.h"
#include "base/error.h"
#include "transcript/transcript.h"

enum { READ_BYTES = 256 << 10 };
static const uint64_t UNPACKED_BYTES_MAX = UINT64_C(8) << 30;

static enum bt_status check_file(int fd, bool owned_only, struct bt_error *error)
{
    struct stat about;
    if (fstat(fd, &about) != 0) {
        return bt_error_set(error, BT_EIO, "%s", strerror(errno));
    }
    if (!S_ISREG(about.st_mode)) {
        return bt_error_set(error, BT_EDENIED, "not a regular file");
    }
    if (owned_only && about.st_uid != geteuid()) {
        return bt_error_set(error, BT_EDENIED, "a file of another user");
    }
    return BT_OK;
}

static enum bt_status start_unpacking(struct bt_transcript_lines *lines)
{
    lines->unpacker = ZSTD_createDCtx();
    return lines->unpacker ? BT_OK : BT_ENOMEM;
}

enum bt_status bt_transcript_lines_open(bt_str path, bool owned_only,
                                        struct bt_transcript_lines *out, struct bt_error *error)
{
    assert(out);
    char name[4096];
    if (path.len == 0 || path.len >= sizeof(name) || memchr(path.ptr, '\0', path.len)) {
        return bt_error_set(error, BT_ENOENT, "not the name of a file");
    }
    memcpy(name, path.ptr, path.len);
    name[path.len] = '\0';
    struct bt_transcript_lines lines = {
        .fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
    if (lines.fd < 0) {
        const enum bt_status status = errno == ENOENT || errno == ENOTDIR ? BT_ENOENT : BT_EDENIED;
        return bt_error_set(error, status, "%s", strerror(errno));
    }
    bt_buf_init(&lines.packed, READ_BYTES);
    bt_buf_init(&lines.buf, (size_t)BT_TRANSCRIPT_LINE_BYTES_MAX + 2 * READ_BYTES);
    enum bt_status status = check_file(lines.fd, owned_only, error);
    if (status == BT_OK && bt_str_ends_with(path, BT_STR(".zst"))) {
        status = start_unpacking(&lines);
    }
    if (status != BT_OK) {
        bt_transcript_lines_close(&lines);
        return status;
    }
    *out = lines;
    return BT_OK;
}

void bt_transcript_lines_close(struct bt_transcript_lines *lines)
{
    assert(lines);
    (void)close(lines->fd);
    (void)ZSTD_freeDCtx(lines->unpacker);
    bt_buf_free(&lines->packed);
    bt_buf_free(&lines->buf);
}

enum bt_status bt_transcript_lines_seek(struct bt_transcript_lines *lines, uint64_t offset)
{
    assert(lines);
    if ((lines->unpacker && offset > 0) || offset > INT64_MAX ||
        lseek(lines->fd, (off_t)offset, SEEK_SET) != (off_t)offset) {
        return BT_EIO;
    }
    if (lines->unpacker) {
        (void)ZSTD_DCtx_reset(lines->unpacker, ZSTD_reset_session_only);
    }
    bt_buf_clear(&lines->buf);
    bt_buf_clear(&lines->packed);
    lines->packed_used = 0;
    lines->used = 0;
    lines->offset = offset;
    lines->read = offset;
    lines->is_ended = false;
    lines->is_partial = false;
    return BT_OK;
}

/* Read bytes of the file; *out_size is 0 at its end. */
static enum bt_status read_file(struct bt_transcript_lines *lines, char *out, size_t room,
                                size_t *out_size)
{
    ssize_t count = -1;
    do {
        count = read(lines->fd, out, room);
    } while (count < 0 && errno == EINTR);
    if (count < 0) {
        return BT_EIO;
    }
    lines->read += (uint64_t)count;
    *out_size = (size_t)count;
    return BT_OK;
}

static enum bt_status unpack_bytes(struct bt_transcript_lines *lines, char *out, size_t room,
                                   size_t *out_size)
{
    ZSTD_outBuffer to = {out, room, 0};
    while (to.pos == 0) {
        if (lines->packed_used == lines->packed.len) {
            bt_buf_clear(&lines->packed);
            lines->packed_used = 0;
            char *in = bt_buf_reserve(&lines->packed, READ_BYTES);
            BT_TRY(in ? BT_OK : lines->packed.status);
            BT_TRY(read_file(lines, in, READ_BYTES, &lines->packed.len));
            if (lines->packed.len == 0) {
                break;
            }
        }
        ZSTD_inBuffer from = {lines->packed.ptr, lines->packed.len, lines->packed_used};
        if (ZSTD_isError(ZSTD_decompressStream(lines->unpacker, &to, &from))) {
            return BT_EIO;
        }
        lines->packed_used = from.pos;
    }
    *out_size = to.pos;
    return BT_OK;
}

/* Whether the file has become shorter than what was read of it. */
static bool has_shrunk(const struct bt_transcript_lines *lines)
{
    struct stat about;
    return fstat(lines->fd, &about) != 0 || (uint64_t)about.st_size < lines->read;
}

/* Read more bytes behind those of the buffer. */
static enum bt_status fill_buffer(struct bt_transcript_lines *lines)
{
    const size_t left = lines->buf.len - lines->used;
    if (lines->deadline_ms > 0 && bt_clock_monotonic_ms() > lines->deadline_ms) {
        return BT_ELIMIT;
    }
    if (lines->used > 0) {
        memmove(lines->buf.ptr, lines->buf.ptr + lines->used, left);
        lines->buf.len = left;
        lines->used = 0;
    }
    char *room = bt_buf_reserve(&lines->buf, READ_BYTES);
    size_t size = 0;
    if (!room) {
        return lines->buf.status;
    }
    BT_TRY(lines->unpacker ? unpack_bytes(lines, room, READ_BYTES, &size)
                           : read_file(lines, room, READ_BYTES, &size));
    lines->buf.len += size;
    lines->is_ended = size == 0;
    lines->is_partial = lines->is_partial || (size == 0 && has_shrunk(lines)) ||
                        lines->offset + lines->buf.len > UNPACKED_BYTES_MAX;
    return BT_OK;
}

enum bt_status bt_transcript_lines_next(struct bt_transcript_lines *lines,
                                        struct bt_transcript_line *out)
{
    assert(lines);
    assert(out);
    const char *feed = NULL;
    for (size_t from = lines->used; !feed;) {
        const size_t seen = lines->buf.len - lines->used;
        feed = lines->buf.len > from ? memchr(lines->buf.ptr + from, '\n', lines->buf.len - from)
                                     : NULL;
        if (feed || lines->is_ended) {
            break;
        }
        if (seen > BT_TRANSCRIPT_LINE_BYTES_MAX || lines->is_partial) {
            lines->is_partial = true;
            return BT_ENOENT;
        }
        BT_TRY(fill_buffer(lines));
        from = lines->used + seen;
    }
    const size_t end = feed ? (size_t)(feed - lines->buf.ptr) : lines->buf.len;
    if (lines->used == lines->buf.len) {
        return BT_ENOENT;
    }
    const size_t size = end - lines->used;
    if (size > BT_TRANSCRIPT_LINE_BYTES_MAX) {
        lines->is_partial = true;
        return BT_ENOENT;
    }
    *out = (struct bt_transcript_line){.text = {lines->buf.ptr + lines->used, size},
                                       .offset = lines->offset,
                                       .end = lines->offset + size + (feed ? 1 : 0),
                                       .has_feed = feed != NULL};
    lines->used = end + (feed ? 1 : 0);
    lines->offset = out->end;
    return BT_OK;
}
