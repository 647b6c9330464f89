/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "check/queue.h"

enum { ITEMS = 20000, THREADS = 8, WAIT_MS = 60000 };

struct sum {
    size_t number;
    size_t result; /* written by the thread that works on it */
    size_t worker;
};

struct work {
    struct sum items[ITEMS];
    _Atomic size_t busy[THREADS]; /* how many calls have this number of a worker */
    _Atomic bool has_clashed;
    _Atomic size_t done;
};

static void add_up(void *context, size_t worker, void *item)
{
    struct work *work = context;
    struct sum *sum = item;
    if (atomic_fetch_add(&work->busy[worker], 1) != 0) {
        atomic_store(&work->has_clashed, true);
    }
    for (size_t i = 0; i <= sum->number % 97; i++) {
        sum->result += sum->number;
    }
    sum->worker = worker;
    atomic_fetch_add(&work->done, 1);
    atomic_fetch_sub(&work->busy[worker], 1);
}

static struct sum *take(struct check_queue *queue)
{
    struct sum *sum = check_queue_take(queue, bt_clock_monotonic_ms() + WAIT_MS);
    assert_non_null(sum);
    return sum;
}

static void items_come_back_in_their_order_with_any_number_of_threads(void **state)
{
    (void)state;
    for (size_t threads = 1; threads <= THREADS; threads++) {
        struct work *work = calloc(1, sizeof(*work));
        struct check_queue *queue = check_queue_create(threads, add_up, work);
        assert_non_null(queue);
        for (size_t i = 0; i < ITEMS; i++) {
            work->items[i].number = i;
            assert_int_equal(check_queue_add(queue, &work->items[i]), BT_OK);
        }
        assert_int_equal(check_queue_count(queue), ITEMS);
        for (size_t i = 0; i < ITEMS; i++) {
            const struct sum *sum = take(queue);
            assert_int_equal(sum->number, i);
            assert_int_equal(sum->result, i * (i % 97 + 1));
        }
        assert_null(check_queue_take(queue, 0));
        check_queue_destroy(queue);
        assert_false(work->has_clashed);
        free(work);
    }
}

static void items_can_be_taken_while_others_are_added(void **state)
{
    (void)state;
    struct work *work = calloc(1, sizeof(*work));
    struct check_queue *queue = check_queue_create(THREADS, add_up, work);
    size_t taken = 0;
    for (size_t i = 0; i < ITEMS; i++) {
        work->items[i].number = i;
        assert_int_equal(check_queue_add(queue, &work->items[i]), BT_OK);
        for (struct sum *sum = check_queue_take(queue, 0); sum; sum = check_queue_take(queue, 0)) {
            assert_int_equal(sum->number, taken++);
        }
    }
    while (taken < ITEMS) {
        assert_int_equal(take(queue)->number, taken);
        taken++;
    }
    check_queue_destroy(queue);
    free(work);
}

static void few_items_start_no_thread(void **state)
{
    (void)state;
    struct work *work = calloc(1, sizeof(*work));
    struct check_queue *queue = check_queue_create(THREADS, add_up, work);
    for (size_t i = 0; i < 32; i++) {
        assert_int_equal(check_queue_add(queue, &work->items[i]), BT_OK);
    }
    assert_null(check_queue_take(queue, 0)); /* nobody has begun */
    assert_int_equal(work->done, 0);
    for (size_t i = 0; i < 32; i++) {
        assert_int_equal(take(queue)->worker, 0);
    }
    check_queue_destroy(queue);
    free(work);
}

static void a_queue_can_end_before_its_items(void **state)
{
    (void)state;
    struct work *work = calloc(1, sizeof(*work));
    struct check_queue *queue = check_queue_create(THREADS, add_up, work);
    for (size_t i = 0; i < ITEMS; i++) {
        assert_int_equal(check_queue_add(queue, &work->items[i]), BT_OK);
    }
    (void)take(queue);
    check_queue_destroy(queue);
    const size_t done = work->done;
    assert_true(done <= ITEMS);
    assert_int_equal(work->done, done); /* no thread is left */
    free(work);
    check_queue_destroy(NULL);
}

static void there_is_at_least_one_core(void **state)
{
    (void)state;
    assert_in_range(check_queue_cores(), 1, CHECK_QUEUE_THREADS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_come_back_in_their_order_with_any_number_of_threads),
        cmocka_unit_test(items_can_be_taken_while_others_are_added),
        cmocka_unit_test(few_items_start_no_thread),
        cmocka_unit_test(a_queue_can_end_before_its_items),
        cmocka_unit_test(there_is_at_least_one_core),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
