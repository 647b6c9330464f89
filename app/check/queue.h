/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.h - items that several OS threads work on, taken back in the order in which they were
 * added.
 *
 * One thread, the owner, adds and takes items and works on them as well. The others are started
 * when so many items wait that it pays off, so a run with few items starts none.
 */
#ifndef BATON_APP_CHECK_QUEUE_H
#define BATON_APP_CHECK_QUEUE_H

#include <baton/base.h>

enum { CHECK_QUEUE_THREADS_MAX = 64 };

/*
 * Work on an item. `worker` is 0 for the owner and 1 to threads - 1 for the others; no two calls
 * with the same number run at the same time. A callback, because the queue does not know the work.
 */
typedef void check_queue_work_fn(void *context, size_t worker, void *item);

struct check_queue;

/*
 * Make a queue for `threads` OS threads, the owner included: 1 to CHECK_QUEUE_THREADS_MAX. With one
 * thread the items are worked on in their order. NULL: out of memory. Destroy it with
 * check_queue_destroy().
 */
struct check_queue *check_queue_create(size_t threads, check_queue_work_fn *work, void *context);
/* Wait for the items that are being worked on, drop the others, and end the threads. NULL is
 * allowed. */
void check_queue_destroy(struct check_queue *queue);

/* Add an item, which must stay in its place. BT_ENOMEM: no memory; the item was not added. */
BT_MUST_USE enum bt_status check_queue_add(struct check_queue *queue, void *item);

/* The number of items that were added. */
size_t check_queue_count(const struct check_queue *queue);

/*
 * The next item in the order of addition when work on it has ended, else NULL: all items were
 * taken, or `deadline_ms` of bt_clock_monotonic_ms() has passed. Works on items in the meantime.
 */
void *check_queue_take(struct check_queue *queue, uint64_t deadline_ms);

/* The number of cores that this process may use, at most CHECK_QUEUE_THREADS_MAX. */
size_t check_queue_cores(void);

#endif
