/* SPDX-License-Identifier: Apache-2.0 */
/* lines.h - the lines of a file that may be compressed and may still grow. */
#ifndef BATON_SRC_TRANSCRIPT_LINES_H
#define BATON_SRC_TRANSCRIPT_LINES_H

#include <baton/base.h>

#include "base/buf.h"

struct bt_transcript_lines {
    int fd;
    struct ZSTD_DCtx_s *unpacker; /* NULL: the file is not compressed */
    struct bt_buf packed;         /* bytes that are not yet decompressed, from packed_used on */
    size_t packed_used;
    struct bt_buf buf; /* decompressed bytes that are not yet returned, from `used` on */
    size_t used;
    uint64_t offset;      /* of buf.ptr[used] in the decompressed file */
    uint64_t read;        /* bytes of the file */
    uint64_t deadline_ms; /* of bt_clock_monotonic_ms(); 0: none */
    bool is_ended;        /* nothing follows for now */
    bool is_partial;      /* a line was too long, or the file became shorter */
};

struct bt_transcript_line {
    bt_str text; /* without its line feed; lives until the next line is read */
    uint64_t offset;
    uint64_t end;  /* the offset behind its line feed */
    bool has_feed; /* false: the last line, which may not be complete */
};

/* Open a regular file. Statuses as for bt_transcript_open(). */
BT_MUST_USE enum bt_status bt_transcript_lines_open(bt_str path, bool owned_only,
                                                    struct bt_transcript_lines *out,
                                                    struct bt_error *error);
void bt_transcript_lines_close(struct bt_transcript_lines *lines);
/* Go to a byte where a line begins; a compressed file only goes to its first. BT_EIO: it cannot. */
BT_MUST_USE enum bt_status bt_transcript_lines_seek(struct bt_transcript_lines *lines,
                                                    uint64_t offset);
/* The next line. BT_ENOENT: the file has ended. BT_ELIMIT: the time is over. BT_EIO, BT_ENOMEM:
 * reading failed. */
BT_MUST_USE enum bt_status bt_transcript_lines_next(struct bt_transcript_lines *lines,
                                                    struct bt_transcript_line *out);

#endif
