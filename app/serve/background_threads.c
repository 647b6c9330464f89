/* SPDX-License-Identifier: Apache-2.0 */
/* background_threads.c - start threads on demand, stop them, and wait for them. */
#include "serve/background_threads.h"

#include <assert.h>

#include "http/http.h"

enum { FLUSH_MS = 5000 }; /* for work in progress at the end */

bool serve_threads_init(struct serve_threads *threads)
{
    *threads = (struct serve_threads){.end_ms = UINT64_MAX};
    return serve_monitor_init(&threads->monitor);
}

bool serve_threads_start(struct serve_threads *threads, size_t count, void *(*run)(void *),
                         void *context)
{
    assert(count <= SERVE_THREADS_MAX);
    while (threads->count < count &&
           pthread_create(&threads->threads[threads->count], NULL, run, context) == 0) {
        threads->count++;
    }
    return threads->count > 0;
}

bool serve_threads_are_stopping(const struct serve_threads *threads)
{
    return threads->end_ms != UINT64_MAX;
}

void serve_threads_stop(struct serve_threads *threads, uint64_t until_ms)
{
    const uint64_t flushed_ms = bt_clock_monotonic_ms() + FLUSH_MS;
    serve_monitor_lock(&threads->monitor);
    threads->end_ms = until_ms < flushed_ms ? until_ms : flushed_ms;
    serve_monitor_notify_all(&threads->monitor);
    serve_monitor_unlock(&threads->monitor);
    for (size_t i = 0; i < threads->count; i++) {
        (void)pthread_join(threads->threads[i], NULL);
    }
    serve_monitor_free(&threads->monitor);
}
