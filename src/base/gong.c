/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gong.c - a futex that counts its strokes.
 */
#define _GNU_SOURCE /* syscall() */
#include "base/gong.h"

#include <assert.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

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
}

void bt_gong_strike(struct bt_gong *gong)
{
    assert(gong);
    (void)atomic_fetch_add(&gong->strokes, 1);
    (void)syscall(SYS_futex, &gong->strokes, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, INT_MAX, NULL, NULL,
                  0);
}
