/* SPDX-License-Identifier: Apache-2.0 */
/* protocol_state.h - what the MCP and A2A handlers share among the requests of a process. */
#ifndef BATON_APP_SERVE_PROTOCOL_STATE_H
#define BATON_APP_SERVE_PROTOCOL_STATE_H

#include "mcp/mcp.h"
#include "serve/server.h"

struct serve_protocol_state;

/* Make it. NULL when memory or randomness is not available. Destroy it with protocols_destroy(). */
struct serve_protocol_state *protocols_create(void);
/* Destroy it. NULL is allowed. */
void protocols_destroy(struct serve_protocol_state *protocols);

/* Keys that seal values sent to clients. */
struct serve_protocol_keys {
    uint8_t state[BT_SHA256_BYTES];
    uint8_t session[BT_SHA256_BYTES];
    uint8_t page[BT_SHA256_BYTES];
};

/*
 * Derive the keys from the ledger's key, so that all nodes have the same; without a store use
 * random keys of the process.
 */
void serve_protocol_keys_derive(struct serve_call *x, struct serve_protocol_keys *out);
/* The id of this process. */
void serve_node_id(const struct serve_call *x, uint8_t out[8]);
/* The conformance fixtures, or NULL. */
struct mcp_fixtures *serve_fixtures(const struct serve_call *x);

/* ---- Header fields --------------------------------------------------------------------------- */

/* The value of a header field; a NULL pointer when there is none. */
bt_str serve_field_or_null(const struct http_request *request, const char *name);
/* The value of Mcp-Param-NAME of a struct http_request; a NULL pointer when there is none. */
bt_str serve_mcp_param(const void *request, bt_str name);

/* ---- Streams --------------------------------------------------------------------------------- */

/*
 * An open stream. A call of a legacy client waits in one for an answer, which arrives in another
 * request.
 */
struct serve_open_stream {
    struct serve_open_stream *next;
    uint64_t first;     /* its questions have the QUESTIONS_RANGE numbers after this ... */
    bool has_questions; /* ... if it has questions */
    bt_str actor;
    struct bt_buf answer; /* the answer, until it is read */
};

enum { QUESTIONS_RANGE = 1 << 16 };

/* Put each line as one event that begins with `begin`. */
void serve_put_events(struct bt_buf *out, const char *begin, bt_str lines);
/*
 * Respond with each line as one event that begins with `begin`, as the whole response or as the
 * beginning of a stream.
 */
BT_MUST_USE enum bt_status serve_respond_events(struct serve_call *x, const char *begin,
                                                bt_str lines);

/* Reserve a range of question numbers that no other conversation of this process has. */
uint64_t serve_next_question_range(const struct serve_call *x);
/* False: the principal has the maximum number of open streams. */
BT_MUST_USE bool serve_stream_open(const struct serve_call *x, struct serve_open_stream *waiting);
void serve_stream_close(const struct serve_call *x, struct serve_open_stream *waiting);
/*
 * Pass an answer to the stream that sent the question with this number, if that stream belongs to
 * this caller.
 */
void serve_stream_post_answer(struct serve_call *x, uint64_t number, bt_str message);
/* Take the answer that has arrived; false when there is none. */
bool serve_stream_take_answer(const struct serve_call *x, struct serve_open_stream *waiting,
                              struct bt_buf *out);

#endif
