/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rate.h - how often somebody may ask: token buckets per principal, failures per address.
 *
 * For any thread.
 */
#ifndef BATON_APP_GATEWAY_RATE_H
#define BATON_APP_GATEWAY_RATE_H

#include <baton/base.h>

struct rates;
struct rate_bucket;

/* NULL when there is no memory. */
struct rates *rates_create(void);
/* NULL is allowed. */
void rates_destroy(struct rates *rates);

enum rate_kind { RATE_CHECK = 0, RATE_SUBMIT };

enum { RATE_KINDS = 2 };

struct rate_ask {
    bt_str principal;
    enum rate_kind kind;
    uint64_t per_second; /* the burst is twice as much; 0: as often as they like */
    bool is_free;        /* no rate, but streams are counted */
    bool is_stream;
    uint64_t streams_max;
    uint64_t now_ms;
};

/* Take one. False: not now. A stream that was counted is in *out, for rate_give_back(). */
bool rate_take(struct rates *rates, const struct rate_ask *ask, struct rate_bucket **out);
/* A stream has ended; NULL is allowed. */
void rate_give_back(struct rate_bucket *bucket);

/* Count a failure to authenticate. False: this address had more than `per_minute` already. */
bool rate_take_failure(struct rates *rates, const char *address, uint64_t per_minute,
                       uint64_t now_ms);

#endif
