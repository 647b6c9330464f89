/* SPDX-License-Identifier: Apache-2.0 */
/*
 * errand.c - threads that begin late, are told to end, and are waited for.
 */
#include "gateway/errand.h"

#include <assert.h>

#include "http/http.h"

enum { FLUSH_MS = 5000 }; /* for what is under way at the end */

bool errand_init(struct errand *errand)
{
    *errand = (struct errand){.end_ms = UINT64_MAX};
    return bell_init(&errand->bell);
}

bool errand_begin(struct errand *errand, size_t count, void *(*run)(void *), void *context)
{
    assert(count <= ERRAND_THREADS_MAX);
    while (errand->count < count &&
           pthread_create(&errand->threads[errand->count], NULL, run, context) == 0) {
        errand->count++;
    }
    return errand->count > 0;
}

bool errand_is_ending(const struct errand *errand)
{
    return errand->end_ms != UINT64_MAX;
}

void errand_end(struct errand *errand, uint64_t until_ms)
{
    const uint64_t flushed_ms = bt_clock_monotonic_ms() + FLUSH_MS;
    bell_lock(&errand->bell);
    errand->end_ms = until_ms < flushed_ms ? until_ms : flushed_ms;
    bell_ring(&errand->bell);
    bell_unlock(&errand->bell);
    for (size_t i = 0; i < errand->count; i++) {
        (void)pthread_join(errand->threads[i], NULL);
    }
    bell_free(&errand->bell);
}
