/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dns.c - run the system's resolver on its own thread.
 *
 * The resolver waits for other machines for as long as its configuration says and cannot be
 * interrupted. A caller whose deadline passes abandons the query; the thread then owns it and frees
 * it when the resolver returns.
 */
#include "net/dns.h"

#include <assert.h>
#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"

enum {
    HOST_BYTES_MAX = 256,
    PORT_BYTES_MAX = 8,
    QUERY_BYTES_MAX = 4096,
    STACK_BYTES = 512 << 10,
};

/* Shared by the caller and the thread; the last of them frees it. */
struct bt_dns_query {
    struct bt_arena arena; /* holds the query itself */
    char host[HOST_BYTES_MAX];
    char port[PORT_BYTES_MAX]; /* "": none */
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool is_over;
    bool is_abandoned;
    int code; /* of getaddrinfo() */
    struct addrinfo *found;
};

static void free_query(struct bt_dns_query *query)
{
    if (query->found) {
        freeaddrinfo(query->found);
    }
    (void)pthread_cond_destroy(&query->ended);
    (void)pthread_mutex_destroy(&query->lock);
    struct bt_arena arena = query->arena; /* which holds the query */
    bt_arena_free(&arena);
}

static struct bt_dns_query *create_query(bt_str host, bt_str port)
{
    struct bt_arena arena;
    bt_arena_init(&arena, QUERY_BYTES_MAX);
    struct bt_dns_query *query = BT_NEW(&arena, struct bt_dns_query);
    if (!query || pthread_mutex_init(&query->lock, NULL) != 0) {
        bt_arena_free(&arena);
        return NULL;
    }
    if (!bt_clock_cond_init(&query->ended)) {
        (void)pthread_mutex_destroy(&query->lock);
        bt_arena_free(&arena);
        return NULL;
    }
    memcpy(query->host, host.ptr, host.len);
    memcpy(query->port, port.ptr, port.len);
    query->arena = arena;
    return query;
}

static int resolve_host(const struct bt_dns_query *query, int flags, struct addrinfo **out)
{
    const struct addrinfo hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = flags | AI_NUMERICSERV};
    return getaddrinfo(query->host, query->port[0] != '\0' ? query->port : NULL, &hints, out);
}

static void *run_query(void *context)
{
    struct bt_dns_query *query = context;
    struct addrinfo *found = NULL;
    const int code = resolve_host(query, 0, &found);
    (void)pthread_mutex_lock(&query->lock);
    const bool is_abandoned = query->is_abandoned;
    query->code = code;
    query->found = code == 0 ? found : NULL;
    query->is_over = true;
    (void)pthread_cond_signal(&query->ended);
    (void)pthread_mutex_unlock(&query->lock);
    if (is_abandoned) {
        free_query(query);
    }
    return NULL;
}

static bool start_thread(struct bt_dns_query *query)
{
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes) != 0) {
        return false;
    }
    const bool is_started =
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0 &&
        pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0 &&
        pthread_create(&thread, &attributes, run_query, query) == 0;
    (void)pthread_attr_destroy(&attributes);
    return is_started;
}

enum bt_status bt_dns_start(bt_str host, bt_str port, struct bt_dns_query **out)
{
    assert(out);
    if (host.len >= HOST_BYTES_MAX || port.len >= PORT_BYTES_MAX) {
        return BT_EINVAL;
    }
    struct bt_dns_query *query = create_query(host, port);
    if (!query) {
        return BT_ENOMEM;
    }
    query->is_over = resolve_host(query, AI_NUMERICHOST, &query->found) == 0;
    if (!query->is_over) {
        query->found = NULL;
        if (!start_thread(query)) {
            free_query(query);
            return BT_EIO;
        }
    }
    *out = query;
    return BT_OK;
}

bool bt_dns_wait(struct bt_dns_query *query, uint64_t until_ms)
{
    const struct timespec until = bt_clock_deadline(until_ms);
    int code = until_ms > 0 ? 0 : ETIMEDOUT;
    (void)pthread_mutex_lock(&query->lock);
    while (!query->is_over && code == 0) {
        code = pthread_cond_timedwait(&query->ended, &query->lock, &until);
    }
    const bool is_over = query->is_over;
    (void)pthread_mutex_unlock(&query->lock);
    return is_over;
}

const struct addrinfo *bt_dns_addresses(const struct bt_dns_query *query, const char **out_why)
{
    if (!query->found) {
        *out_why = gai_strerror(query->code);
    }
    return query->found;
}

void bt_dns_free(struct bt_dns_query *query)
{
    if (!query) {
        return;
    }
    (void)pthread_mutex_lock(&query->lock);
    const bool is_over = query->is_over;
    query->is_abandoned = true;
    (void)pthread_mutex_unlock(&query->lock);
    if (is_over) {
        free_query(query);
    }
}
