/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ticks.h - how long something took, for whoever waits with a deadline, and how old a file is.
 */
#ifndef BATON_SRC_BASE_TICKS_H
#define BATON_SRC_BASE_TICKS_H

#include <stdint.h>

/* Milliseconds since some moment in the past; never less than before. */
uint64_t bt_ticks_ms(void);
/* Seconds since 1970 by the clock that file systems go by; -1 when it cannot be asked. */
int64_t bt_file_clock_s(void);

#endif
