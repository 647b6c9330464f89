/* SPDX-License-Identifier: Apache-2.0 */
/*
 * protocols.h - what the doors for MCP and A2A share among the requests of a process.
 */
#ifndef BATON_APP_GATEWAY_PROTOCOLS_H
#define BATON_APP_GATEWAY_PROTOCOLS_H

#include "gateway/gateway.h"
#include "mcp/mcp.h"

struct protocols;

/* NULL when there is no memory, or no randomness. */
struct protocols *protocols_create(void);
/* NULL is allowed. */
void protocols_destroy(struct protocols *protocols);

/* Keys that seal what is handed out. */
struct protocol_keys {
    uint8_t state[BT_SHA256_BYTES];
    uint8_t session[BT_SHA256_BYTES];
    uint8_t page[BT_SHA256_BYTES];
};

/* Those of the ledger, so that all nodes have the same; without a store those of the process. */
void protocols_keys(struct exchange *x, struct protocol_keys *out);
/* Which process this is. */
void protocols_node(const struct exchange *x, uint8_t out[8]);
struct mcp_fixtures *protocols_fixtures(const struct exchange *x);

/* ---- The card -------------------------------------------------------------------------------- */

/* The signatures of the card of this digest (hexadecimal digits), if it is the one that was signed
 * last: "" when it is not. */
BT_MUST_USE enum bt_status protocols_recall_card(struct exchange *x, bt_str digest, bt_str *out);
/* Remember them in place of those of another. Without memory nothing is remembered. */
void protocols_keep_card(const struct exchange *x, bt_str digest, bt_str signatures);

/* ---- Streams --------------------------------------------------------------------------------- */

/* A stream that is open. A call of a legacy client waits in one for an answer, which comes with
 * another request. */
struct waiting {
    struct waiting *next;
    uint64_t first; /* the numbers of its questions are above this, and within the range ... */
    bool asks;      /* ... if it asks any */
    bt_str actor;
    struct bt_buf mail; /* the answer, until it is read */
};

enum { QUESTIONS_RANGE = 1 << 16 };

/* Put each line as one event, which begins so. */
void protocols_put_events(struct bt_buf *out, const char *begin, bt_str lines);
/* The same as the answer, or as the beginning of a stream. */
BT_MUST_USE enum bt_status protocols_say(struct exchange *x, const char *begin, bt_str lines);

/* A range of numbers that no other conversation of this process has. */
uint64_t protocols_numbers(const struct exchange *x);
/* False: the principal has as many streams open as it may. */
BT_MUST_USE bool protocols_wait(const struct exchange *x, struct waiting *waiting);
void protocols_leave(const struct exchange *x, struct waiting *waiting);
/* Hand an answer to whoever asked the question of this number, if that was for this caller. */
void protocols_answer(struct exchange *x, uint64_t number, bt_str message);
/* Take what has come; false when there is nothing. */
bool protocols_mail(const struct exchange *x, struct waiting *waiting, struct bt_buf *out);

#endif
