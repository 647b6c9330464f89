/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock.h - the clocks of the system. No other file reads them.
 */
#ifndef BATON_SRC_BASE_CLOCK_H
#define BATON_SRC_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/env.h"

#ifndef BT_PROFILE_CORE
#include <pthread.h>
#endif

/* The time of day; {0, 0} when the system has none or it lies before 1970. */
bt_instant bt_clock_now(void);
/* Seconds since 1970, as file systems count them; -1 when the system has no such clock. */
int64_t bt_clock_file_seconds(void);

/* Time since an unspecified moment. It never goes back. */
uint64_t bt_clock_monotonic_ns(void);
uint64_t bt_clock_monotonic_us(void);
uint64_t bt_clock_monotonic_ms(void);

#ifndef BT_PROFILE_CORE
/* A moment of bt_clock_monotonic_ms() as pthread_cond_timedwait() wants it ... */
struct timespec bt_clock_deadline(uint64_t ms);
/* ... for a condition made by this function. False: the system refused. */
BT_MUST_USE bool bt_clock_cond_init(pthread_cond_t *cond);
#endif

#endif
