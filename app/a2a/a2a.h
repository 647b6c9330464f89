/* SPDX-License-Identifier: Apache-2.0 */
/*
 * a2a.h - the Agent2Agent protocol 1.0: one request in, an answer or a stream out. How they travel
 * is not known here.
 *
 * Two bindings over one core: JSON-RPC names its method in the body, HTTP+JSON in the path. What a
 * caller sent is a task, kept in the store with the decision; how it stands is looked up whenever
 * somebody asks, so that any node tells the truth.
 */
#ifndef BATON_APP_A2A_A2A_H
#define BATON_APP_A2A_A2A_H

#include "operation/operation.h"

enum { A2A_ID_BYTES = BT_UUID_TEXT_BYTES, A2A_STATUS_BYTES = 160 };

enum a2a_binding { A2A_JSONRPC = 1, A2A_HTTP };

/* What is asked for. Zero is nothing. */
enum a2a_operation {
    A2A_SEND = 1,
    A2A_STREAM,
    A2A_GET,
    A2A_LIST,
    A2A_CANCEL,
    A2A_SUBSCRIBE,
    A2A_PUSH, /* anything about push configurations */
    A2A_CARD, /* the extended one */
};

/* What a request says besides its body, and where it takes place. */
struct a2a_binding_info {
    bt_str version;          /* that the caller speaks; "" for none */
    bt_str extensions;       /* the header, as it came */
    bt_str traceparent;      /* of our span */
    const uint8_t *page_key; /* BT_SHA256_BYTES: seals page tokens */
    bool is_read_only;
};

/* What goes on after the first words. It has no pointers: it lives as long as the connection. */
struct a2a_stream {
    bool is_on;
    enum a2a_binding binding;
    unsigned used; /* extensions */
    char task[A2A_ID_BYTES];
    char status[A2A_STATUS_BYTES]; /* state and time that were told last */
    uint64_t artifacts;            /* how many were told */
    char id[256];                  /* of the JSON-RPC request, JSON */
};

/* What became of a request. */
struct a2a_outcome {
    unsigned status;          /* of HTTP */
    const char *operation;    /* for figures: "send", "get" ... */
    bool is_refused;          /* the answer is an error */
    const char *scope;        /* that the caller lacks: then there is no answer at all */
    bool is_recorded;         /* something was committed */
    uint64_t seq;             /* ... and its entry, or BT_LEDGER_SEQ_NONE */
    struct a2a_stream stream; /* goes on when is_on; the body is its first event */
};

/* A request on its way. */
struct a2a {
    struct bt_worker *service;
    const struct bt_caller *caller;
    struct bt_arena *arena;
    const struct a2a_binding_info *place;
    struct bt_buf *out; /* the body of the answer */
    unsigned used;      /* extensions that were used */
    struct a2a_outcome told;
    struct bt_call_completion *later; /* of a submission; NULL: the thread waits */
    void *watcher;                    /* of operations, as struct work has it */
    struct a2a_send_state *late;      /* a message that is with the writer; NULL: none */
};

/* One JSON-RPC request. A status other than BT_OK means that there was no memory. */
BT_MUST_USE enum bt_status a2a_rpc(struct a2a *a2a, bt_str body);
/* One request of HTTP+JSON. `params` is a JSON object: the body, or what path and query say. */
BT_MUST_USE enum bt_status a2a_http(struct a2a *a2a, enum a2a_operation operation, bt_str params);

/* With `later` nothing may be said yet: then `late` is set, and this goes on with it when the
 * writer has told or it is late, in any thread that has made its service the request's. It may be
 * late once more. */
BT_MUST_USE enum bt_status a2a_resume(struct a2a *a2a);

/* Put the next events of a stream, each a line of JSON. *out_ended: there is no more to come. */
BT_MUST_USE enum bt_status a2a_stream_next(struct a2a *a2a, struct a2a_stream *stream,
                                           bool *out_ended);

/* Put the names of the extensions that were used, for the header. */
void a2a_put_extensions(const struct a2a *a2a, struct bt_buf *out);

/* What the card says. */
struct a2a_card {
    bt_str name;
    bt_str description;
    bt_str url; /* PUBLIC/a2a */
    bool has_tokens;
    bt_str signatures; /* JSON, as a2a_sign_card() puts them; "" for none */
};

void a2a_put_card(struct bt_buf *out, const struct a2a_card *card);
/* Put the signatures of the card by the keys of a ledger that is open to write. BT_EIO: they
 * cannot be had now. */
BT_MUST_USE enum bt_status a2a_sign_card(struct bt_arena *arena, const struct a2a_card *card,
                                         struct bt_ledger *ledger, struct bt_buf *out);

#endif
