/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rate.c - how often somebody may ask. Tables are bounded: names are those of tokens, and of
 * addresses the ones that failed last are remembered.
 */
#include "gateway/rate.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "service/hash.h"

enum {
    NAME_BYTES = 65,
    HEADS = 256,
    FAILURES = 4096,
    ADDRESS_BYTES = 48,
    MINUTE_MS = 60000,
    MILLI = 1000, /* a bucket counts thousandths, so that a slow rate fills it evenly */
};

struct rate_bucket {
    struct rate_bucket *next;
    char name[NAME_BYTES];
    uint64_t level[RATE_KINDS]; /* in thousandths */
    uint64_t filled_ms[RATE_KINDS];
    uint64_t streams;
    pthread_mutex_t *lock; /* of the table */
};

struct failure {
    char address[ADDRESS_BYTES];
    uint64_t since_ms;
    uint64_t count;
};

struct rates {
    pthread_mutex_t lock; /* guards what follows */
    struct rate_bucket *heads[HEADS];
    struct failure failures[FAILURES];
};

struct rates *rates_create(void)
{
    struct rates *rates = calloc(1, sizeof(*rates));
    if (rates && pthread_mutex_init(&rates->lock, NULL) != 0) {
        free(rates);
        return NULL;
    }
    return rates;
}

void rates_destroy(struct rates *rates)
{
    if (!rates) {
        return;
    }
    (void)pthread_mutex_destroy(&rates->lock);
    for (size_t i = 0; i < HEADS; i++) {
        while (rates->heads[i]) {
            struct rate_bucket *bucket = rates->heads[i];
            rates->heads[i] = bucket->next;
            free(bucket);
        }
    }
    free(rates);
}

static struct rate_bucket *bucket_of(struct rates *rates, const struct rate_ask *ask)
{
    struct rate_bucket **head = &rates->heads[hash_text(ask->principal) % HEADS];
    for (struct rate_bucket *bucket = *head; bucket; bucket = bucket->next) {
        if (bt_str_eq(bt_str_of(bucket->name), ask->principal)) {
            return bucket;
        }
    }
    struct rate_bucket *bucket = calloc(1, sizeof(*bucket));
    if (!bucket || ask->principal.len >= NAME_BYTES) {
        free(bucket);
        return NULL;
    }
    memcpy(bucket->name, ask->principal.ptr, ask->principal.len);
    bucket->lock = &rates->lock;
    bucket->next = *head;
    *head = bucket;
    return bucket;
}

/* Whether the bucket holds one; it is taken then. */
static bool drink(struct rate_bucket *bucket, const struct rate_ask *ask)
{
    const uint64_t full = ask->per_second * 2 * MILLI;
    uint64_t *level = &bucket->level[ask->kind];
    uint64_t *filled_ms = &bucket->filled_ms[ask->kind];
    const uint64_t passed = ask->now_ms > *filled_ms ? ask->now_ms - *filled_ms : 0;
    const bool is_full = *filled_ms == 0 || passed >= (uint64_t)2 * MILLI;
    const uint64_t more = is_full ? full : passed * ask->per_second;
    *level = *level + more < full ? *level + more : full;
    *filled_ms = ask->now_ms > *filled_ms ? ask->now_ms : *filled_ms;
    if (*level < MILLI) {
        return false;
    }
    *level -= MILLI;
    return true;
}

/* With the lock held. */
static bool take(struct rates *rates, const struct rate_ask *ask, bool is_limited,
                 struct rate_bucket **out)
{
    struct rate_bucket *bucket = bucket_of(rates, ask);
    if (!bucket || (ask->is_stream && bucket->streams >= ask->streams_max) ||
        (is_limited && !drink(bucket, ask))) {
        return false;
    }
    if (ask->is_stream) {
        bucket->streams++;
        *out = bucket;
    }
    return true;
}

bool rate_take(struct rates *rates, const struct rate_ask *ask, struct rate_bucket **out)
{
    const bool is_limited = !ask->is_free && ask->per_second > 0;
    if (!is_limited && !ask->is_stream) {
        return true;
    }
    (void)pthread_mutex_lock(&rates->lock);
    const bool is_taken = take(rates, ask, is_limited, out);
    (void)pthread_mutex_unlock(&rates->lock);
    return is_taken;
}

void rate_give_back(struct rate_bucket *bucket)
{
    if (bucket) {
        (void)pthread_mutex_lock(bucket->lock);
        bucket->streams--;
        (void)pthread_mutex_unlock(bucket->lock);
    }
}

bool rate_take_failure(struct rates *rates, const char *address, uint64_t per_minute,
                       uint64_t now_ms)
{
    const bt_str text = bt_str_of(address);
    (void)pthread_mutex_lock(&rates->lock);
    struct failure *failure = &rates->failures[hash_text(text) % FAILURES];
    const bool is_same = bt_str_eq(bt_str_of(failure->address), text);
    if (!is_same || now_ms - failure->since_ms >= MINUTE_MS) {
        *failure = (struct failure){.since_ms = now_ms};
        memcpy(failure->address, text.ptr, text.len < ADDRESS_BYTES ? text.len : ADDRESS_BYTES - 1);
    }
    failure->count++;
    const bool is_allowed = failure->count <= per_minute;
    (void)pthread_mutex_unlock(&rates->lock);
    return is_allowed;
}
