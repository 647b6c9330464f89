/* SPDX-License-Identifier: Apache-2.0 */
/*
 * broadcast.c - a broadcast over one futex word that counts signals.
 *
 * The signaller wakes one waiting thread, and the first thread that wakes wakes all others: waking
 * a thread costs microseconds, and the signaller has other work. No thread is left asleep: a thread
 * that is woken after a signal wakes all the others unless another one has done so for the same
 * signal, and a thread that begins to wait later sees that the count has changed.
 */
#define _GNU_SOURCE /* syscall() */
#include "base/broadcast.h"

#include <assert.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

static void wake_waiters(struct bt_broadcast *broadcast, int count)
{
    (void)syscall(SYS_futex, &broadcast->generation, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, count, NULL,
                  NULL, 0);
}

uint32_t bt_broadcast_generation(struct bt_broadcast *broadcast)
{
    assert(broadcast);
    return atomic_load(&broadcast->generation);
}

void bt_broadcast_wait(struct bt_broadcast *broadcast, uint32_t seen_generation,
                       const struct timespec *until)
{
    assert(broadcast);
    assert(until);
    /* Whatever it says, who waits looks again. */
    (void)syscall(SYS_futex, &broadcast->generation, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG,
                  seen_generation, until, NULL, FUTEX_BITSET_MATCH_ANY);
    const uint32_t generation = atomic_load(&broadcast->generation);
    if (atomic_exchange(&broadcast->woken_generation, generation) != generation) {
        wake_waiters(broadcast, INT_MAX);
    }
}

void bt_broadcast_signal(struct bt_broadcast *broadcast)
{
    assert(broadcast);
    (void)atomic_fetch_add(&broadcast->generation, 1);
    wake_waiters(broadcast, 1);
}
