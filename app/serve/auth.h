/* SPDX-License-Identifier: Apache-2.0 */
/*
 * auth.h - who may do what: each test answers for itself when it says no.
 */
#ifndef BATON_APP_SERVE_AUTH_H
#define BATON_APP_SERVE_AUTH_H

#include "serve/server.h"

/* A page of another origin that is not listed, and a name that is not ours. */
bool serve_auth_check_origin(struct serve_call *x);
bool serve_auth_check_host(struct serve_call *x);
/* Answers preflights of listed origins; false then, too. */
bool serve_auth_answer_preflight(struct serve_call *x);
/* Who calls; public paths need nobody. */
bool serve_auth_find_principal(struct serve_call *x);
bool serve_auth_check_scope(struct serve_call *x);
bool serve_auth_check_rate(struct serve_call *x);

/* In a worker: whether the rate of the caller allows one more act that records, beyond the one that
 * was counted when the request came in. `context` is the exchange. */
bool access_may_record(void *context);

#endif
