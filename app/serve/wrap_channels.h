/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrap_channels.h - the wrapped servers that run now, and the requests that wait for them.
 *
 * A channel is one server and its clients: one for each legacy session, and one for the modern
 * requests of each principal. It has a thread, which runs the proxy of `baton wrap`
 * (wrap/served.h). Requests have ids of our own towards the server, because several clients share
 * it.
 */
#ifndef BATON_APP_SERVE_WRAP_CHANNELS_H
#define BATON_APP_SERVE_WRAP_CHANNELS_H

#include "serve/server.h"
#include "wrap/message.h"

struct serve_wrap;
struct serve_wrap_channel;

/* Make it, without channels. NULL: no memory. Destroy it with serve_wrap_destroy(). */
struct serve_wrap *serve_wrap_create(struct serve_server *gateway);
/* End all servers and wait for them. No request may be left. NULL is allowed. */
void serve_wrap_destroy(struct serve_wrap *wrap);
/* On the event loop, from time to time: end servers that nobody uses. */
void serve_wrap_end_idle(struct serve_wrap *wrap);

/* Which server of whom. */
struct serve_wrap_target {
    bt_str server;
    bt_str session;  /* of a legacy client; "": none */
    bool is_legacy;  /* without a session: one is opened */
    bool may_start;  /* start the server when it does not run */
    uint64_t idle_s; /* of the server's entry ... */
    uint64_t processes;
    uint64_t message_bytes;
};

/* A request that waits for answers. It lies in the memory of its HTTP request. */
struct serve_wrap_exchange {
    struct serve_wrap_exchange *next;   /* an older one of the channel */
    struct serve_wrap_channel *channel; /* NULL: none, or the server has ended */
    struct http_exchange *call;
    uint64_t number; /* its id and its progress token towards the server */
    struct bt_wrap_id client_id;
    bt_str id;                        /* as the client wrote it */
    bt_str token;                     /* its progress token as it was written; "": none */
    char session[BT_UUID_TEXT_BYTES]; /* that was opened for it; "": none */
    bool takes_events;                /* it can get more than its answer */
    bool lists_tools;
    bool is_answered;
    int64_t error_code;   /* of the answer; 0: it is a result */
    bool is_parked;       /* http_call_resume() wakes it */
    struct bt_buf output; /* lines for the client */
};

/* A number that no other request of this process has. */
uint64_t serve_wrap_next_number(struct serve_wrap *wrap);

enum serve_wrap_outcome {
    SERVE_WRAP_SENT = 1,
    SERVE_WRAP_NO_CHANNEL, /* no such session, or the server does not run */
    SERVE_WRAP_BUSY,       /* too many processes, or too much waits for the server */
};

/*
 * Send a line to the server. `exchange`: waits for the answer, until serve_wrap_leave(); NULL: no
 * answer is expected.
 */
enum serve_wrap_outcome serve_wrap_send(struct serve_call *x,
                                        const struct serve_wrap_target *target, bt_str line,
                                        struct serve_wrap_exchange *exchange);
/* Take what has arrived. True: the answer is the last line of all. */
bool serve_wrap_take(struct serve_wrap *wrap, struct serve_wrap_exchange *exchange,
                     struct bt_buf *out);
/*
 * Park the request, unless something has arrived. False: something has. With `is_first` it is run
 * again at once when something arrives; later the loop wakes it, which notices a client that left.
 */
bool serve_wrap_park(struct serve_wrap *wrap, struct serve_wrap_exchange *exchange, bool is_first);
/* The request waits no longer. A modern one that has no answer is cancelled, the answer of a legacy
 * one is lost. */
void serve_wrap_leave(struct serve_wrap *wrap, struct serve_wrap_exchange *exchange);
/* End the server of a session that could not be opened. */
void serve_wrap_close_session(struct serve_wrap *wrap, const struct serve_wrap_exchange *exchange);

/* The number of the open request that clients of a target's channel gave this id; 0: there is none,
 * or more than one. */
uint64_t serve_wrap_find_number(struct serve_call *x, const struct serve_wrap_target *target,
                                const struct bt_wrap_id *id);

/*
 * True when the header fields Mcp-Param-* of a call agree with its arguments, as far as the tool is
 * known in the channel.
 */
bool serve_wrap_params_fit(struct serve_call *x, const struct serve_wrap_target *target,
                           const struct bt_wrap_message *message);

/* Put the metrics of all servers that are offered (wrap_stats.c). */
void serve_wrap_put_metrics(struct serve_call *x, struct bt_buf *buf);

/* ---- Lines (wrap_lines.c) -------------------------------------------------------------------- */

/* A value of a line that is replaced. */
struct serve_wrap_edit {
    const bt_json_value *value; /* NULL: nothing */
    bt_str text;
};

enum { SERVE_WRAP_EDITS_MAX = 3 };

/* Put a message with values replaced, as one line that ends in LF. */
void serve_wrap_put_line(struct bt_buf *out, const struct bt_json_doc *document,
                         const struct serve_wrap_edit *edits, size_t count);
/* The number that a value gives, as a number or its digits; 0: none. */
uint64_t serve_wrap_number_of(const struct bt_json_doc *document, const bt_json_value *value);

/* Where a message of the server belongs. */
struct serve_wrap_route {
    uint64_t number;                                   /* of the request; 0: of none */
    const bt_json_value *values[SERVE_WRAP_EDITS_MAX]; /* that name it: id, token, subscription */
};

/* Find the request that a message of the server is about. */
struct serve_wrap_route serve_wrap_route_of(const struct bt_wrap_message *message, bool is_legacy);

#endif
