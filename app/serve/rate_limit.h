/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rate_limit.h - how often somebody may ask: token buckets per principal, failures per address.
 *
 * For any thread.
 */
#ifndef BATON_APP_SERVE_RATE_LIMIT_H
#define BATON_APP_SERVE_RATE_LIMIT_H

#include <baton/base.h>

struct serve_rates;
struct serve_rate_bucket;

/* NULL when there is no memory. */
struct serve_rates *rates_create(void);
/* NULL is allowed. */
void rates_destroy(struct serve_rates *rates);

enum serve_rate_kind { RATE_CHECK = 0, RATE_SUBMIT };

enum { RATE_KINDS = 2 };

struct serve_rate_request {
    bt_str principal;
    enum serve_rate_kind kind;
    uint64_t per_second; /* the burst is twice as much; 0: as often as they like */
    bool is_free;        /* no rate, but streams are counted */
    bool is_stream;
    uint64_t streams_max;
    uint64_t now_ms;
};

/* Take one. False: not now. A stream that was counted is in *out, for rate_give_back(). */
bool serve_rate_acquire(struct serve_rates *rates, const struct serve_rate_request *request,
                        struct serve_rate_bucket **out);
/* A stream has ended; NULL is allowed. */
void serve_rate_release(struct serve_rate_bucket *bucket);

/* Count a failure to authenticate. False: this address had more than `per_minute` already. */
bool serve_rate_count_failure(struct serve_rates *rates, const char *address, uint64_t per_minute,
                              uint64_t now_ms);

#endif
