/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bell.c - a lock and a condition that goes by the monotonic clock.
 */
#include "gateway/bell.h"

#include <assert.h>
#include <time.h>

#include "http/http.h"

bool bell_init(struct bell *bell)
{
    if (pthread_mutex_init(&bell->lock, NULL) != 0) {
        return false;
    }
    if (!bt_clock_cond_init(&bell->changed)) {
        (void)pthread_mutex_destroy(&bell->lock);
        return false;
    }
    return true;
}

void bell_free(struct bell *bell)
{
    (void)pthread_cond_destroy(&bell->changed);
    (void)pthread_mutex_destroy(&bell->lock);
}

void bell_lock(struct bell *bell)
{
    const int code = pthread_mutex_lock(&bell->lock);
    assert(code == 0);
    (void)code;
}

void bell_unlock(struct bell *bell)
{
    const int code = pthread_mutex_unlock(&bell->lock);
    assert(code == 0);
    (void)code;
}

void bell_ring(struct bell *bell)
{
    (void)pthread_cond_broadcast(&bell->changed);
}

void bell_wait(struct bell *bell, uint64_t until_ms)
{
    if (until_ms == UINT64_MAX) {
        (void)pthread_cond_wait(&bell->changed, &bell->lock);
        return;
    }
    const struct timespec until = {.tv_sec = (time_t)(until_ms / 1000),
                                   .tv_nsec = (long)(until_ms % 1000) * 1000000};
    (void)pthread_cond_timedwait(&bell->changed, &bell->lock, &until);
}
