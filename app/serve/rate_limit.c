/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rate_limit.c - rate limits. The tables are bounded: principals are those of the credentials file,
 * and of addresses only the last failing ones are kept.
 */
#include "serve/rate_limit.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "serve/hash.h"

enum {
    NAME_BYTES = 65,
    HEADS = 256,
    FAILURES = 4096,
    ADDRESS_BYTES = 48,
    MINUTE_MS = 60000,
    MILLI = 1000, /* a bucket counts thousandths, so that a low rate fills it evenly */
};

struct serve_rate_bucket {
    struct serve_rate_bucket *next;
    char name[NAME_BYTES];
    uint64_t level[RATE_KINDS]; /* in thousandths */
    uint64_t filled_ms[RATE_KINDS];
    uint64_t streams;
    pthread_mutex_t *lock; /* of the table */
};

struct serve_rate_failure {
    char address[ADDRESS_BYTES];
    uint64_t since_ms;
    uint64_t count;
};

struct serve_rates {
    pthread_mutex_t lock; /* guards what follows */
    struct serve_rate_bucket *heads[HEADS];
    struct serve_rate_failure failures[FAILURES];
};

struct serve_rates *rates_create(void)
{
    struct serve_rates *rates = calloc(1, sizeof(*rates));
    if (rates && pthread_mutex_init(&rates->lock, NULL) != 0) {
        free(rates);
        return NULL;
    }
    return rates;
}

void rates_destroy(struct serve_rates *rates)
{
    if (!rates) {
        return;
    }
    (void)pthread_mutex_destroy(&rates->lock);
    for (size_t i = 0; i < HEADS; i++) {
        while (rates->heads[i]) {
            struct serve_rate_bucket *bucket = rates->heads[i];
            rates->heads[i] = bucket->next;
            free(bucket);
        }
    }
    free(rates);
}

static struct serve_rate_bucket *bucket_of(struct serve_rates *rates,
                                           const struct serve_rate_request *request)
{
    struct serve_rate_bucket **head = &rates->heads[hash_text(request->principal) % HEADS];
    for (struct serve_rate_bucket *bucket = *head; bucket; bucket = bucket->next) {
        if (bt_str_eq(bt_str_of(bucket->name), request->principal)) {
            return bucket;
        }
    }
    struct serve_rate_bucket *bucket = calloc(1, sizeof(*bucket));
    if (!bucket || request->principal.len >= NAME_BYTES) {
        free(bucket);
        return NULL;
    }
    memcpy(bucket->name, request->principal.ptr, request->principal.len);
    bucket->lock = &rates->lock;
    bucket->next = *head;
    *head = bucket;
    return bucket;
}

/* Take one from the bucket. False when it is empty. */
static bool take_from_bucket(struct serve_rate_bucket *bucket,
                             const struct serve_rate_request *request)
{
    const uint64_t full = request->per_second * 2 * MILLI;
    uint64_t *level = &bucket->level[request->kind];
    uint64_t *filled_ms = &bucket->filled_ms[request->kind];
    const uint64_t passed = request->now_ms > *filled_ms ? request->now_ms - *filled_ms : 0;
    const bool is_full = *filled_ms == 0 || passed >= (uint64_t)2 * MILLI;
    const uint64_t more = is_full ? full : passed * request->per_second;
    *level = *level + more < full ? *level + more : full;
    *filled_ms = request->now_ms > *filled_ms ? request->now_ms : *filled_ms;
    if (*level < MILLI) {
        return false;
    }
    *level -= MILLI;
    return true;
}

/* Acquire a request, with the lock held. */
static bool acquire_rate(struct serve_rates *rates, const struct serve_rate_request *request,
                         bool is_limited, struct serve_rate_bucket **out)
{
    struct serve_rate_bucket *bucket = bucket_of(rates, request);
    if (!bucket || (request->is_stream && bucket->streams >= request->streams_max) ||
        (is_limited && !take_from_bucket(bucket, request))) {
        return false;
    }
    if (request->is_stream) {
        bucket->streams++;
        *out = bucket;
    }
    return true;
}

bool serve_rate_acquire(struct serve_rates *rates, const struct serve_rate_request *request,
                        struct serve_rate_bucket **out)
{
    const bool is_limited = !request->is_free && request->per_second > 0;
    if (!is_limited && !request->is_stream) {
        return true;
    }
    (void)pthread_mutex_lock(&rates->lock);
    const bool is_taken = acquire_rate(rates, request, is_limited, out);
    (void)pthread_mutex_unlock(&rates->lock);
    return is_taken;
}

void serve_rate_release(struct serve_rate_bucket *bucket)
{
    if (bucket) {
        (void)pthread_mutex_lock(bucket->lock);
        bucket->streams--;
        (void)pthread_mutex_unlock(bucket->lock);
    }
}

bool serve_rate_count_failure(struct serve_rates *rates, const char *address, uint64_t per_minute,
                              uint64_t now_ms)
{
    const bt_str text = bt_str_of(address);
    (void)pthread_mutex_lock(&rates->lock);
    struct serve_rate_failure *failure = &rates->failures[hash_text(text) % FAILURES];
    const bool is_same = bt_str_eq(bt_str_of(failure->address), text);
    if (!is_same || now_ms - failure->since_ms >= MINUTE_MS) {
        *failure = (struct serve_rate_failure){.since_ms = now_ms};
        memcpy(failure->address, text.ptr, text.len < ADDRESS_BYTES ? text.len : ADDRESS_BYTES - 1);
    }
    failure->count++;
    const bool is_allowed = failure->count <= per_minute;
    (void)pthread_mutex_unlock(&rates->lock);
    return is_allowed;
}
