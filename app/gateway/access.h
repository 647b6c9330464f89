/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access.h - who may do what: each test answers for itself when it says no.
 */
#ifndef BATON_APP_GATEWAY_ACCESS_H
#define BATON_APP_GATEWAY_ACCESS_H

#include "gateway/gateway.h"

/* A page of another origin that is not listed, and a name that is not ours. */
bool access_origin(struct exchange *x);
bool access_host(struct exchange *x);
/* Answers preflights of listed origins; false then, too. */
bool access_preflight(struct exchange *x);
/* Who calls; public paths need nobody. */
bool access_principal(struct exchange *x);
bool access_scope(struct exchange *x);
bool access_rate(struct exchange *x);

/* In a worker: whether the rate of the caller allows one more act that records, beyond the one that
 * was counted when the request came in. `context` is the exchange. */
bool access_may_record(void *context);

#endif
