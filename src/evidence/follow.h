/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow.h - read the transcript of an agent: from its start, or on from where an earlier event of
 * the agent stopped.
 *
 *     struct bt_evidence_follow follow;
 *     bt_evidence_follow_init(&follow, env, &source);
 *     BT_TRY(bt_evidence_follow_open(&follow, &kept));      what kept.h loaded, or NULL
 *     do {
 *         status = bt_evidence_follow_next(&follow, &event);   its calls are indexed on the way
 *         ... count what event.as.usage tells ...
 *     } while (status == BT_OK && event.kind != BT_TRANSCRIPT_END);
 *     ... bt_evidence_kept_save() in kept.h ...
 *     bt_evidence_follow_free(&follow);
 *
 * A file that is another than before, is shorter, or was changed before the kept offset is read
 * from its start.
 */
#ifndef BATON_SRC_EVIDENCE_FOLLOW_H
#define BATON_SRC_EVIDENCE_FOLLOW_H

#include "evidence/index.h"

/* How much of a transcript could be used. */
enum bt_evidence_reading {
    BT_EVIDENCE_READING_NONE = 0,   /* no file is named, or there is none */
    BT_EVIDENCE_READING_UNREADABLE, /* not to be opened, of another format, or of another agent */
    BT_EVIDENCE_READING_PARTIAL,    /* something in it was not understood */
    BT_EVIDENCE_READING_WHOLE,
};

/* "none", "unreadable", "partial", "read". */
bt_str bt_evidence_reading_name(enum bt_evidence_reading reading);

/* Which transcript, and whose lines of it. */
struct bt_evidence_source {
    bt_str path;  /* "": none is known */
    bt_str agent; /* as the host writes it; "": the agent that the file belongs to */
    struct bt_str_list doc_paths; /* patterns of files whose change needs no check */
    bool owned_only;              /* a transcript of another user is not read */
    uint64_t deadline_ms;         /* of bt_clock_monotonic_ms(); 0: none */
};

/* What budgets keep beside the calls: JSON, or "". This module only stores it. */
struct bt_evidence_spent {
    bt_str counters;
    bt_str message_ids;
    bt_str notices; /* the column `told` */
};

/* What is kept of a transcript between two events: a row of the table `transcript`. */
struct bt_evidence_kept {
    bool is_there;     /* false: nothing is kept, and the rest is "" or 0 */
    bt_str settings;   /* digest of what the calls depend on: path, agent, patterns */
    bt_str device;     /* decimal digits */
    bt_str inode;      /* decimal digits */
    uint64_t read_to;  /* the offset */
    bt_str last_bytes; /* before it */
    bt_str slice;      /* a mark of the reader, with the state of the digest */
    bt_str calls;      /* a packed index */
    struct bt_evidence_spent spent;
};

struct bt_evidence_follow {
    const struct bt_env *env;
    struct bt_evidence_source source;
    struct bt_arena arena;               /* of the index, and of what is to be kept */
    struct bt_transcript_reader *reader; /* NULL: the transcript could not be opened */
    struct bt_evidence_index index;
    enum bt_evidence_reading reading;
    bool is_resumed;                  /* what was kept counts: only what follows was read */
    bool is_ended;                    /* it was read to its end */
    struct bt_transcript_state state; /* at the end; agents and texts are not valid */
    bt_str mark;                      /* of the reader at the end */
    bt_str slice_mark;                /* and when the next slice begins there */
    struct bt_evidence_spent spent;   /* as it was kept; replaced by the caller that counts */
};

/* Begin. The source must live as long as the follow. Nothing is opened yet. */
void bt_evidence_follow_init(struct bt_evidence_follow *follow, const struct bt_env *env,
                             const struct bt_evidence_source *source);
void bt_evidence_follow_free(struct bt_evidence_follow *follow);
/*
 * Open the transcript, and go on where `kept` (may be NULL) stopped. BT_OK also when there is none
 * or it cannot be read: follow->reading tells. BT_ENOMEM: no memory.
 */
BT_MUST_USE enum bt_status bt_evidence_follow_open(struct bt_evidence_follow *follow,
                                                   const struct bt_evidence_kept *kept);
/*
 * The next event; calls and results of the agent are added to the index. Statuses as for
 * bt_transcript_next(), except that a file that cannot be read has ended.
 */
BT_MUST_USE enum bt_status bt_evidence_follow_next(struct bt_evidence_follow *follow,
                                                   struct bt_transcript_event *out);
/* Read to the end. */
BT_MUST_USE enum bt_status bt_evidence_follow_read(struct bt_evidence_follow *follow);
/*
 * What is to be kept now, in the arena of the follow; with `begins_slice` the next slice begins at
 * the end. BT_ENOENT: nothing can be kept, because the file cannot be read on later.
 */
BT_MUST_USE enum bt_status bt_evidence_follow_keep(struct bt_evidence_follow *follow,
                                                   bool begins_slice, struct bt_evidence_kept *out);

#endif
