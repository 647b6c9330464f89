/* SPDX-License-Identifier: Apache-2.0 */
/* monitor.c - a mutex and a condition variable on the monotonic clock. */
#include "serve/monitor.h"

#include <assert.h>
#include <time.h>

#include "http/http.h"

bool serve_monitor_init(struct serve_monitor *monitor)
{
    if (pthread_mutex_init(&monitor->lock, NULL) != 0) {
        return false;
    }
    if (!bt_clock_cond_init(&monitor->changed)) {
        (void)pthread_mutex_destroy(&monitor->lock);
        return false;
    }
    return true;
}

void serve_monitor_free(struct serve_monitor *monitor)
{
    (void)pthread_cond_destroy(&monitor->changed);
    (void)pthread_mutex_destroy(&monitor->lock);
}

void serve_monitor_lock(struct serve_monitor *monitor)
{
    const int code = pthread_mutex_lock(&monitor->lock);
    assert(code == 0);
    (void)code;
}

void serve_monitor_unlock(struct serve_monitor *monitor)
{
    const int code = pthread_mutex_unlock(&monitor->lock);
    assert(code == 0);
    (void)code;
}

void serve_monitor_notify_all(struct serve_monitor *monitor)
{
    (void)pthread_cond_broadcast(&monitor->changed);
}

void serve_monitor_wait(struct serve_monitor *monitor, uint64_t until_ms)
{
    if (until_ms == UINT64_MAX) {
        (void)pthread_cond_wait(&monitor->changed, &monitor->lock);
        return;
    }
    const struct timespec until = {.tv_sec = (time_t)(until_ms / 1000),
                                   .tv_nsec = (long)(until_ms % 1000) * 1000000};
    (void)pthread_cond_timedwait(&monitor->changed, &monitor->lock, &until);
}
