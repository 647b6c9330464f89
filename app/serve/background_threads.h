/* SPDX-License-Identifier: Apache-2.0 */
/*
 * background_threads.h - something that threads of its own carry elsewhere, so that no request
 * waits for it.
 *
 * The threads begin with the first configuration that wants them. What they wait for beyond the
 * process they give up at `end_ms`; what they record they finish.
 */
#ifndef BATON_APP_SERVE_BACKGROUND_THREADS_H
#define BATON_APP_SERVE_BACKGROUND_THREADS_H

#include <stdatomic.h>
#include <stddef.h>

#include "serve/monitor.h"

enum { SERVE_THREADS_MAX = 4 };

struct serve_threads {
    struct serve_monitor monitor; /* of what the threads share with others */
    _Atomic uint64_t end_ms; /* when to give up what is under way; UINT64_MAX: not told to end */
    size_t count;
    pthread_t threads[SERVE_THREADS_MAX];
};

/* False: it cannot be made, and must not be ended. */
bool serve_threads_init(struct serve_threads *threads);
/* With the lock: let so many threads run, or as many as can be had; those that run stay. False:
 * there is none. */
bool serve_threads_start(struct serve_threads *threads, size_t count, void *(*run)(void *),
                         void *context);
bool serve_threads_are_stopping(const struct serve_threads *threads);
/* Tell the threads to end, after a short while and not after `until_ms`, and wait for them. */
void serve_threads_stop(struct serve_threads *threads, uint64_t until_ms);

#endif
