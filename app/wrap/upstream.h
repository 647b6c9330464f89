/* SPDX-License-Identifier: Apache-2.0 */
/*
 * upstream.h - a Streamable HTTP server as if it were one on standard input and output: each line
 * is one POST, and each message of an answer is one line.
 *
 * It runs in a process of its own, in `baton serve` on a thread, so that the proxy has one kind of
 * server only. A line that begins with BT_WRAP_NOTE says why a request failed.
 */
#ifndef BATON_APP_WRAP_UPSTREAM_H
#define BATON_APP_WRAP_UPSTREAM_H

#include "base/arena.h"
#include "base/env.h"
#include "net/http_client.h"
#include "net/tls.h"
#include "wrap/session.h"

struct wrap_upstream {
    struct http_url where;
    bt_str path;             /* with the query */
    bt_str fields;           /* further header lines, each with CRLF */
    const char *authorities; /* a PEM file with certificates to trust too, or NULL */
    uint64_t idle_ms;        /* an answer without a byte for so long ends */
    uint64_t message_bytes;
    const struct bt_env *env;
    int stop_fd; /* an eventfd that ends it; -1: it has a process of its own, and SIGTERM does */
};

/*
 * Make the context for TLS, or none for a URL in clear. Destroy it with bt_tls_context_destroy().
 * Statuses of bt_tls_client_create().
 */
BT_MUST_USE enum bt_status wrap_upstream_make_tls(const struct wrap_upstream *upstream,
                                                  struct bt_tls_context **out,
                                                  struct bt_error *error);

/*
 * Pass lines of `input` to the server and its messages to `output`, until the input ends and every
 * request is answered, or SIGTERM. `served` is a struct wrap_upstream. Returns an exit status: 0,
 * or 1 when the session was lost.
 */
int wrap_upstream_serve(const void *served, int input, int output);

/* ---- Header fields of requests; upstream_fields.c -------------------------------------------- */

struct bt_wrap_message;

/* A parameter of a tool that a header field repeats. */
struct wrap_param {
    bt_str tool;
    bt_str property;
    bt_str field;
};

/* Those of all tools that were listed. */
struct wrap_params {
    struct bt_arena arena;
    struct wrap_param *items;
    size_t count;
    size_t capacity;
};

void wrap_params_init(struct wrap_params *params);
void wrap_params_free(struct wrap_params *params);
/* Note the parameters of one tool. False: no memory; they are forgotten. */
bool wrap_params_note_tool(struct wrap_params *params, const struct bt_json_doc *document,
                           const bt_json_value *tool);
/* Note the parameters of the tools in the answer to tools/list. Without memory they are forgotten,
 * and the server refuses calls that lack their fields. */
void wrap_params_note(struct wrap_params *params, const struct bt_wrap_message *answer);

/* The version that a modern message names, or "". */
bt_str wrap_upstream_version(const struct bt_wrap_message *message);
/* Put the header lines of a modern message. */
void wrap_upstream_put_fields(struct bt_buf *buf, const struct wrap_params *params,
                              const struct bt_wrap_message *message);

#endif
