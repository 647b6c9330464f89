/* SPDX-License-Identifier: Apache-2.0 */
/* monitor.h - a mutex with a condition variable for changes of what it guards. */
#ifndef BATON_APP_SERVE_MONITOR_H
#define BATON_APP_SERVE_MONITOR_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct serve_monitor {
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

/* False: it failed, and the monitor must not be freed. */
bool serve_monitor_init(struct serve_monitor *monitor);
void serve_monitor_free(struct serve_monitor *monitor);
void serve_monitor_lock(struct serve_monitor *monitor);
void serve_monitor_unlock(struct serve_monitor *monitor);
/* With the lock: wake all waiting threads. */
void serve_monitor_notify_all(struct serve_monitor *monitor);
/*
 * With the lock: wait until notified, or until this time of the monotonic clock (UINT64_MAX: no
 * limit). It may also return without a reason.
 */
void serve_monitor_wait(struct serve_monitor *monitor, uint64_t until_ms);

#endif
