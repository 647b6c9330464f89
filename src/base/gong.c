/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gong.c - a futex that counts its strokes.
 *
 * Whoever strikes wakes one who waits, and the first who wakes wakes all others: to wake a thread
 * costs microseconds, and who strikes has more to do. Nobody is forgotten: whoever is woken after a
 * stroke wakes all, unless another does so for the same stroke, and who begins to wait later sees
 * that it was struck.
 */
#define _GNU_SOURCE /* syscall() */
#include "base/gong.h"

#include <assert.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

static void wake(struct bt_gong *gong, int count)
{
    (void)syscall(SYS_futex, &gong->strokes, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, count, NULL, NULL, 0);
}

uint32_t bt_gong_count(struct bt_gong *gong)
{
    assert(gong);
    return atomic_load(&gong->strokes);
}

void bt_gong_wait(struct bt_gong *gong, uint32_t heard, const struct timespec *until)
{
    assert(gong);
    assert(until);
    /* Whatever it says, who waits looks again. */
    (void)syscall(SYS_futex, &gong->strokes, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, heard, until,
                  NULL, FUTEX_BITSET_MATCH_ANY);
    const uint32_t strokes = atomic_load(&gong->strokes);
    if (atomic_exchange(&gong->passed_on, strokes) != strokes) {
        wake(gong, INT_MAX);
    }
}

void bt_gong_strike(struct bt_gong *gong)
{
    assert(gong);
    (void)atomic_fetch_add(&gong->strokes, 1);
    wake(gong, 1);
}
