/* SPDX-License-Identifier: Apache-2.0 */
/*
 * protocol_state.h - what the doors for MCP and A2A share among the requests of a process.
 */
#ifndef BATON_APP_SERVE_PROTOCOL_STATE_H
#define BATON_APP_SERVE_PROTOCOL_STATE_H

#include "mcp/mcp.h"
#include "serve/server.h"

struct serve_protocol_state;

/* NULL when there is no memory, or no randomness. */
struct serve_protocol_state *protocols_create(void);
/* NULL is allowed. */
void protocols_destroy(struct serve_protocol_state *protocols);

/* Keys that seal what is handed out. */
struct serve_protocol_keys {
    uint8_t state[BT_SHA256_BYTES];
    uint8_t session[BT_SHA256_BYTES];
    uint8_t page[BT_SHA256_BYTES];
};

/* Those of the ledger, so that all nodes have the same; without a store those of the process. */
void serve_protocol_keys_derive(struct serve_call *x, struct serve_protocol_keys *out);
/* Which process this is. */
void serve_node_id(const struct serve_call *x, uint8_t out[8]);
struct mcp_fixtures *serve_fixtures(const struct serve_call *x);

/* ---- The card -------------------------------------------------------------------------------- */

/* The signatures of the card of this digest (hexadecimal digits), if it is the one that was signed
 * last: "" when it is not. */
BT_MUST_USE enum bt_status serve_card_cache_find(struct serve_call *x, bt_str digest, bt_str *out);
/* Remember them in place of those of another. Without memory nothing is remembered. */
void serve_card_cache_store(const struct serve_call *x, bt_str digest, bt_str signatures);

/* ---- Streams --------------------------------------------------------------------------------- */

/* A stream that is open. A call of a legacy client waits in one for an answer, which comes with
 * another request. */
struct serve_open_stream {
    struct serve_open_stream *next;
    uint64_t first;     /* the numbers of its questions are above this, and within the range ... */
    bool has_questions; /* ... if it asks any */
    bt_str actor;
    struct bt_buf answer; /* the answer, until it is read */
};

enum { QUESTIONS_RANGE = 1 << 16 };

/* Put each line as one event, which begins so. */
void serve_put_events(struct bt_buf *out, const char *begin, bt_str lines);
/* The same as the answer, or as the beginning of a stream. */
BT_MUST_USE enum bt_status serve_respond_events(struct serve_call *x, const char *begin,
                                                bt_str lines);

/* A range of numbers that no other conversation of this process has. */
uint64_t serve_next_question_range(const struct serve_call *x);
/* False: the principal has as many streams open as it may. */
BT_MUST_USE bool serve_stream_open(const struct serve_call *x, struct serve_open_stream *waiting);
void serve_stream_close(const struct serve_call *x, struct serve_open_stream *waiting);
/* Hand an answer to whoever asked the question of this number, if that was for this caller. */
void serve_stream_post_answer(struct serve_call *x, uint64_t number, bt_str message);
/* Take what has come; false when there is nothing. */
bool serve_stream_take_answer(const struct serve_call *x, struct serve_open_stream *waiting,
                              struct bt_buf *out);

#endif
