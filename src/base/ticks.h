/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ticks.h - how long something took, for whoever waits with a deadline, and how old a file is.
 */
#ifndef BATON_SRC_BASE_TICKS_H
#define BATON_SRC_BASE_TICKS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Milliseconds since some moment in the past; never less than before. */
uint64_t bt_ticks_ms(void);
/* Such a moment as whoever waits for a condition is told it; and make such a condition. */
struct timespec bt_ticks_at(uint64_t ms);
bool bt_ticks_cond_init(pthread_cond_t *cond);
/* Seconds since 1970 by the clock that file systems go by; -1 when it cannot be asked. */
int64_t bt_file_clock_s(void);

#endif
