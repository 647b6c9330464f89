/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resolve.c - ask the system's resolver, in a thread of its own.
 *
 * The resolver tries servers for as long as its own configuration says, and nobody can tell it to
 * stop. So who has a deadline leaves it alone: the lookup then belongs to its thread, which ends
 * when the resolver does.
 */
#include "store/resolve.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netdb.h>
#include <pthread.h>

#include "base/ticks.h"

enum { LOOKUP_BYTES_MAX = 1 << 16, STACK_BYTES = 512 << 10 };

/* Shared by who asks and the thread; whoever is done last frees it. */
struct lookup {
    struct bt_arena arena; /* holds the lookup itself */
    bt_str name;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool is_done;
    bool is_left;
    int code; /* of getaddrinfo() */
    struct bt_addresses found;
};

bool bt_resolve_is_name(const char *host)
{
    struct in6_addr address; /* large enough for both kinds */
    return host && host[0] != '\0' && host[0] != '/' && host[0] != '@' &&
           inet_pton(AF_INET, host, &address) != 1 && inet_pton(AF_INET6, host, &address) != 1;
}

static void lookup_free(struct lookup *lookup)
{
    (void)pthread_cond_destroy(&lookup->ended);
    (void)pthread_mutex_destroy(&lookup->lock);
    struct bt_arena arena = lookup->arena; /* which holds the lookup */
    bt_arena_free(&arena);
}

static struct lookup *lookup_make(const char *name)
{
    struct bt_arena arena;
    bt_arena_init(&arena, LOOKUP_BYTES_MAX);
    struct lookup *lookup = BT_NEW(&arena, struct lookup);
    if (!lookup || bt_arena_copy(&arena, bt_str_of(name), &lookup->name) != BT_OK ||
        pthread_mutex_init(&lookup->lock, NULL) != 0) {
        bt_arena_free(&arena);
        return NULL;
    }
    if (!bt_ticks_cond_init(&lookup->ended)) {
        (void)pthread_mutex_destroy(&lookup->lock);
        bt_arena_free(&arena);
        return NULL;
    }
    lookup->arena = arena;
    return lookup;
}

/* ---- The thread ------------------------------------------------------------------------------ */

static int find(const char *name, struct bt_addresses *out)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    const int code = getaddrinfo(name, NULL, &hints, &found);
    if (code != 0) {
        return code;
    }
    for (const struct addrinfo *at = found; at && out->count < BT_ADDRESSES_MAX; at = at->ai_next) {
        char *text = out->texts[out->count];
        if (getnameinfo(at->ai_addr, at->ai_addrlen, text, BT_ADDRESS_BYTES, NULL, 0,
                        NI_NUMERICHOST) == 0) {
            out->count++;
        }
    }
    freeaddrinfo(found);
    return out->count > 0 ? 0 : EAI_NONAME;
}

static void *look_up(void *context)
{
    struct lookup *lookup = context;
    struct bt_addresses found = {.count = 0};
    const int code = find(lookup->name.ptr, &found);
    (void)pthread_mutex_lock(&lookup->lock);
    const bool is_left = lookup->is_left;
    lookup->code = code;
    lookup->found = found;
    lookup->is_done = true;
    (void)pthread_cond_signal(&lookup->ended);
    (void)pthread_mutex_unlock(&lookup->lock);
    if (is_left) {
        lookup_free(lookup);
    }
    return NULL;
}

static bool start(struct lookup *lookup)
{
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes) != 0) {
        return false;
    }
    const bool is_started =
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0 &&
        pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0 &&
        pthread_create(&thread, &attributes, look_up, lookup) == 0;
    (void)pthread_attr_destroy(&attributes);
    return is_started;
}

/* ---- Who asks -------------------------------------------------------------------------------- */

/* Whether it was done in time; else the lookup is the thread's. */
static bool await(struct lookup *lookup, uint64_t until_ms)
{
    const struct timespec until = bt_ticks_at(until_ms);
    int code = 0;
    (void)pthread_mutex_lock(&lookup->lock);
    while (!lookup->is_done && code != ETIMEDOUT) {
        code = pthread_cond_timedwait(&lookup->ended, &lookup->lock, &until);
    }
    const bool is_done = lookup->is_done;
    lookup->is_left = !is_done;
    (void)pthread_mutex_unlock(&lookup->lock);
    return is_done;
}

enum bt_status bt_resolve(const char *name, uint64_t until_ms, struct bt_addresses *out,
                          struct bt_error *error)
{
    assert(name);
    assert(out);
    struct lookup *lookup = lookup_make(name);
    if (!lookup) {
        return bt_fail(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    if (!start(lookup)) {
        lookup_free(lookup);
        return bt_fail(error, BT_ENOMEM, "cannot start a thread");
    }
    if (!await(lookup, until_ms)) {
        return bt_fail(error, BT_EIO,
                       "cannot connect: the name %.80s was not found before the deadline", name);
    }
    enum bt_status status = BT_OK;
    if (lookup->code == 0) {
        *out = lookup->found;
    } else {
        status = bt_fail(error, BT_EIO, "cannot connect: the name %.80s: %s", name,
                         gai_strerror(lookup->code));
    }
    lookup_free(lookup);
    return status;
}
