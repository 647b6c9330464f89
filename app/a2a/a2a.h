/* SPDX-License-Identifier: Apache-2.0 */
/*
 * a2a.h - the Agent2Agent protocol 1.0, independent of its transport: one request in, an answer or
 * a stream out.
 *
 * Two bindings share one implementation: JSON-RPC names its method in the body, HTTP+JSON in the
 * path. What a caller sent is a task, stored in the transaction of its decision; its state is
 * derived from the store for every request, so that all nodes give the same answer.
 */
#ifndef BATON_APP_A2A_A2A_H
#define BATON_APP_A2A_A2A_H

#include "operation/operation.h"

enum { A2A_ID_BYTES = BT_UUID_TEXT_BYTES, A2A_STATUS_BYTES = 160 };

enum a2a_binding { A2A_JSONRPC = 1, A2A_HTTP };

/* What is requested. Zero is not an operation. */
enum a2a_operation {
    A2A_SEND = 1,
    A2A_STREAM,
    A2A_GET,
    A2A_LIST,
    A2A_CANCEL,
    A2A_SUBSCRIBE,
    A2A_PUSH, /* all operations on push configurations */
    A2A_CARD, /* the extended card */
};

/* What a request has besides its body. */
struct a2a_binding_info {
    bt_str version;          /* the protocol version that the caller names; "": none */
    bt_str extensions;       /* the header field, unchanged */
    bt_str traceparent;      /* of the server's span */
    const uint8_t *page_key; /* BT_SHA256_BYTES: seals page tokens */
    bool is_read_only;
};

/*
 * The state of a stream after its first event. It has no pointers, because it lives as long as the
 * connection.
 */
struct a2a_stream {
    bool is_on;
    enum a2a_binding binding;
    unsigned used; /* extensions */
    char task[A2A_ID_BYTES];
    char status[A2A_STATUS_BYTES]; /* state and time that were sent last */
    uint64_t artifacts;            /* the number that were sent */
    char id[256];                  /* of the JSON-RPC request, JSON */
};

/* The outcome of a request. */
struct a2a_outcome {
    unsigned status;          /* HTTP status */
    const char *operation;    /* for metrics: "send", "get" and so on */
    bool is_refused;          /* the answer is an error */
    const char *scope;        /* the scope that the caller lacks: then there is no answer */
    bool is_recorded;         /* something was committed */
    uint64_t seq;             /* ... and its entry, or BT_LEDGER_SEQ_NONE */
    struct a2a_stream stream; /* continues when is_on; the body is its first event */
};

/* A request in progress. */
struct a2a {
    struct bt_worker *service;
    const struct bt_caller *caller;
    struct bt_arena *arena;
    const struct a2a_binding_info *place;
    struct bt_buf *out; /* the body of the answer */
    unsigned used;      /* extensions that were used */
    struct a2a_outcome outcome;
    struct bt_call_completion *later; /* of a submission; NULL: the thread waits */
    struct bt_call_events *events;    /* of operations, see struct bt_call */
    struct a2a_send_state *late;      /* a message that the writer holds; NULL: none */
};

/* Handle one JSON-RPC request. Any status other than BT_OK means that there was no memory. */
BT_MUST_USE enum bt_status a2a_rpc(struct a2a *a2a, bt_str body);
/*
 * Handle one request of HTTP+JSON. `params` is a JSON object: the body, or path and query. Any
 * status other than BT_OK means that there was no memory.
 */
BT_MUST_USE enum bt_status a2a_http(struct a2a *a2a, enum a2a_operation operation, bt_str params);

/*
 * Continue a request whose `late` is set, after the writer has notified `later` or its deadline has
 * passed, on any thread whose worker was made the request's. It may still be pending afterwards.
 */
BT_MUST_USE enum bt_status a2a_resume(struct a2a *a2a);

/* Put the next events of a stream, each a line of JSON. *out_ended is set after the last one. */
BT_MUST_USE enum bt_status a2a_stream_next(struct a2a *a2a, struct a2a_stream *stream,
                                           bool *out_ended);

/* Put the names of the extensions that were used, for the header field. */
void a2a_put_extensions(const struct a2a *a2a, struct bt_buf *out);

/* The content of the agent card. */
struct a2a_card {
    bt_str name;
    bt_str description;
    bt_str url; /* PUBLIC/a2a */
    bool has_tokens;
    bt_str signatures; /* JSON, as a2a_sign_card() puts them; "": none */
};

/* Put the agent card as JSON. Failures stick to the buffer. */
void a2a_put_card(struct bt_buf *out, const struct a2a_card *card);
/*
 * Put the signatures of the card by the keys of a ledger open for writing. BT_EIO: the keys cannot
 * be used now.
 */
BT_MUST_USE enum bt_status a2a_sign_card(struct bt_arena *arena, const struct a2a_card *card,
                                         struct bt_ledger *ledger, struct bt_buf *out);

#endif
