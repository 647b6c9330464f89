/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status.h - the HTTP statuses of results. Numbers are only here, in problems.rules and in
 * src/http.
 */
#ifndef BATON_SRC_OPERATION_STATUS_H
#define BATON_SRC_OPERATION_STATUS_H

enum bt_http_status {
    BT_HTTP_OK = 200,
    BT_HTTP_CREATED = 201,
    BT_HTTP_ACCEPTED = 202,
    BT_HTTP_NO_CONTENT = 204,
    BT_HTTP_NOT_MODIFIED = 304,
    BT_HTTP_BAD_REQUEST = 400, /* and above: an error */
    BT_HTTP_FORBIDDEN = 403,
    BT_HTTP_NOT_FOUND = 404,
    BT_HTTP_CONFLICT = 409,
    BT_HTTP_UNPROCESSABLE = 422,
    BT_HTTP_TOO_MANY_REQUESTS = 429,
    BT_HTTP_INTERNAL = 500, /* and above: an error of the server */
    BT_HTTP_BAD_GATEWAY = 502,
    BT_HTTP_UNAVAILABLE = 503,
    BT_HTTP_GATEWAY_TIMEOUT = 504,
};

/* True when a request to another server succeeded. */
static inline int bt_http_is_success(unsigned status)
{
    return status >= 200 && status < 300;
}

#endif
