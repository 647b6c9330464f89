/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_evidence.c - the reader of transcripts beside the JSON reader, on the same lines.
 *
 *     bench_evidence FILE ROUNDS
 *
 * Both take turns. The reader opens the file, makes every event and the digest of all bytes; the
 * JSON reader gets the same lines, read in the same portions, and makes a document of each.
 * Processor time counts, and the best round of each.
 */
#include <stdio.h>
#include <stdlib.h>

#include <baton/json.h>

#include "base/arena.h"
#include "json/options.h"
#include "measure.h"
#include "transcript/lines.h"
#include "transcript/transcript.h"

enum { LINE_BYTES_MAX = 256 << 20 };

struct result {
    double seconds;
    uint64_t bytes;
    uint64_t lines;
    uint64_t events;
};

static struct result read_transcript(bt_str path)
{
    const struct bt_transcript_options options = {.owned_only = false};
    struct bt_transcript_reader *reader = NULL;
    struct bt_transcript_event event;
    struct result result = {.seconds = processor_s()};
    if (bt_transcript_open(path, &options, &reader, NULL) != BT_OK) {
        fail("cannot open", path.ptr);
    }
    do {
        if (bt_transcript_next(reader, &event) != BT_OK) {
            fail("cannot read", path.ptr);
        }
        result.events++;
    } while (event.kind != BT_TRANSCRIPT_END);
    result.bytes = bt_transcript_state(reader)->to;
    result.lines = bt_transcript_state(reader)->lines;
    bt_transcript_close(reader);
    result.seconds = processor_s() - result.seconds;
    return result;
}

static struct result read_json(bt_str path)
{
    struct bt_json_options options = bt_json_options_default();
    struct bt_transcript_lines lines;
    struct bt_transcript_line line;
    struct bt_arena arena;
    struct bt_arena scratch;
    struct result result = {.seconds = processor_s()};
    if (bt_transcript_lines_open(path, false, &lines, NULL) != BT_OK) {
        fail("cannot open", path.ptr);
    }
    bt_arena_init(&arena, LINE_BYTES_MAX);
    bt_arena_init(&scratch, LINE_BYTES_MAX);
    options.document_bytes_max = BT_TRANSCRIPT_LINE_BYTES_MAX;
    options.string_bytes_max = BT_TRANSCRIPT_LINE_BYTES_MAX;
    options.scratch = &scratch;
    while (bt_transcript_lines_next(&lines, &line) == BT_OK) {
        struct bt_json_read_result read = {0};
        bt_arena_reset(&arena);
        /* from: file */
        if (bt_json_read(&arena, line.text, &options, &read) != BT_OK || !read.document) {
            fail("not JSON", path.ptr);
        }
        result.bytes = line.end;
        result.lines++;
    }
    bt_arena_free(&arena);
    bt_arena_free(&scratch);
    bt_transcript_lines_close(&lines);
    result.seconds = processor_s() - result.seconds;
    return result;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fail("usage", "bench_evidence FILE ROUNDS");
    }
    const bt_str path = bt_str_of(argv[1]);
    struct result reader = {.seconds = 1e9};
    struct result json = {.seconds = 1e9};
    for (int round = atoi(argv[2]); round > 0; round--) {
        const struct result one = read_transcript(path);
        const struct result other = read_json(path);
        reader = one.seconds < reader.seconds ? one : reader;
        json = other.seconds < json.seconds ? other : json;
    }
    const double mega = (double)reader.bytes / 1e6;
    printf("%-36s %8.0f MB/s  (%.0f MB, %llu lines, %llu events)\n", "reader of transcripts",
           mega / reader.seconds, mega, (unsigned long long)reader.lines,
           (unsigned long long)reader.events);
    printf("%-36s %8.0f MB/s\n", "JSON reader, same lines", mega / json.seconds);
    printf("%-36s %8.2f\n", "ratio", json.seconds / reader.seconds);
    return 0;
}
