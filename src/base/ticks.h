/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ticks.h - how long something took, for whoever waits with a deadline. No time of day.
 */
#ifndef BATON_SRC_BASE_TICKS_H
#define BATON_SRC_BASE_TICKS_H

#include <stdint.h>

/* Milliseconds since some moment in the past; never less than before. */
uint64_t bt_ticks_ms(void);

#endif
