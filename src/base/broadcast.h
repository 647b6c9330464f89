/* SPDX-License-Identifier: Apache-2.0 */
/*
 * broadcast.h - wake all waiting threads. The signaller wakes one of them, and that thread wakes
 * the others.
 *
 * A waiter reads the count, checks whether it still has to wait, and then waits for the count to
 * change. A signal in between is therefore never missed.
 */
#ifndef BATON_SRC_BASE_BROADCAST_H
#define BATON_SRC_BASE_BROADCAST_H

#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

/* All zero is a gong that was not struck yet. */
struct bt_broadcast {
    _Atomic uint32_t generation;
    _Atomic uint32_t woken_generation; /* the stroke for which all were woken last */
};

uint32_t bt_broadcast_generation(struct bt_broadcast *broadcast);
/* Wait until it was struck more often than that, or this moment of CLOCK_MONOTONIC is over; or for
 * no reason, now and then. */
void bt_broadcast_wait(struct bt_broadcast *broadcast, uint32_t seen_generation,
                       const struct timespec *until);
void bt_broadcast_signal(struct bt_broadcast *broadcast);

#endif
