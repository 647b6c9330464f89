/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client.h - one request to another server. The caller waits for name lookup and sockets, but not
 * beyond the deadline.
 */
#ifndef BATON_SRC_HTTP_CLIENT_H
#define BATON_SRC_HTTP_CLIENT_H

#include <stdatomic.h>

#include <baton/base.h>

/* A URL taken apart. */
struct http_url {
    bool is_tls;
    bt_str host;
    bt_str port;
    bt_str authority;
    bt_str path; /* "" or begins with a slash, and does not end with one */
};

/* BT_EINVAL: it is not a URL of http or https. A user part in it is ignored. */
BT_MUST_USE enum bt_status bt_http_url_parse(struct bt_arena *arena, bt_str url,
                                             struct http_url *out);

/* Whether a text can be sent as the value of a field. */
bool http_value_is(bt_str text);

struct http_client_post {
    const struct http_url *where;
    const char *path; /* behind that of the URL */
    bt_str fields;    /* further lines of the head, each with its end */
    bt_str body;
    uint64_t until_ms; /* of the monotonic clock: when to give up ... */
    const _Atomic uint64_t
        *end_ms; /* ... or when this says, if that is sooner; NULL: it does not */
};

/*
 * Send a body and wait for the answer. Returns its status, 0 when there was none in time. What it
 * says goes to `out_body`, as far as that may grow; NULL: nobody wants to know.
 */
unsigned bt_http_client_post(const struct http_client_post *post, struct bt_buf *out_body);

#endif
