/* SPDX-License-Identifier: Apache-2.0 */
/* writer_internal.h - writers, the threads that they share, and the queues of both. */
#ifndef BATON_SRC_LEDGER_WRITER_INTERNAL_H
#define BATON_SRC_LEDGER_WRITER_INTERNAL_H

#include <pthread.h>

#include "ledger/pending.h"

enum { BT_WRITER_HEAD_BYTES_MAX = 1024 }; /* of a checkpoint signed here */

/* The newest checkpoint of the head file, until the state file has it too. */
struct writer_memory {
    char note[BT_WRITER_HEAD_BYTES_MAX];
    size_t size; /* 0: it has */
    uint64_t written_ms;
};

/* The head file of a writer, which the second thread replaces. */
struct writer_head {
    char
        note[BT_WRITER_HEAD_BYTES_MAX]; /* the newest checkpoint that is not in the head file yet */
    size_t size;
    bool is_queued;              /* it waits for the second thread ... */
    bool is_being_replaced;      /* ... which has taken it */
    bool is_broken;              /* it could not be replaced: nothing more is recorded */
    bool is_late;                /* the disk was full: nothing is recorded until there is space */
    struct writer_memory memory; /* of the second thread */
};

/* Writers that wait for one of the threads, in order. */
struct writer_queue {
    struct bt_ledger_writer *first;
    struct bt_ledger_writer *last;
    size_t count;
};

struct bt_ledger_writer_thread {
    struct bt_arena arena; /* holds the thread itself */
    pthread_t thread;
    pthread_t head_thread;
    pthread_mutex_t lock; /* guards what follows, and the queues of all writers */
    pthread_cond_t wake;
    pthread_cond_t head_wake;
    pthread_cond_t idle;       /* a writer is neither recording nor replacing its head file */
    struct writer_queue ready; /* writers with submissions */
    struct writer_queue heads; /* writers with a new checkpoint */
    bool is_closing;
    bool has_exited;      /* the first thread has ended */
    struct bt_arena work; /* of a transaction */
};

struct bt_ledger_writer {
    struct bt_arena arena; /* holds the writer itself */
    struct bt_ledger *ledger;
    struct bt_env env;
    struct bt_ledger_writer_thread *thread;
    bool owns_thread;
    struct bt_ledger_writer *next[2]; /* in the queues `ready` and `heads` */
    struct writer_head head;
    atomic_bool has_failed; /* the head file is broken, or the outcome of a commit is unknown */
    bool is_scheduled;      /* it is in the queue `ready`, or recording */
    struct bt_ledger_pending *first; /* the submissions, in order */
    struct bt_ledger_pending **last;
    struct bt_broadcast batch_done[2]; /* one for the batch that is being recorded ... */
    size_t batch_done_index;           /* ... and one for new submissions: this one */
};

enum writer_queue_kind { READY = 0, HEADS = 1 };

/* ---- Queues of writers ----------------------------------------------------------------------- */

static inline void add_to_queue(struct writer_queue *queue, struct bt_ledger_writer *writer,
                                enum writer_queue_kind kind)
{
    writer->next[kind] = NULL;
    if (queue->last) {
        queue->last->next[kind] = writer;
    } else {
        queue->first = writer;
    }
    queue->last = writer;
    queue->count++;
}

/* Take the first writer; NULL: there is none. */
static inline struct bt_ledger_writer *take_from_queue(struct writer_queue *queue,
                                                       enum writer_queue_kind kind)
{
    struct bt_ledger_writer *writer = queue->first;
    if (writer) {
        queue->first = writer->next[kind];
        queue->last = queue->first ? queue->last : NULL;
        queue->count--;
    }
    return writer;
}

#endif
