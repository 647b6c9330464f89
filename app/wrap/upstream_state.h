/* SPDX-License-Identifier: Apache-2.0 */
/* upstream_state.h - what the files of upstream.h share. */
#ifndef BATON_APP_WRAP_UPSTREAM_STATE_H
#define BATON_APP_WRAP_UPSTREAM_STATE_H

#include "http/fetch.h"
#include "wrap/event_stream.h"
#include "wrap/message.h"
#include "wrap/upstream.h"

struct bt_dns_query; /* see net/dns.h */

enum {
    UPSTREAM_CONNECT_MS = 10000,
    UPSTREAM_REOPEN_MS = 1000, /* between two tries to open the stream of the server */
    UPSTREAM_READ_BYTES = 64 << 10,
    UPSTREAM_TEXT_BYTES_MAX = 1024,
};

/* What a request over HTTP is for. */
enum upstream_use {
    USE_REQUEST = 1, /* a request of the client */
    USE_OTHER,       /* a notification or a response of the client */
    USE_STREAM,      /* the server's own messages */
    USE_END,         /* the end of the session */
};

struct upstream_call {
    struct upstream_call *next;
    enum upstream_use use;
    struct http_fetch fetch;
    struct bt_wrap_id id; /* of a request */
    bool is_modern;
    bool is_handshake;
    bool is_initialized; /* the notice after the handshake */
    bool is_tools_list;
    bool is_listening;
    bool has_session; /* it named a session */
    bool has_head;
    bool is_events; /* the answer is an event stream */
    bool is_answered;
    struct wrap_event_stream events;
};

/* A text that the server gives and gets back. */
struct upstream_text {
    size_t size;
    char bytes[UPSTREAM_TEXT_BYTES_MAX];
};

/* The pipes to the proxy. */
struct upstream_pipes {
    int input_fd; /* -1: ended */
    int output_fd;
    struct bt_buf input;
    struct bt_buf output;
    size_t output_done; /* bytes that were written */
};

/* What is known about the server. */
struct upstream_peer {
    struct bt_tls_context *tls; /* NULL: in clear */
    struct bt_dns_query *names;
    const struct addrinfo *addresses;
    struct wrap_params params;
    struct upstream_text session;
    struct upstream_text version; /* that was negotiated, or named last */
    struct upstream_text event_id;
    bool is_modern; /* the last request of the client was */
};

struct upstream_state {
    const struct wrap_upstream *upstream;
    struct bt_arena arena; /* for one message at a time */
    struct upstream_pipes pipes;
    struct upstream_peer peer;
    int signal_fd;
    struct upstream_call *calls;
    size_t count;
    struct upstream_call *last; /* of the client; NULL: gone */
    uint64_t stream_ms; /* when to open the stream of the server; 0: not wanted; UINT64_MAX: open */
    uint64_t end_ms;    /* when to give up at the end; 0: not ending */
    bool is_over;
    int exit_status;
};

/* Read a line of the client, and begin its request. */
void upstream_take_line(struct upstream_state *state, bt_str line);
/* Begin a request without a body: USE_STREAM or USE_END. */
void upstream_send_plain(struct upstream_state *state, enum upstream_use use);
/* Take what has arrived for a request; it is removed when it has ended. */
void upstream_step_call(struct upstream_state *state, struct upstream_call *call);
/* Close a request and forget it. */
void upstream_remove_call(struct upstream_state *state, struct upstream_call *call);

#endif
