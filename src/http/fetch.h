/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fetch.h - one request to another server, and its answer as it comes. Nothing here waits.
 *
 *     while (!http_fetch_has_ended(&fetch)) {
 *         ... poll() for http_fetch_events(&fetch)
 *         http_fetch_step(&fetch);
 *         ... take bytes of fetch.body, and clear it
 *     }
 *
 * Each request has a connection of its own: one that is used again may have been closed by the
 * server, and then nobody knows whether the request was executed.
 */
#ifndef BATON_SRC_HTTP_FETCH_H
#define BATON_SRC_HTTP_FETCH_H

#include "http/chunks.h"
#include "net/connection.h"

struct addrinfo; /* of <netdb.h> */

enum http_fetch_stage {
    HTTP_FETCH_CONNECTING = 1,
    HTTP_FETCH_SENDING,
    HTTP_FETCH_HEAD, /* of the answer */
    HTTP_FETCH_BODY,
    HTTP_FETCH_COMPLETE,
    HTTP_FETCH_FAILED, /* see `failure` */
};

/* How the end of a body is known. */
enum http_fetch_framing {
    HTTP_FETCH_UNTIL_CLOSED = 0,
    HTTP_FETCH_LENGTH,
    HTTP_FETCH_CHUNKS,
};

/* Where a request goes; everything is borrowed. */
struct http_fetch_target {
    const struct addrinfo *addresses; /* tried in this order */
    struct bt_tls_context *tls;       /* NULL: in clear */
    bt_str host;                      /* whose certificate is demanded */
};

struct http_fetch {
    enum http_fetch_stage stage;
    const char *failure; /* a constant text */
    struct http_fetch_target target;
    const struct addrinfo *address; /* that is tried now */
    bool is_open;                   /* there is a connection */
    struct bt_net_connection connection;
    struct bt_buf request; /* what is left of it is in the connection */
    size_t sent;
    struct bt_buf head; /* of the answer, as received */
    unsigned status;
    enum http_fetch_framing framing;
    uint64_t left; /* bytes of a body with a length */
    struct http_limits limits;
    struct http_chunks chunks;
    struct bt_buf body; /* decoded and not taken yet */
    uint64_t last_ms;   /* of the monotonic clock: when something moved */
};

/*
 * Begin a request. The bytes of `request` move into it: the head with its empty line, and
 * the body. `body_max` bounds what waits in fetch->body. Free it with http_fetch_free().
 */
void http_fetch_begin(struct http_fetch *fetch, const struct http_fetch_target *target,
                      struct bt_buf *request, size_t body_max);
/* Close and free. */
void http_fetch_free(struct http_fetch *fetch);

/* The descriptor to wait for, or -1, and the events of poll() to wait for. */
int http_fetch_fd(const struct http_fetch *fetch);
short http_fetch_events(const struct http_fetch *fetch);
/* True when a step can be made without waiting. */
bool http_fetch_is_ready(const struct http_fetch *fetch);
/* Do what can be done now: connect, send, receive. */
void http_fetch_step(struct http_fetch *fetch);
/* Give up. `why` is a constant text. */
void http_fetch_fail(struct http_fetch *fetch, const char *why);
/* True when it is complete or has failed. */
bool http_fetch_has_ended(const struct http_fetch *fetch);

/* The value of a header field of the answer, by its name in lower case; "" when it is absent. Valid
 * once the head is complete. */
bt_str http_fetch_field(const struct http_fetch *fetch, bt_str name);

#endif
