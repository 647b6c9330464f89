/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transcript.h - read the transcript of an agent host: a file of JSON Lines that is still growing.
 *
 *     struct bt_transcript_reader *reader = NULL;
 *     BT_TRY(bt_transcript_open(path, &options, &reader, &error));
 *     struct bt_transcript_event event;
 *     do {
 *         status = bt_transcript_next(reader, &event);
 *         ...
 *     } while (status == BT_OK && event.kind != BT_TRANSCRIPT_END);
 *     bt_transcript_close(reader);
 *
 * The reader goes through the file once and keeps one line at a time. What it does not understand
 * it skips; a line that is not JSON makes the transcript *partial*. Nothing is judged here.
 */
#ifndef BATON_SRC_TRANSCRIPT_TRANSCRIPT_H
#define BATON_SRC_TRANSCRIPT_TRANSCRIPT_H

#include "base/env.h"

/* Beyond these a transcript is partial, or its format is not known. */
enum {
    BT_TRANSCRIPT_LINE_BYTES_MAX = 64 << 20,
    BT_TRANSCRIPT_HEAD_LINES_MAX = 200, /* that are looked at for the format */
    BT_TRANSCRIPT_HEAD_BYTES_MAX = 4 << 20,
    BT_TRANSCRIPT_AGENTS_MAX = 4096,
    BT_TRANSCRIPT_LAST_BYTES = 64, /* by which a file is recognised */
};

enum bt_transcript_format {
    BT_TRANSCRIPT_FORMAT_NONE = 0, /* not known */
    BT_TRANSCRIPT_CLAUDE,
    BT_TRANSCRIPT_CODEX,
};

/* "claude", "codex"; "" for none. */
bt_str bt_transcript_format_name(enum bt_transcript_format format);

enum bt_call_kind {
    BT_CALL_OPAQUE = 0, /* it may have done anything */
    BT_CALL_COMMAND,    /* it ran a shell command */
    BT_CALL_EDIT,       /* it changed files that it names */
    BT_CALL_READING,    /* it can change nothing */
};

/* "opaque", "command", "edit", "reading". */
bt_str bt_call_kind_name(enum bt_call_kind kind);

/* Why the exit status of a call is not known. */
enum bt_call_reason {
    BT_CALL_EXIT_KNOWN = 0,
    BT_CALL_PENDING, /* the result is not written yet */
    BT_CALL_HOST,    /* the host does not tell it, or ended the call itself */
    BT_CALL_BACKGROUND,
    BT_CALL_INTERRUPTED,
};

/* "pending" and so on; "" when the status is known. */
bt_str bt_call_reason_name(enum bt_call_reason reason);

enum bt_transcript_event_kind {
    BT_TRANSCRIPT_END = 0, /* of what is written so far */
    BT_TRANSCRIPT_CALL,
    BT_TRANSCRIPT_RESULT,
    BT_TRANSCRIPT_USAGE,
};

/* Tokens: integers as the host counts them. */
struct bt_token_usage {
    uint64_t input; /* claude: what was not read from a cache; codex: all of it */
    uint64_t output;
    uint64_t cache_read;
    uint64_t cache_write;
};

struct bt_transcript_call {
    enum bt_call_kind kind;
    bt_str tool;
    bt_str command; /* of a command call */
    const bt_str *paths;
    size_t path_count;    /* of an edit call */
    bt_str input;         /* of an opaque call: the texts in its input, one per line */
    bt_str session;       /* the running command that it continues (codex), or "" */
    bool is_edit_by_exit; /* an edit that counts unless its exit status is not 0 */
};

struct bt_transcript_result {
    bt_str text;
    enum bt_call_reason reason;
    int64_t exit;    /* when the reason is BT_CALL_EXIT_KNOWN */
    bool is_error;   /* the host says so */
    bool is_certain; /* the host's own event, which counts more than what a text says */
    bool is_cut;     /* a part of the output is missing */
    bt_str session;  /* of a command that is still running (codex), or "" */
};

struct bt_transcript_usage {
    bt_str model;
    bt_str message_id; /* claude: lines with the same id tell of one answer; "": of its own */
    struct bt_token_usage count;
    struct bt_token_usage last; /* codex: of the last answer alone */
    bool is_total;              /* codex: `count` is a running total */
    bool is_inherited;          /* codex: it was spent by the parent */
};

/* One thing that a line tells. Texts live until the next call of bt_transcript_next(). */
struct bt_transcript_event {
    enum bt_transcript_event_kind kind;
    bt_str agent;    /* "-": the main agent */
    bt_str id;       /* of the call; its result has the same */
    uint64_t offset; /* of the line */
    uint64_t line;   /* from 1 */
    union {
        struct bt_transcript_call call;
        struct bt_transcript_result result;
        struct bt_transcript_usage usage;
    } as;
};

/* What was read so far. */
struct bt_transcript_state {
    enum bt_transcript_format format;
    bool is_partial;
    uint64_t from; /* where the slice begins whose digest is made */
    uint64_t to;   /* the end of the last whole line */
    uint64_t lines;
    uint64_t skipped;     /* lines of types that do not matter */
    const bt_str *agents; /* in order of their first line */
    size_t agent_count;
    bt_str own_agent;     /* of an agent's file its agent, else "-" */
    bt_str thread;        /* codex: the id of the file's thread, or "" */
    bt_str parent;        /* codex: the thread whose history the file may repeat, or "" */
    bool has_parent_mark; /* ... and the file tells which lines are that history */
    uint8_t sha256[BT_SHA256_BYTES]; /* of the bytes from..to; valid after the end */
};

/* The next word of a text from *at on, for a filter; "" after the last. *at is moved behind it. */
bt_str bt_transcript_next_word(bt_str text, size_t *at);

struct bt_transcript_reader;

struct bt_transcript_options {
    const uint64_t *hash_seed; /* two words; NULL: 0 */
    bool owned_only;           /* refuse a file of another user */
    uint64_t deadline_ms;      /* of bt_clock_monotonic_ms(); 0: none */
};

/*
 * Open the file; a name ending in .zst is decompressed while reading. The file must be regular and
 * is never waited for. On BT_OK the caller closes *out with bt_transcript_close(). BT_ENOENT: no
 * such file. BT_EDENIED: not a regular file, of another user, or not permitted. BT_ENOMEM: no
 * memory. `error` (may be NULL) gives the reason.
 */
BT_MUST_USE enum bt_status bt_transcript_open(bt_str path,
                                              const struct bt_transcript_options *options,
                                              struct bt_transcript_reader **out,
                                              struct bt_error *error);
/* Close it. NULL is allowed. */
void bt_transcript_close(struct bt_transcript_reader *reader);

/*
 * Read to the next event. BT_EIO: reading failed, or compressed data is broken. BT_ENOMEM: no
 * memory. BT_ELIMIT: the time is over. At the end, and when the format is not known, the event is
 * BT_TRANSCRIPT_END.
 */
BT_MUST_USE enum bt_status bt_transcript_next(struct bt_transcript_reader *reader,
                                              struct bt_transcript_event *out);
/* What is known so far; complete after the end. It lives as long as the reader. */
const struct bt_transcript_state *bt_transcript_state(const struct bt_transcript_reader *reader);
/* Which lines can matter to the caller: those with all words of one of these texts, and those that
 * begin here. */
struct bt_transcript_filter {
    /* what is looked for; a word is a run of bytes that JSON does not escape and outputs keep */
    const bt_str *texts;
    size_t text_count;
    const uint64_t *offsets; /* in ascending order */
    size_t offset_count;
};

/*
 * Read again from the start, to look for texts: the state begins anew, and no digest is made. With
 * a filter (NULL: none), which must live until the next call, other lines may be left out. BT_EIO:
 * the file cannot be read again.
 */
BT_MUST_USE enum bt_status bt_transcript_rewind(struct bt_transcript_reader *reader,
                                                const struct bt_transcript_filter *filter);

/* ---- Reading on later ------------------------------------------------------------------------ */

/* Which file it is, and its bytes before an offset. */
struct bt_transcript_file {
    uint64_t device;
    uint64_t inode;
    uint8_t last[BT_TRANSCRIPT_LAST_BYTES];
    size_t last_size; /* less than all of them only near the start of the file */
};

/* Identify the file. BT_ENOENT: it is shorter than the offset. BT_EIO: it is compressed, so it can
 * only be read from its start, or reading failed. */
BT_MUST_USE enum bt_status bt_transcript_identify(const struct bt_transcript_reader *reader,
                                                  uint64_t offset, struct bt_transcript_file *out);
/* Make the digest of the bytes from this offset on, which is where a line begins. Before the first
 * event. */
void bt_transcript_set_from(struct bt_transcript_reader *reader, uint64_t from);
/*
 * Put where the reader stands after the end, for bt_transcript_resume(). It has names of agents and
 * models, and no other text. With `begins_slice` the digest of the next reading begins there.
 */
BT_MUST_USE enum bt_status bt_transcript_put_mark(const struct bt_transcript_reader *reader,
                                                  bool begins_slice, struct bt_buf *buf);
/* Go on at a mark of the same file, before the first event. BT_ECORRUPT: it is not a mark; then the
 * reader must be closed. BT_EIO: the file cannot be read there. BT_ENOMEM: no memory. */
BT_MUST_USE enum bt_status bt_transcript_resume(struct bt_transcript_reader *reader, bt_str mark);
/* Where the slice of a mark begins; 0 when it is not a mark. */
uint64_t bt_transcript_mark_from(bt_str mark);
/* Put the bytes of the file between two offsets. BT_EIO: they cannot be read. Failures of the
 * buffer are returned as well. The reader must be rewound before it is used again. */
BT_MUST_USE enum bt_status bt_transcript_copy(struct bt_transcript_reader *reader, uint64_t from,
                                              uint64_t to, struct bt_buf *buf);

#endif
