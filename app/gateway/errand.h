/* SPDX-License-Identifier: Apache-2.0 */
/*
 * errand.h - something that threads of its own carry elsewhere, so that no request waits for it.
 *
 * The threads begin with the first configuration that wants them. What they wait for beyond the
 * process they give up at `end_ms`; what they record they finish.
 */
#ifndef BATON_APP_GATEWAY_ERRAND_H
#define BATON_APP_GATEWAY_ERRAND_H

#include <stdatomic.h>
#include <stddef.h>

#include "gateway/bell.h"

enum { ERRAND_THREADS_MAX = 4 };

struct errand {
    struct bell bell;        /* of what the threads share with others */
    _Atomic uint64_t end_ms; /* when to give up what is under way; UINT64_MAX: not told to end */
    size_t count;
    pthread_t threads[ERRAND_THREADS_MAX];
};

/* False: it cannot be made, and must not be ended. */
bool errand_init(struct errand *errand);
/* With the lock: let so many threads run, or as many as can be had; those that run stay. False:
 * there is none. */
bool errand_begin(struct errand *errand, size_t count, void *(*run)(void *), void *context);
bool errand_is_ending(const struct errand *errand);
/* Tell the threads to end, after a short while and not after `until_ms`, and wait for them. */
void errand_end(struct errand *errand, uint64_t until_ms);

#endif
