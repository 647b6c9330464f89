/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ticks.c - who waits by the clock that never goes back.
 */
#include "base/ticks.h"

struct timespec bt_ticks_at(uint64_t ms)
{
    return (struct timespec){(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
}

bool bt_ticks_cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t monotonic;
    if (pthread_condattr_init(&monotonic) != 0) {
        return false;
    }
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    const bool made = pthread_cond_init(cond, &monotonic) == 0;
    (void)pthread_condattr_destroy(&monotonic);
    return made;
}
