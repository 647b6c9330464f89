/* SPDX-License-Identifier: Apache-2.0 */
/* auth.h - admission checks: each sets the response itself when it refuses a request. */
#ifndef BATON_APP_SERVE_AUTH_H
#define BATON_APP_SERVE_AUTH_H

#include "serve/server.h"

/*
 * Refuse pages of origins that are not listed, and host names that are not the server's. False:
 * refused.
 */
bool serve_auth_check_origin(struct serve_call *x);
bool serve_auth_check_host(struct serve_call *x);
/* Answer preflight requests of listed origins. False: the response is set. */
bool serve_auth_answer_preflight(struct serve_call *x);
/* Find the principal; public paths need none. False: refused. */
bool serve_auth_find_principal(struct serve_call *x);
/* Check that the principal holds a scope of the route. False: refused. */
bool serve_auth_check_scope(struct serve_call *x);
/* Check the rate limit of the principal. False: refused. */
bool serve_auth_check_rate(struct serve_call *x);
/*
 * On a worker, before each pull of a stream: true while the credential that opened it is in force
 * as it was then. False: it has expired, or a reload has removed or changed it.
 */
bool serve_auth_still_holds(struct serve_call *x);

/*
 * On a worker: true when the caller's rate limit allows one more recording operation, beyond the
 * one that was counted when the request was admitted. `context` is the struct serve_call.
 */
bool access_may_record(void *context);

/* True when the caller may use a log that is not the default one. */
bool serve_auth_has_log(const struct serve_call *x, bt_str log);
/* Refuse a log that does not exist and one that is not the caller's, with the same answer. */
bool serve_auth_check_log(struct serve_call *x);

#endif
