/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_client.c - a resolver that never answers costs whoever asks the deadline, and no more.
 */
#include "test.h"

#include <netdb.h>
#include <pthread.h>

#include "http/client.h"
#include "http/http.h"

enum { SOON_MS = 50, NEVER_MS = 3600000 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_released; /* the resolver answers at last */
    int waiting;
} resolver = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

/* Instead of the system's: nobody is known, and for `slow` it takes until the test ends. */
int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                struct addrinfo **out)
{
    (void)service;
    (void)out;
    const bool is_slow = strcmp(name, "slow") == 0 && !(hints->ai_flags & AI_NUMERICHOST);
    (void)pthread_mutex_lock(&resolver.lock);
    resolver.waiting += is_slow ? 1 : 0;
    while (is_slow && !resolver.is_released) {
        (void)pthread_cond_wait(&resolver.changed, &resolver.lock);
    }
    resolver.waiting -= is_slow ? 1 : 0;
    (void)pthread_cond_broadcast(&resolver.changed);
    (void)pthread_mutex_unlock(&resolver.lock);
    return EAI_NONAME;
}

static int release(void **state)
{
    (void)state;
    (void)pthread_mutex_lock(&resolver.lock);
    resolver.is_released = true;
    (void)pthread_cond_broadcast(&resolver.changed);
    while (resolver.waiting > 0) {
        (void)pthread_cond_wait(&resolver.changed, &resolver.lock);
    }
    (void)pthread_mutex_unlock(&resolver.lock);
    return 0;
}

static unsigned ask(bt_str host, uint64_t until_ms, const _Atomic uint64_t *end_ms)
{
    const struct http_url where = {.host = host,
                                   .port = BT_STR_INIT("80"),
                                   .authority = BT_STR_INIT("nobody"),
                                   .path = BT_STR_INIT("")};
    const struct http_client_post post = {.where = &where,
                                          .path = "/",
                                          .fields = BT_STR_INIT(""),
                                          .body = BT_STR_INIT(""),
                                          .until_ms = until_ms,
                                          .end_ms = end_ms};
    return bt_http_client_post(&post, NULL);
}

static void a_name_that_is_never_found_costs_the_deadline_and_no_more(void **state)
{
    (void)state;
    const uint64_t until_ms = bt_clock_monotonic_ms() + SOON_MS;
    assert_int_equal(ask(BT_STR("slow"), until_ms, NULL), 0);
    assert_true(bt_clock_monotonic_ms() >= until_ms);
    assert_false(resolver.is_released);
}

static void whoever_ends_does_not_wait_for_a_name(void **state)
{
    (void)state;
    const _Atomic uint64_t end_ms = bt_clock_monotonic_ms() + SOON_MS;
    assert_int_equal(ask(BT_STR("slow"), bt_clock_monotonic_ms() + NEVER_MS, &end_ms), 0);
    assert_false(resolver.is_released);
}

static void a_name_that_nobody_has_is_not_waited_for(void **state)
{
    (void)state;
    assert_int_equal(ask(BT_STR("nobody"), bt_clock_monotonic_ms() + NEVER_MS, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_that_is_never_found_costs_the_deadline_and_no_more),
        cmocka_unit_test(whoever_ends_does_not_wait_for_a_name),
        cmocka_unit_test(a_name_that_nobody_has_is_not_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, release);
}
