/* SPDX-License-Identifier: Apache-2.0 */
/*
 * protocol_state.c - keys, fixtures, signatures of the card, and open streams that wait for
 * answers.
 */
#include "serve/protocol_state.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/clock.h"

enum { MAIL_MAX = MCP_MESSAGE_BYTES_MAX, EVENTS_BYTES_MAX = 1 << 30, DERIVE_PAUSE_MS = 10000 };

struct serve_protocol_state {
    struct mcp_fixtures fixtures;
    atomic_ullong numbers;
    uint8_t node[8];
    struct serve_protocol_keys own; /* random keys of the process */
    pthread_mutex_t lock;           /* guards what follows */
    struct serve_protocol_keys derived;
    bool is_derived;
    uint64_t retry_ms; /* a key agent that does not answer is not asked before */
    struct serve_open_stream *waiting;
};

struct serve_protocol_state *protocols_create(void)
{
    struct serve_protocol_state *protocols = calloc(1, sizeof(*protocols));
    struct bt_env env;
    if (!protocols || bt_env_init(&env) != BT_OK ||
        !env.random(env.context, &protocols->own, sizeof(protocols->own)) ||
        !env.random(env.context, protocols->node, sizeof(protocols->node)) ||
        pthread_mutex_init(&protocols->lock, NULL) != 0) {
        free(protocols);
        return NULL;
    }
    return protocols;
}

void protocols_destroy(struct serve_protocol_state *protocols)
{
    if (protocols) {
        (void)pthread_mutex_destroy(&protocols->lock);
        free(protocols);
    }
}

/* ---- Keys ------------------------------------------------------------------------------------ */

static bool derive_keys(struct bt_ledger *ledger, struct serve_protocol_keys *out)
{
    return bt_ledger_derive_secret(ledger, BT_STR("mcp-state"), out->state, NULL) == BT_OK &&
           bt_ledger_derive_secret(ledger, BT_STR("mcp-session"), out->session, NULL) == BT_OK &&
           bt_ledger_derive_secret(ledger, BT_STR("a2a-page"), out->page, NULL) == BT_OK;
}

void serve_protocol_keys_derive(struct serve_call *x, struct serve_protocol_keys *out)
{
    struct serve_protocol_state *protocols = x->gateway->conversations.protocols;
    const bool has_ledger = x->service->ledger && !x->gateway->flags->is_read_only;
    (void)pthread_mutex_lock(&protocols->lock);
    if (!protocols->is_derived && has_ledger && bt_clock_monotonic_ms() >= protocols->retry_ms) {
        protocols->is_derived = derive_keys(x->service->ledger, &protocols->derived);
        protocols->retry_ms = bt_clock_monotonic_ms() + DERIVE_PAUSE_MS;
    }
    *out = protocols->is_derived ? protocols->derived : protocols->own;
    (void)pthread_mutex_unlock(&protocols->lock);
}

void serve_node_id(const struct serve_call *x, uint8_t out[8])
{
    memcpy(out, x->gateway->conversations.protocols->node, 8);
}

struct mcp_fixtures *serve_fixtures(const struct serve_call *x)
{
    return x->gateway->flags->has_fixtures ? &x->gateway->conversations.protocols->fixtures : NULL;
}

/* ---- Header fields --------------------------------------------------------------------------- */

bt_str serve_field_or_null(const struct http_request *request, const char *name)
{
    size_t count = 0;
    const bt_str value = serve_field(request, name, &count);
    return count > 0 ? value : (bt_str){NULL, 0};
}

/* Field names are compared without case. */
bt_str serve_mcp_param(const void *context, bt_str name)
{
    static const bt_str prefix = BT_STR_INIT("mcp-param-");
    const struct http_request *request = context;
    for (size_t i = 0; i < request->field_count; i++) {
        const bt_str known = request->fields[i].name;
        if (bt_str_starts_with(known, prefix) &&
            bt_ascii_equal_nocase(bt_str_slice(known, prefix.len, known.len), name)) {
            return request->fields[i].value;
        }
    }
    return (bt_str){NULL, 0};
}

/* ---- Streams --------------------------------------------------------------------------------- */

uint64_t serve_next_question_range(const struct serve_call *x)
{
    return atomic_fetch_add(&x->gateway->conversations.protocols->numbers, 1) * QUESTIONS_RANGE;
}

bool serve_stream_open(const struct serve_call *x, struct serve_open_stream *waiting)
{
    struct serve_protocol_state *protocols = x->gateway->conversations.protocols;
    const uint64_t max = bt_config_u64(x->config, "limits.streams_per_principal");
    uint64_t open = 0;
    bt_buf_init(&waiting->answer, MAIL_MAX);
    (void)pthread_mutex_lock(&protocols->lock);
    for (const struct serve_open_stream *at = protocols->waiting; at; at = at->next) {
        open += bt_str_eq(at->actor, waiting->actor) ? 1 : 0;
    }
    if (open < max) {
        waiting->next = protocols->waiting;
        protocols->waiting = waiting;
    }
    (void)pthread_mutex_unlock(&protocols->lock);
    return open < max;
}

void serve_stream_close(const struct serve_call *x, struct serve_open_stream *waiting)
{
    struct serve_protocol_state *protocols = x->gateway->conversations.protocols;
    (void)pthread_mutex_lock(&protocols->lock);
    struct serve_open_stream **at = &protocols->waiting;
    while (*at && *at != waiting) {
        at = &(*at)->next;
    }
    if (*at) {
        *at = waiting->next;
    }
    (void)pthread_mutex_unlock(&protocols->lock);
    bt_buf_free(&waiting->answer);
}

void serve_stream_post_answer(struct serve_call *x, uint64_t number, bt_str message)
{
    struct serve_protocol_state *protocols = x->gateway->conversations.protocols;
    bool is_given = false;
    (void)pthread_mutex_lock(&protocols->lock);
    for (struct serve_open_stream *at = protocols->waiting; at; at = at->next) {
        const bool is_its =
            at->has_questions && number > at->first && number <= at->first + QUESTIONS_RANGE;
        if (is_its && at->answer.len == 0 && bt_str_eq(at->actor, x->identity.caller.actor)) {
            bt_buf_put(&at->answer, message);
            is_given = true;
        }
    }
    (void)pthread_mutex_unlock(&protocols->lock);
    if (is_given) {
        http_server_wake(x->gateway->server);
    }
}

bool serve_stream_take_answer(const struct serve_call *x, struct serve_open_stream *waiting,
                              struct bt_buf *out)
{
    struct serve_protocol_state *protocols = x->gateway->conversations.protocols;
    (void)pthread_mutex_lock(&protocols->lock);
    const bool has_come = waiting->answer.len > 0;
    bt_buf_put(out, bt_buf_str(&waiting->answer));
    bt_buf_clear(&waiting->answer);
    (void)pthread_mutex_unlock(&protocols->lock);
    return has_come;
}

/* ---- Events ---------------------------------------------------------------------------------- */

void serve_put_events(struct bt_buf *out, const char *begin, bt_str lines)
{
    for (size_t from = 0; from < lines.len;) {
        const size_t end = bt_str_find_byte(lines, '\n', from);
        bt_buf_put_text(out, begin);
        bt_buf_put(out, bt_str_slice(lines, from, end));
        bt_buf_put_text(out, "\n\n");
        from = end + 1;
    }
}

enum bt_status serve_respond_events(struct serve_call *x, const char *begin, bt_str lines)
{
    struct bt_buf events;
    bt_buf_init(&events, EVENTS_BYTES_MAX);
    serve_put_events(&events, begin, lines);
    enum bt_status status = events.status;
    if (status == BT_OK) {
        serve_call_add_header(x, "X-Accel-Buffering", BT_STR("no"));
        status = serve_call_respond_body(x, BT_HTTP_OK, "text/event-stream", bt_buf_str(&events));
    }
    bt_buf_free(&events);
    return status;
}
