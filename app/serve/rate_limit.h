/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rate_limit.h - rate limits: token buckets per principal, authentication failures per address.
 *
 * Every thread may use it.
 */
#ifndef BATON_APP_SERVE_RATE_LIMIT_H
#define BATON_APP_SERVE_RATE_LIMIT_H

#include <baton/base.h>

struct serve_rates;
struct serve_rate_bucket;

/* Make it. NULL when memory runs out. Destroy it with rates_destroy(). */
struct serve_rates *rates_create(void);
/* Destroy it. NULL is allowed. */
void rates_destroy(struct serve_rates *rates);

enum serve_rate_kind { RATE_CHECK = 0, RATE_SUBMIT };

enum { RATE_KINDS = 2 };

struct serve_rate_request {
    bt_str principal;
    enum serve_rate_kind kind;
    uint64_t per_second; /* the burst is twice as much; 0: not limited */
    bool is_free;        /* not limited, but streams are counted */
    bool is_stream;
    uint64_t streams_max;
    uint64_t now_ms;
};

/*
 * Acquire one request. False: the limit is reached. For a counted stream *out must be passed to
 * serve_rate_release().
 */
bool serve_rate_acquire(struct serve_rates *rates, const struct serve_rate_request *request,
                        struct serve_rate_bucket **out);
/* A stream has ended. NULL is allowed. */
void serve_rate_release(struct serve_rate_bucket *bucket);

/* Count an authentication failure. False: this address already had more than `per_minute`. */
bool serve_rate_count_failure(struct serve_rates *rates, const char *address, uint64_t per_minute,
                              uint64_t now_ms);

#endif
