/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_broadcast.c - all who wait hear every stroke, though each stroke wakes only one of them.
 */
#include "test.h"

#include <pthread.h>
#include <sched.h>

#include "base/broadcast.h"
#include "base/clock.h"

enum { WAITERS = 8, STROKES = 300, LONG_MS = 60000 };

struct hall {
    struct bt_broadcast gong;
    _Atomic uint32_t waiting; /* who have come to wait, over all strokes */
    _Atomic uint32_t heard;   /* who have heard one, over all strokes */
    _Atomic bool is_late;
};

/* Wait for the stroke after `heard`. */
static void hear(struct hall *hall, uint32_t heard, uint64_t until_ms)
{
    const struct timespec until = bt_clock_deadline(until_ms);
    while (bt_broadcast_generation(&hall->gong) == heard && bt_clock_monotonic_ms() < until_ms) {
        bt_broadcast_wait(&hall->gong, heard, &until);
    }
}

static void *wait_for_all(void *context)
{
    struct hall *hall = context;
    for (uint32_t i = 0; i < STROKES && !atomic_load(&hall->is_late); i++) {
        (void)atomic_fetch_add(&hall->waiting, 1);
        hear(hall, i, bt_clock_monotonic_ms() + LONG_MS);
        (void)atomic_fetch_add(&hall->heard, 1);
    }
    return NULL;
}

/* Whether it gets so far, before even a slow machine would. */
static bool reaches(const _Atomic uint32_t *number, uint32_t wanted)
{
    const uint64_t until_ms = bt_clock_monotonic_ms() + LONG_MS / 3;
    while (atomic_load(number) < wanted) {
        if (bt_clock_monotonic_ms() >= until_ms) {
            return false;
        }
        (void)sched_yield();
    }
    return true;
}

static void all_who_wait_hear_every_stroke(void **state)
{
    (void)state;
    static struct hall hall;
    pthread_t threads[WAITERS];
    for (size_t i = 0; i < WAITERS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, wait_for_all, &hall), 0);
    }
    for (uint32_t i = 0; i < STROKES && !atomic_load(&hall.is_late); i++) {
        bool fine = reaches(&hall.waiting, (i + 1) * WAITERS);
        bt_broadcast_signal(&hall.gong);
        fine &= reaches(&hall.heard, (i + 1) * WAITERS);
        atomic_store(&hall.is_late, !fine);
    }
    for (size_t i = 0; i < WAITERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    assert_false(atomic_load(&hall.is_late));
    assert_int_equal(atomic_load(&hall.heard), STROKES * WAITERS);
}

static void who_comes_after_a_stroke_does_not_wait(void **state)
{
    (void)state;
    struct bt_broadcast gong = {0};
    const struct timespec until = bt_clock_deadline(bt_clock_monotonic_ms() + LONG_MS);
    bt_broadcast_signal(&gong);
    bt_broadcast_wait(&gong, 0, &until); /* longer than the test may take */
    assert_int_equal(bt_broadcast_generation(&gong), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_who_wait_hear_every_stroke),
        cmocka_unit_test(who_comes_after_a_stroke_does_not_wait),
    };
    return RUN_TESTS(tests);
}
