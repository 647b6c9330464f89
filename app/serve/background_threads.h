/* SPDX-License-Identifier: Apache-2.0 */
/*
 * background_threads.h - threads that send data elsewhere, so that requests do not wait for it.
 *
 * The threads start with the first configuration that needs them. At `end_ms` they give up waiting
 * for other systems; what they record they finish.
 */
#ifndef BATON_APP_SERVE_BACKGROUND_THREADS_H
#define BATON_APP_SERVE_BACKGROUND_THREADS_H

#include <stdatomic.h>
#include <stddef.h>

#include "serve/monitor.h"

enum { SERVE_THREADS_MAX = 4 };

struct serve_threads {
    struct serve_monitor monitor; /* guards what the threads share with others */
    _Atomic uint64_t end_ms;      /* when to give up work in progress; UINT64_MAX: not stopping */
    size_t count;
    pthread_t threads[SERVE_THREADS_MAX];
};

/* False: it failed, and serve_threads_stop() must not be called. */
bool serve_threads_init(struct serve_threads *threads);
/* With the lock: start up to `count` threads; running ones stay. False: none could be started. */
bool serve_threads_start(struct serve_threads *threads, size_t count, void *(*run)(void *),
                         void *context);
/* True after serve_threads_stop() was called. */
bool serve_threads_are_stopping(const struct serve_threads *threads);
/* Stop the threads within a short time, at the latest at `until_ms`, and wait for them. */
void serve_threads_stop(struct serve_threads *threads, uint64_t until_ms);

#endif
