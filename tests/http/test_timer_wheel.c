/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_wheel.c - deadlines: never early, never lost, however often they are moved.
 */
#include "test.h"

#include "http/http_internal.h"

enum { TIMERS = 500, TURNS = 4000, SPAN_MS = 40000 };

/* A small generator: the same numbers in every run. */
static uint64_t next_number(uint64_t *state)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return *state >> 33;
}

static void a_timer_runs_out_at_its_time_and_not_before(void **state)
{
    (void)state;
    static const uint64_t dues[] = {0, 1, 31, 32, 33, 1000, 16383, 16384, 60000, 3600000};
    for (size_t i = 0; i < COUNT_OF(dues); i++) {
        struct http_timer_wheel wheel;
        struct http_timer timer = {0};
        http_wheel_begin(&wheel, 5000);
        http_wheel_set(&wheel, &timer, 5000 + dues[i]);
        uint64_t now = 5000;
        while (!http_wheel_take(&wheel, now)) {
            now += HTTP_SLOT_MS;
            assert_true(now < 5000 + dues[i] + (uint64_t)3 * HTTP_SLOT_MS);
        }
        assert_true(now >= 5000 + dues[i]);
        assert_null(timer.link);
    }
}

static void a_timer_that_was_dropped_never_runs_out(void **state)
{
    (void)state;
    struct http_timer_wheel wheel;
    struct http_timer timers[2] = {{0}};
    http_wheel_begin(&wheel, 0);
    http_wheel_set(&wheel, &timers[0], 100);
    http_wheel_set(&wheel, &timers[1], 100);
    http_wheel_drop(&timers[0]);
    http_wheel_drop(&timers[0]);
    assert_ptr_equal(http_wheel_take(&wheel, 1000), &timers[1]);
    assert_null(http_wheel_take(&wheel, 100000));
}

/* Many timers set, moved and dropped at random, against their plain times. */
static void timers_are_as_good_as_a_list_of_times(void **state)
{
    (void)state;
    static struct http_timer timers[TIMERS];
    static uint64_t dues[TIMERS]; /* 0: not set */
    struct http_timer_wheel wheel;
    uint64_t seed = 7;
    uint64_t now = 1000;
    memset(timers, 0, sizeof(timers));
    http_wheel_begin(&wheel, now);
    for (size_t turn = 0; turn < TURNS; turn++) {
        const size_t i = next_number(&seed) % TIMERS;
        if (next_number(&seed) % 4 == 0) {
            http_wheel_drop(&timers[i]);
            dues[i] = 0;
        } else {
            dues[i] = now + next_number(&seed) % SPAN_MS;
            http_wheel_set(&wheel, &timers[i], dues[i]);
        }
        now += next_number(&seed) % 100;
        for (struct http_timer *timer = http_wheel_take(&wheel, now); timer;
             timer = http_wheel_take(&wheel, now)) {
            const size_t which = (size_t)(timer - timers);
            assert_true(dues[which] > 0);
            assert_true(dues[which] <= now);
            dues[which] = 0;
        }
        for (size_t k = 0; k < TIMERS; k++) {
            assert_true(dues[k] == 0 || dues[k] + (uint64_t)2 * HTTP_SLOT_MS > now);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_timer_runs_out_at_its_time_and_not_before),
        cmocka_unit_test(a_timer_that_was_dropped_never_runs_out),
        cmocka_unit_test(timers_are_as_good_as_a_list_of_times),
    };
    return RUN_TESTS(tests);
}
