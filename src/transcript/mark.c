/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mark.c - where the reading of a transcript stopped, as bytes, and going on there.
 *
 * A mark is a version, the state of the reader and the state of the digest. It is read again by the
 * same program only: a version that is not known is like no mark at all.
 */
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/pack.h"
#include "transcript/reader.h"

enum {
    VERSION = 2,
    IS_PARTIAL = 1,
    IS_BEGUN = 2,
    HAS_PARENT_MARK = 4,
    IS_IN_HISTORY = 8,
    IS_OPEN = 16, /* the last line had no line feed yet */
};

/* Read exactly these bytes of the file. BT_ENOENT: it ends before. */
static enum bt_status read_bytes(int fd, uint64_t offset, char *out, size_t size)
{
    size_t done = 0;
    while (done < size) {
        const ssize_t count = pread(fd, out + done, size - done, (off_t)(offset + done));
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return count < 0 ? BT_EIO : BT_ENOENT;
        }
        done += (size_t)count;
    }
    return BT_OK;
}

enum bt_status bt_transcript_identify(const struct bt_transcript_reader *reader, uint64_t offset,
                                      struct bt_transcript_file *out)
{
    assert(reader);
    assert(out);
    struct stat about;
    struct bt_transcript_file file = {.last_size = sizeof(file.last)};
    if (reader->lines.unpacker || fstat(reader->lines.fd, &about) != 0) {
        return BT_EIO;
    }
    if ((uint64_t)about.st_size < offset) {
        return BT_ENOENT;
    }
    file.device = (uint64_t)about.st_dev;
    file.inode = (uint64_t)about.st_ino;
    file.last_size = offset < sizeof(file.last) ? (size_t)offset : sizeof(file.last);
    BT_TRY(
        read_bytes(reader->lines.fd, offset - file.last_size, (char *)file.last, file.last_size));
    *out = file;
    return BT_OK;
}

void bt_transcript_set_from(struct bt_transcript_reader *reader, uint64_t from)
{
    assert(reader);
    assert(reader->state.lines == 0);
    reader->state.from = from;
}

enum bt_status bt_transcript_put_mark(const struct bt_transcript_reader *reader, bool begins_slice,
                                      struct bt_buf *buf)
{
    assert(reader);
    assert(!reader->has_no_hash);
    const struct bt_transcript_state *state = &reader->state;
    const struct bt_transcript_codex *codex = &reader->codex;
    uint8_t saved[BT_SHA256_SAVED_BYTES];
    struct bt_sha256_state fresh;
    BT_TRY(bt_sha256_begin(&fresh));
    bt_sha256_save(begins_slice ? &fresh : &reader->hash, saved);
    bt_pack_u64(buf, VERSION);
    bt_pack_u64(buf, state->format);
    bt_pack_u64(buf, (state->is_partial ? IS_PARTIAL : 0) | (reader->is_begun ? IS_BEGUN : 0) |
                         (state->has_parent_mark ? HAS_PARENT_MARK : 0) |
                         (codex->is_in_history ? IS_IN_HISTORY : 0) |
                         (reader->is_open ? IS_OPEN : 0));
    bt_pack_u64(buf, begins_slice ? state->to : state->from);
    bt_pack_u64(buf, state->to);
    bt_pack_u64(buf, state->lines);
    bt_pack_u64(buf, state->skipped);
    bt_pack_text(buf, state->own_agent);
    bt_pack_text(buf, codex->first_id);
    bt_pack_text(buf, state->parent);
    bt_pack_text(buf, codex->model);
    bt_pack_u64(buf, codex->start_ordinal);
    bt_buf_put(buf, (bt_str){(const char *)saved, sizeof(saved)});
    bt_pack_u64(buf, state->agent_count);
    for (size_t i = 0; i < state->agent_count; i++) {
        bt_pack_text(buf, state->agents[i]);
    }
    return buf->status;
}

/* Take the names of a mark, which live as long as the reader. */
static enum bt_status take_names(struct bt_transcript_reader *reader, struct bt_unpack *from,
                                 bt_str own_agent)
{
    const uint64_t count = bt_unpack_u64(from);
    for (uint64_t i = 0; i < count && !from->is_broken; i++) {
        bt_str name;
        BT_TRY(bt_transcript_add_agent(reader, bt_unpack_text(from), &name));
    }
    return bt_transcript_keep_name(reader, own_agent, &reader->state.own_agent);
}

enum bt_status bt_transcript_resume(struct bt_transcript_reader *reader, bt_str mark)
{
    assert(reader);
    assert(reader->state.lines == 0);
    struct bt_unpack from = {mark, false};
    struct bt_transcript_state *state = &reader->state;
    struct bt_transcript_codex *codex = &reader->codex;
    const uint64_t version = bt_unpack_u64(&from);
    const uint64_t format = bt_unpack_u64(&from);
    const uint64_t flags = bt_unpack_u64(&from);
    state->from = bt_unpack_u64(&from);
    state->to = bt_unpack_u64(&from);
    state->lines = bt_unpack_u64(&from);
    state->skipped = bt_unpack_u64(&from);
    const bt_str own_agent = bt_unpack_text(&from);
    const bt_str first_id = bt_unpack_text(&from);
    const bt_str parent = bt_unpack_text(&from);
    const bt_str model = bt_unpack_text(&from);
    codex->start_ordinal = bt_unpack_u64(&from);
    const bt_str saved = bt_unpack_bytes(&from, BT_SHA256_SAVED_BYTES);
    if (from.is_broken || version != VERSION || format > BT_TRANSCRIPT_CODEX) {
        return BT_ECORRUPT;
    }
    state->format = (enum bt_transcript_format)format;
    state->is_partial = (flags & IS_PARTIAL) != 0;
    state->has_parent_mark = (flags & HAS_PARENT_MARK) != 0;
    reader->is_open = (flags & IS_OPEN) != 0;
    reader->is_begun = (flags & IS_BEGUN) != 0;
    codex->is_in_history = (flags & IS_IN_HISTORY) != 0;
    BT_TRY(take_names(reader, &from, own_agent));
    BT_TRY(bt_arena_copy(&reader->kept, first_id, &codex->first_id));
    BT_TRY(bt_arena_copy(&reader->kept, parent, &state->parent));
    state->thread = codex->first_id;
    BT_TRY(bt_transcript_keep_name(reader, model, &codex->model));
    BT_TRY(bt_sha256_restore((const uint8_t *)saved.ptr, &reader->hash));
    BT_TRY(bt_transcript_lines_seek(&reader->lines, state->to));
    return from.is_broken ? BT_ECORRUPT : BT_OK;
}

uint64_t bt_transcript_mark_from(bt_str mark)
{
    struct bt_unpack from = {mark, false};
    const uint64_t version = bt_unpack_u64(&from);
    (void)bt_unpack_u64(&from); /* format */
    (void)bt_unpack_u64(&from); /* flags */
    const uint64_t offset = bt_unpack_u64(&from);
    return version == VERSION && !from.is_broken ? offset : 0;
}

enum bt_status bt_transcript_copy(struct bt_transcript_reader *reader, uint64_t from, uint64_t to,
                                  struct bt_buf *buf)
{
    assert(reader);
    assert(from <= to);
    struct bt_transcript_lines *lines = &reader->lines;
    struct bt_transcript_line line = {.end = 0};
    /* The lines of a compressed file come from its start. */
    BT_TRY(bt_transcript_lines_seek(lines, lines->unpacker ? 0 : from));
    while (lines->offset < to) {
        const enum bt_status status = bt_transcript_lines_next(lines, &line);
        if (status != BT_OK || line.end > to) {
            return status == BT_OK || status == BT_ENOENT ? BT_EIO : status;
        }
        if (line.offset >= from) {
            bt_buf_put(buf, (bt_str){line.text.ptr, (size_t)(line.end - line.offset)});
        }
    }
    return buf->status;
}
