/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_client.h - one POST to another server, or one GET.
 *
 * The calling thread waits for the name and the sockets, never beyond the deadline. Redirects are
 * not followed, no proxy is used, and the system's authorities must vouch for the name of an https
 * server. docs/decisions/0023-own-http-client.md says why this is not libcurl.
 */
#ifndef BATON_SRC_NET_HTTP_CLIENT_H
#define BATON_SRC_NET_HTTP_CLIENT_H

#include <stdatomic.h>

#include <baton/base.h>

/* The parts of a URL. */
struct http_url {
    bool is_tls;
    bt_str host;
    bt_str port;
    bt_str authority;
    bt_str path; /* "" or begins with a slash, and does not end with one */
};

/* BT_EINVAL: not a URL of http or https. A user in it is ignored. */
BT_MUST_USE enum bt_status bt_http_url_parse(struct bt_arena *arena, bt_str url,
                                             struct http_url *out);

/* True when the text can be sent as the value of a header field. */
bool bt_http_field_value_is_valid(bt_str text);

struct http_client_post {
    bool is_get; /* a GET without a body instead */
    const struct http_url *where;
    const char *path; /* appended to that of the URL */
    bt_str fields;    /* further header lines, each with CRLF */
    bt_str body;
    uint64_t until_ms; /* deadline of the monotonic clock ... */
    const _Atomic uint64_t
        *end_ms; /* ... and another one, which may move while the POST runs; NULL: none */
    struct bt_error *error; /* set when no authorities are known for TLS; NULL: not wanted */
};

/*
 * Send a body and wait for the answer. Returns its status, or 0 when there was no answer before the
 * deadline. The body of the answer is appended to `out_body`, up to its maximum; NULL: it is not
 * read.
 */
unsigned bt_http_client_post(const struct http_client_post *post, struct bt_buf *out_body);

#endif
