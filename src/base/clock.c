/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock.c - the clocks of the system.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* clock_gettime() */
#endif
#include "base/clock.h"

bt_instant bt_clock_now(void)
{
    struct timespec now = {0};
    if (clock_gettime(CLOCK_REALTIME, &now) != 0 || now.tv_sec < 0) {
        return (bt_instant){0, 0};
    }
    return (bt_instant){now.tv_sec, (int32_t)now.tv_nsec};
}

int64_t bt_clock_file_seconds(void)
{
    struct timespec now = {0};
    return clock_gettime(CLOCK_REALTIME, &now) == 0 ? (int64_t)now.tv_sec : -1;
}

uint64_t bt_clock_monotonic_ns(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail: Linux always has this clock */
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t bt_clock_monotonic_us(void)
{
    return bt_clock_monotonic_ns() / 1000;
}

uint64_t bt_clock_monotonic_ms(void)
{
    return bt_clock_monotonic_ns() / 1000000;
}

#ifndef BT_PROFILE_CORE
struct timespec bt_clock_deadline(uint64_t ms)
{
    return (struct timespec){(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
}

bool bt_clock_cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t monotonic;
    if (pthread_condattr_init(&monotonic) != 0) {
        return false;
    }
    const bool is_made = pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) == 0 &&
                         pthread_cond_init(cond, &monotonic) == 0;
    (void)pthread_condattr_destroy(&monotonic);
    return is_made;
}
#endif
