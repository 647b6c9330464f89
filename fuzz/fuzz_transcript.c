/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_transcript.c - any bytes at all as the transcript of an agent host.
 *
 * Promises: reading ends, and its events belong to agents that the state names; a transcript that
 * is read in two parts gives the calls and the digest of one reading; and a byte that changes in a
 * line of another agent changes nothing about the calls of this one.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/str.h"
#include "evidence/index.h"
#include "fuzz.h"

enum { PATH_BYTES = 64 };

/* What one reading gives. */
struct reading {
    struct bt_transcript_reader *reader;
    struct bt_evidence_index index;
    struct bt_arena arena;
    struct bt_buf packed;
};

/* A file of these bytes; its name is put into `path`. */
static int make_file(bt_str bytes, char path[PATH_BYTES])
{
    const int fd = memfd_create("transcript", MFD_CLOEXEC);
    PROMISE(fd >= 0);
    PROMISE(write(fd, bytes.ptr, bytes.len) == (ssize_t)bytes.len);
    (void)snprintf(path, PATH_BYTES, "/proc/self/fd/%d", fd);
    return fd;
}

static void begin_reading(struct reading *reading, const char *path, const char *agent)
{
    const struct bt_transcript_options options = {.owned_only = true};
    const struct bt_evidence_index_options wanted = {.agent = bt_str_of(agent)};
    *reading = (struct reading){.reader = NULL};
    bt_arena_init(&reading->arena, FUZZ_ARENA_BYTES);
    bt_buf_init(&reading->packed, FUZZ_BUF_BYTES);
    bt_evidence_index_init(&reading->index, &reading->arena, &wanted);
    PROMISE(bt_transcript_open(bt_str_of(path), &options, &reading->reader, NULL) == BT_OK);
}

static void end_reading(struct reading *reading)
{
    bt_transcript_close(reading->reader);
    bt_evidence_index_free(&reading->index);
    bt_arena_free(&reading->arena);
    bt_buf_free(&reading->packed);
}

/* Read to the end. */
static void read_on(struct reading *reading)
{
    const struct bt_transcript_state *state = bt_transcript_state(reading->reader);
    struct bt_transcript_event event = {.kind = BT_TRANSCRIPT_CALL};
    while (event.kind != BT_TRANSCRIPT_END) {
        PROMISE(bt_transcript_next(reading->reader, &event) == BT_OK);
        PROMISE(event.kind == BT_TRANSCRIPT_END ||
                bt_str_index_in(event.agent, state->agents, state->agent_count) <
                    state->agent_count);
        PROMISE(event.kind == BT_TRANSCRIPT_END || event.offset < state->to);
        PROMISE(bt_evidence_index_add(&reading->index, state, &event) == BT_OK);
    }
    bt_buf_clear(&reading->packed);
    bt_evidence_index_pack(&reading->index, &reading->packed);
}

static void parts_give_the_whole(bt_str bytes, const struct reading *whole)
{
    char path[PATH_BYTES];
    struct reading first;
    struct reading second;
    struct bt_buf mark;
    const bt_str middle = bt_str_slice(bytes, bytes.len / 2, bytes.len);
    const size_t cut = bytes.len / 2 + bt_str_find_byte(middle, '\n', 0) + 1;
    if (cut >= bytes.len) {
        return; /* a line that is cut may be two lines */
    }
    const int fd = make_file(bt_str_slice(bytes, 0, cut), path);
    begin_reading(&first, path, "-");
    read_on(&first);
    if (bt_transcript_state(first.reader)->to == cut) { /* else it has ended, for good */
        bt_buf_init(&mark, FUZZ_BUF_BYTES);
        PROMISE(bt_transcript_put_mark(first.reader, false, &mark) == BT_OK);
        PROMISE(write(fd, bytes.ptr + cut, bytes.len - cut) == (ssize_t)(bytes.len - cut));
        begin_reading(&second, path, "-");
        PROMISE(bt_evidence_index_unpack(&second.index, bt_buf_str(&first.packed)) == BT_OK);
        PROMISE(bt_transcript_resume(second.reader, bt_buf_str(&mark)) == BT_OK);
        read_on(&second);
        const struct bt_transcript_state *a = bt_transcript_state(whole->reader);
        const struct bt_transcript_state *b = bt_transcript_state(second.reader);
        PROMISE(a->to == b->to && a->lines == b->lines && a->is_partial == b->is_partial);
        PROMISE(a->format == b->format && memcmp(a->sha256, b->sha256, sizeof(a->sha256)) == 0);
        PROMISE(bt_str_eq(bt_buf_str(&whole->packed), bt_buf_str(&second.packed)));
        end_reading(&second);
        bt_buf_free(&mark);
    }
    end_reading(&first);
    (void)close(fd);
}

/* Whether a line is the main agent's: one event of it is, in a file of Claude Code. */
static bool is_main_line(const char *path, uint64_t from, uint64_t to, bool *out_is_one)
{
    const struct bt_transcript_options options = {.owned_only = true};
    struct bt_transcript_reader *reader = NULL;
    struct bt_transcript_event event = {.kind = BT_TRANSCRIPT_CALL};
    bool is_main = false;
    PROMISE(bt_transcript_open(bt_str_of(path), &options, &reader, NULL) == BT_OK);
    while (event.kind != BT_TRANSCRIPT_END) {
        PROMISE(bt_transcript_next(reader, &event) == BT_OK);
        is_main = is_main || (event.kind != BT_TRANSCRIPT_END && event.offset >= from &&
                              event.offset < to && bt_str_eq(event.agent, BT_STR("-")));
    }
    const struct bt_transcript_state *state = bt_transcript_state(reader);
    *out_is_one = state->format == BT_TRANSCRIPT_CLAUDE && !state->is_partial &&
                  bt_str_eq(state->own_agent, BT_STR("-"));
    bt_transcript_close(reader);
    return is_main;
}

/* Change one byte of a line that is not the main agent's. */
static void other_lines_change_nothing(bt_str bytes, const struct reading *whole)
{
    char path[PATH_BYTES];
    bool is_one = false;
    char *changed = malloc(bytes.len + 1);
    PROMISE(changed);
    memcpy(changed, bytes.ptr, bytes.len);
    const size_t at = (size_t)(unsigned char)bytes.ptr[bytes.len - 1] * 31 % bytes.len;
    size_t from = at;
    while (from > 0 && changed[from - 1] != '\n') {
        from--;
    }
    const size_t to = bt_str_find_byte(bytes, '\n', at);
    changed[at] = changed[at] == '\n' ? '\n' : (char)(changed[at] ^ 1);
    int fd = make_file(bytes, path);
    const bool was_main = is_main_line(path, from, to, &is_one);
    const bool was_one = is_one;
    (void)close(fd);
    fd = make_file((bt_str){changed, bytes.len}, path);
    const bool is_main = is_main_line(path, from, to, &is_one);
    if (from > 0 && was_one && is_one && !was_main && !is_main) {
        struct reading again;
        begin_reading(&again, path, "-");
        read_on(&again);
        PROMISE(bt_str_eq(bt_buf_str(&whole->packed), bt_buf_str(&again.packed)));
        end_reading(&again);
    }
    (void)close(fd);
    free(changed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bt_str bytes = fuzz_text(data, size);
    char path[PATH_BYTES];
    struct reading whole;
    const int fd = make_file(bytes, path);
    begin_reading(&whole, path, "-");
    read_on(&whole);
    PROMISE(bt_transcript_state(whole.reader)->to <= size);
    if (size > 1) {
        parts_give_the_whole(bytes, &whole);
        other_lines_change_nothing(bytes, &whole);
    }
    end_reading(&whole);
    (void)close(fd);
    return 0;
}
