/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lookup.c - ask the system's resolver, in a thread of its own.
 *
 * The resolver runs for as long as its own configuration says and cannot be cancelled. A caller
 * with a deadline therefore abandons it: the query then belongs to its thread, which frees it when
 * the resolver returns.
 */
#include <baton/lookup.h>

#include <assert.h>
#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <string.h>

#include "base/clock.h"

enum {
    HOST_BYTES_MAX = 256,
    PORT_BYTES_MAX = 8,
    LOOKUP_BYTES_MAX = 4096,
    STACK_BYTES = 512 << 10,
};

/* Shared by the caller and the thread; the last one to finish frees it. */
struct bt_dns_query {
    struct bt_arena arena; /* holds the lookup itself */
    char host[HOST_BYTES_MAX];
    char port[PORT_BYTES_MAX]; /* "": none */
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool is_over;
    bool is_left;
    int code; /* of getaddrinfo() */
    struct addrinfo *found;
};

static void lookup_free(struct bt_dns_query *lookup)
{
    if (lookup->found) {
        freeaddrinfo(lookup->found);
    }
    (void)pthread_cond_destroy(&lookup->ended);
    (void)pthread_mutex_destroy(&lookup->lock);
    struct bt_arena arena = lookup->arena; /* which holds the lookup */
    bt_arena_free(&arena);
}

static struct bt_dns_query *lookup_make(bt_str host, bt_str port)
{
    struct bt_arena arena;
    bt_arena_init(&arena, LOOKUP_BYTES_MAX);
    struct bt_dns_query *lookup = BT_NEW(&arena, struct bt_dns_query);
    if (!lookup || pthread_mutex_init(&lookup->lock, NULL) != 0) {
        bt_arena_free(&arena);
        return NULL;
    }
    if (!bt_clock_cond_init(&lookup->ended)) {
        (void)pthread_mutex_destroy(&lookup->lock);
        bt_arena_free(&arena);
        return NULL;
    }
    memcpy(lookup->host, host.ptr, host.len);
    memcpy(lookup->port, port.ptr, port.len);
    lookup->arena = arena;
    return lookup;
}

static int resolve_host(const struct bt_dns_query *lookup, int flags, struct addrinfo **out)
{
    const struct addrinfo hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = flags | AI_NUMERICSERV};
    return getaddrinfo(lookup->host, lookup->port[0] != '\0' ? lookup->port : NULL, &hints, out);
}

static void *run_lookup(void *context)
{
    struct bt_dns_query *lookup = context;
    struct addrinfo *found = NULL;
    const int code = resolve_host(lookup, 0, &found);
    (void)pthread_mutex_lock(&lookup->lock);
    const bool is_left = lookup->is_left;
    lookup->code = code;
    lookup->found = code == 0 ? found : NULL;
    lookup->is_over = true;
    (void)pthread_cond_signal(&lookup->ended);
    (void)pthread_mutex_unlock(&lookup->lock);
    if (is_left) {
        lookup_free(lookup);
    }
    return NULL;
}

static bool start_lookup(struct bt_dns_query *lookup)
{
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes) != 0) {
        return false;
    }
    const bool is_started =
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0 &&
        pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0 &&
        pthread_create(&thread, &attributes, run_lookup, lookup) == 0;
    (void)pthread_attr_destroy(&attributes);
    return is_started;
}

enum bt_status bt_dns_start(bt_str host, bt_str port, struct bt_dns_query **out)
{
    assert(out);
    if (host.len >= HOST_BYTES_MAX || port.len >= PORT_BYTES_MAX) {
        return BT_EINVAL;
    }
    struct bt_dns_query *lookup = lookup_make(host, port);
    if (!lookup) {
        return BT_ENOMEM;
    }
    lookup->is_over = resolve_host(lookup, AI_NUMERICHOST, &lookup->found) == 0;
    if (!lookup->is_over) {
        lookup->found = NULL;
        if (!start_lookup(lookup)) {
            lookup_free(lookup);
            return BT_EIO;
        }
    }
    *out = lookup;
    return BT_OK;
}

bool bt_dns_wait(struct bt_dns_query *lookup, uint64_t until_ms)
{
    const struct timespec until = bt_clock_deadline(until_ms);
    int code = until_ms > 0 ? 0 : ETIMEDOUT;
    (void)pthread_mutex_lock(&lookup->lock);
    while (!lookup->is_over && code == 0) {
        code = pthread_cond_timedwait(&lookup->ended, &lookup->lock, &until);
    }
    const bool is_over = lookup->is_over;
    (void)pthread_mutex_unlock(&lookup->lock);
    return is_over;
}

const struct addrinfo *bt_dns_addresses(const struct bt_dns_query *lookup, const char **out_why)
{
    if (!lookup->found) {
        *out_why = gai_strerror(lookup->code);
    }
    return lookup->found;
}

void bt_dns_free(struct bt_dns_query *lookup)
{
    if (!lookup) {
        return;
    }
    (void)pthread_mutex_lock(&lookup->lock);
    const bool is_over = lookup->is_over;
    lookup->is_left = true;
    (void)pthread_mutex_unlock(&lookup->lock);
    if (is_over) {
        lookup_free(lookup);
    }
}
