/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp_http.c - POST /mcp: one message of the Model Context Protocol in each request.
 *
 * The answer is JSON, or a stream of events when there is more than one thing to say: progress, a
 * question to the client, a subscription. A request is a conversation of its own; one that asks
 * something of a legacy client waits in its stream for the answer, which another request brings.
 */
#include <assert.h>

#include "gateway/access.h"
#include "gateway/metrics.h"
#include "gateway/protocols.h"

/* How each event of a stream begins. */
static const char event[] = "event: message\ndata: ";

enum { OUTPUT_BYTES_MAX = 1 << 30, SESSION_BYTES_MAX = 1024, POLL_MS = 1000 };

/* A conversation, as long as its request lives. */
struct talk {
    struct exchange *x;
    struct mcp mcp;
    struct mcp_headers headers;
    struct waiting waiting;
    bool is_waiting;
    struct later later;
};

/* ---- Headers --------------------------------------------------------------------------------- */

static bt_str field_or_null(const struct http_request *request, const char *name)
{
    bt_str value;
    return http_field(request, name, &value) ? value : (bt_str){NULL, 0};
}

static char small(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

/* The value of Mcp-Param-NAME; names of headers know no case. */
static bt_str param_of(const void *context, bt_str name)
{
    static const bt_str prefix = BT_STR_INIT("mcp-param-");
    const struct http_request *request = context;
    for (size_t i = 0; i < request->field_count; i++) {
        const bt_str known = request->fields[i].name;
        bool is_it = bt_str_starts(known, prefix) && known.len == prefix.len + name.len;
        for (size_t k = 0; is_it && k < name.len; k++) {
            is_it = known.ptr[prefix.len + k] == small(name.ptr[k]);
        }
        if (is_it) {
            return request->fields[i].value;
        }
    }
    return (bt_str){NULL, 0};
}

/* ---- Saying ---------------------------------------------------------------------------------- */

static size_t count_lines(bt_str said)
{
    size_t count = 0;
    for (size_t i = 0; i < said.len; i++) {
        count += said.ptr[i] == '\n' ? 1 : 0;
    }
    return count;
}

static void end(void *held)
{
    struct talk *talk = held;
    if (talk->is_waiting) {
        protocols_leave(talk->x, &talk->waiting);
        talk->is_waiting = false;
    }
    mcp_end(&talk->mcp);
}

/* ---- Streams --------------------------------------------------------------------------------- */

static enum http_pull pull(struct http_call *call, void *worker, struct bt_buf *out)
{
    struct talk *talk = call->answer.stream_state;
    struct bt_buf mail;
    struct bt_buf said;
    enum bt_status status = BT_OK;
    talk->mcp.service = exchange_lend(talk->x, worker);
    if (!talk->mcp.service) {
        return HTTP_PULL_IDLE; /* the store is away: perhaps it comes back */
    }
    bt_buf_init(&mail, MCP_MESSAGE_BYTES_MAX);
    bt_buf_init(&said, OUTPUT_BYTES_MAX);
    if (talk->is_waiting && protocols_mail(talk->x, &talk->waiting, &mail)) {
        status = mcp_take(&talk->mcp, bt_buf_str(&mail), &said);
    }
    if (mcp_is_watching(&talk->mcp)) {
        mcp_look(&talk->mcp, &said);
    }
    protocols_put_events(out, event, bt_buf_str(&said));
    bt_buf_free(&mail);
    bt_buf_free(&said);
    return status == BT_OK && mcp_is_open(&talk->mcp) ? HTTP_PULL_IDLE : HTTP_PULL_ENDED;
}

static const struct http_stream stream = {.pull = pull,
                                          .name = "mcp",
                                          .poll_ms = POLL_MS,
                                          .quiet = ": quiet\n\n",
                                          .lagged = "event: lagged\ndata: {}\n\n",
                                          .bye = ": bye\n\n"};

/* ---- Requests -------------------------------------------------------------------------------- */

static enum bt_status begin(struct talk *talk, struct protocol_keys *keys)
{
    struct exchange *x = talk->x;
    protocols_keys(x, keys);
    talk->headers = (struct mcp_headers){
        .version = field_or_null(x->request, "mcp-protocol-version"),
        .method = field_or_null(x->request, "mcp-method"),
        .name = field_or_null(x->request, "mcp-name"),
        .session = field_or_null(x->request, "mcp-session-id"),
        .param = param_of,
        .request = x->request,
    };
    struct mcp_place place = {.headers = &talk->headers,
                              .is_read_only = x->gateway->flags->is_read_only,
                              .fixtures = protocols_fixtures(x),
                              .state_key = keys->state,
                              .session_key = keys->session,
                              .questions_asked = protocols_numbers(x),
                              .watcher = x,
                              .may_record = access_may_record};
    if (x->service->writer && x->call->lane == HTTP_SLOW) {
        talk->later = exchange_later(x);
        place.later = &talk->later;
    }
    protocols_node(x, place.node);
    talk->waiting.first = place.questions_asked;
    talk->waiting.asks = true;
    talk->waiting.actor = x->caller.actor;
    return mcp_begin(&talk->mcp, x->service, &x->caller, &place);
}

static enum bt_status add_session(struct talk *talk)
{
    struct bt_buf session;
    if (!talk->mcp.told.has_opened) {
        return BT_OK;
    }
    bt_buf_init(&session, SESSION_BYTES_MAX);
    const enum bt_status status = mcp_session_put(&talk->mcp, &session);
    if (status == BT_OK) {
        exchange_field(talk->x, "Mcp-Session-Id", bt_buf_str(&session));
    }
    bt_buf_free(&session);
    return status;
}

static enum bt_status say_limited(struct exchange *x)
{
    exchange_field(x, "Retry-After", BT_STR("1"));
    return exchange_problem(x, "RATE_LIMITED");
}

/* Whether the stream may be open; else that is said. */
static bool open_stream(struct talk *talk)
{
    struct exchange *x = talk->x;
    if (!mcp_is_open(&talk->mcp)) {
        return true;
    }
    talk->is_waiting = protocols_wait(x, &talk->waiting);
    if (!talk->is_waiting) {
        (void)say_limited(x);
        return false;
    }
    x->answer->stream = &stream;
    x->answer->stream_state = talk;
    return true;
}

static enum bt_status say_events(struct talk *talk, bt_str said)
{
    struct exchange *x = talk->x;
    if (!exchange_accepts(x, "text/event-stream")) {
        return exchange_problem(x, "NOT_ACCEPTABLE");
    }
    if (!open_stream(talk)) {
        return BT_OK;
    }
    return protocols_say(x, event, said);
}

static enum bt_status say(struct talk *talk, bt_str said)
{
    struct exchange *x = talk->x;
    const struct mcp_told *told = &talk->mcp.told;
    if (told->answers != 0) {
        protocols_answer(x, told->answers, x->request->body);
    }
    if (told->is_limited) {
        return say_limited(x);
    }
    BT_TRY(add_session(talk));
    if (mcp_is_open(&talk->mcp) || count_lines(said) > 1) {
        return say_events(talk, said);
    }
    if (said.len == 0) {
        x->answer->status = told->status;
        return BT_OK;
    }
    return exchange_json(x, told->status, bt_str_slice(said, 0, said.len - 1));
}

static void count(const struct talk *talk)
{
    const struct mcp_told *told = &talk->mcp.told;
    const bool is_notice = told->is_silent && told->answers == 0;
    const bt_str labels[METRIC_LABELS_MAX] = {told->is_modern ? BT_STR("modern") : BT_STR("legacy"),
                                              is_notice ? BT_STR("notification")
                                                        : bt_str_of(told->method),
                                              told->is_refused ? BT_STR("error") : BT_STR("ok")};
    metrics_count(talk->x->gateway->metrics, METRIC_MCP_REQUESTS, labels);
}

/* Changes that streams of other requests may want to tell. */
static void wake(const struct talk *talk)
{
    const struct mcp_fixtures *fixtures = talk->mcp.place.fixtures;
    if (fixtures && (atomic_load(&fixtures->tools) != talk->mcp.seen_tools ||
                     atomic_load(&fixtures->prompts) != talk->mcp.seen_prompts)) {
        http_server_wake(talk->x->gateway->server);
    }
}

static enum bt_status answer(struct talk *talk, bt_str said, enum bt_status status)
{
    talk->x->parked = NULL;
    status = status == BT_OK ? say(talk, said) : status;
    count(talk);
    wake(talk);
    if (!talk->is_waiting) {
        exchange_release(talk->x);
    }
    return status;
}

/* Hand on the message, or go on with the one that the writer had; then answer, or rest. */
static enum bt_status take(struct talk *talk)
{
    struct exchange *x = talk->x;
    struct mcp *mcp = &talk->mcp;
    struct bt_buf said;
    bt_buf_init(&said, OUTPUT_BYTES_MAX);
    mcp->service = x->service;
    talk->later.is_told = x->call->is_resumed;
    enum bt_status status =
        mcp->late ? mcp_go_on(mcp, &said) : mcp_take(mcp, x->request->body, &said);
    if (mcp->late) {
        exchange_park(x, &talk->later, talk);
    } else {
        status = answer(talk, bt_buf_str(&said), status);
    }
    bt_buf_free(&said);
    return status;
}

static enum bt_status run(struct exchange *x)
{
    if (x->parked) {
        return take(x->parked);
    }
    struct talk *talk = BT_NEW(x->arena, struct talk);
    struct protocol_keys *keys = BT_NEW(x->arena, struct protocol_keys);
    if (!talk || !keys) {
        return BT_ENOMEM;
    }
    talk->x = x;
    BT_TRY(begin(talk, keys));
    exchange_hold(x, end, talk);
    return take(talk);
}

/* A modern request says in its headers what it is, and is refused when it says something else. */
static bool may_wait(const struct http_request *request)
{
    static const char *const judging[] = {
        "check_handoff", "repair_handoff", "compress_handoff", "convert_handoff",
        "count_tokens",  "explain_code",   "audit_plan",       "validate_payload",
    };
    const bt_str name = http_field_text(request, "mcp-name");
    for (size_t i = 0; i < sizeof(judging) / sizeof(judging[0]); i++) {
        if (bt_str_eq(name, bt_str_of(judging[i]))) {
            return false;
        }
    }
    return true;
}

const struct route mcp_routes[] = {
    {.method = HTTP_POST,
     .path = "/mcp",
     .key = "mcp.enabled",
     .operation = "mcp",
     .flags = ROUTE_MAY_STORE | ROUTE_WAITS | ROUTE_BRIEF,
     .run = run,
     .takes = "application/json",
     .gives = "application/json text/event-stream",
     .summary = "one message of the Model Context Protocol",
     .may_wait = may_wait},
    {.path = NULL},
};
