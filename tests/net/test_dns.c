/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_dns.c - queries against a resolver that answers only when the test allows it.
 */
#include "test.h"

#include <netdb.h>
#include <pthread.h>

#include "base/clock.h"
#include "net/dns.h"

enum { SOON_MS = 50, NEVER_MS = 3600000 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_released;
    int waiting;
} resolver = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static struct addrinfo digits = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};

/* Replaces the system's: 192.0.2.1 is an address, `slow` takes until the test ends, and no name
 * has an address. */
int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                struct addrinfo **out)
{
    (void)service;
    const bool is_slow = strcmp(name, "slow") == 0 && !(hints->ai_flags & AI_NUMERICHOST);
    (void)pthread_mutex_lock(&resolver.lock);
    resolver.waiting += is_slow ? 1 : 0;
    while (is_slow && !resolver.is_released) {
        (void)pthread_cond_wait(&resolver.changed, &resolver.lock);
    }
    resolver.waiting -= is_slow ? 1 : 0;
    (void)pthread_cond_broadcast(&resolver.changed);
    (void)pthread_mutex_unlock(&resolver.lock);
    if (strcmp(name, "192.0.2.1") != 0) {
        return EAI_NONAME;
    }
    *out = &digits;
    return 0;
}

void freeaddrinfo(struct addrinfo *found)
{
    assert_ptr_equal(found, &digits);
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

static void an_address_in_digits_is_found_without_waiting(void **state)
{
    (void)state;
    struct bt_dns_query *query = NULL;
    const char *why = NULL;
    assert_int_equal(bt_dns_start(BT_STR("192.0.2.1"), BT_STR("80"), &query), BT_OK);
    assert_true(bt_dns_wait(query, 0));
    assert_ptr_equal(bt_dns_addresses(query, &why), &digits);
    bt_dns_free(query);
}

static void a_name_without_an_address_has_a_reason(void **state)
{
    (void)state;
    struct bt_dns_query *query = NULL;
    const char *why = NULL;
    assert_int_equal(bt_dns_start(BT_STR("nobody"), BT_STR(""), &query), BT_OK);
    assert_true(bt_dns_wait(query, bt_clock_monotonic_ms() + NEVER_MS));
    assert_null(bt_dns_addresses(query, &why));
    assert_string_equal(why, gai_strerror(EAI_NONAME));
    bt_dns_free(query);
}

static void a_resolver_that_hangs_is_abandoned_at_the_deadline(void **state)
{
    (void)state;
    struct bt_dns_query *query = NULL;
    const uint64_t until_ms = bt_clock_monotonic_ms() + SOON_MS;
    assert_int_equal(bt_dns_start(BT_STR("slow"), BT_STR("80"), &query), BT_OK);
    assert_false(bt_dns_wait(query, 0));
    assert_false(bt_dns_wait(query, until_ms));
    assert_true(bt_clock_monotonic_ms() >= until_ms);
    bt_dns_free(query);
    assert_false(resolver.is_released);
}

static void a_name_or_port_that_is_too_long_is_refused(void **state)
{
    (void)state;
    char name[257];
    struct bt_dns_query *query = NULL;
    memset(name, 'a', sizeof(name));
    assert_int_equal(bt_dns_start((bt_str){name, 256}, BT_STR("80"), &query), BT_EINVAL);
    assert_int_equal(bt_dns_start(BT_STR("nobody"), BT_STR("12345678"), &query), BT_EINVAL);
    assert_null(query);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_in_digits_is_found_without_waiting),
        cmocka_unit_test(a_name_without_an_address_has_a_reason),
        cmocka_unit_test(a_resolver_that_hangs_is_abandoned_at_the_deadline),
        cmocka_unit_test(a_name_or_port_that_is_too_long_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, release);
}
