/* SPDX-License-Identifier: Apache-2.0 */
/*
 * admit.c - what every request passes before its body is read, in this order: Origin, Host, the
 * path, who calls, how often, what they may do, and the media types.
 */
#include <assert.h>
#include <string.h>

#include <baton/trace.h>

#include "gateway/access.h"
#include "gateway/gateway.h"
#include "gateway/rate.h"

/* ---- Beginning ------------------------------------------------------------------------------- */

/* Whether a client may choose this id for its request. */
static bool is_request_id(bt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        const char byte = text.ptr[i];
        if (!((byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
              (byte >= '0' && byte <= '9') || byte == '.' || byte == '_' || byte == '-')) {
            return false;
        }
    }
    return text.len > 0 && text.len < REQUEST_ID_BYTES;
}

static bool take_request_id(struct exchange *x)
{
    const bt_str given = http_field_text(x->request, "x-request-id");
    if (is_request_id(given)) {
        memcpy(x->request_id, given.ptr, given.len);
        return true;
    }
    char id[BT_UUID_TEXT_BYTES];
    if (bt_env_uuid(&x->gateway->ids, id) != BT_OK) {
        return false;
    }
    memcpy(x->request_id, id, sizeof(id));
    return true;
}

struct exchange *exchange_begin(struct gateway *gateway, struct http_call *call)
{
    struct exchange *x = BT_NEW(&call->arena, struct exchange);
    if (!x) {
        return NULL;
    }
    *x = (struct exchange){.call = call,
                           .request = &call->request,
                           .answer = &call->answer,
                           .arena = &call->arena,
                           .gateway = gateway,
                           .route_index = SIZE_MAX,
                           .settings = gateway->settings,
                           .config = gateway->settings->config,
                           .params = {BT_STR_INIT(""), BT_STR_INIT("")},
                           .origin = BT_STR(""),
                           .code = BT_STR("")};
    if (!take_request_id(x) || !trace_begin(&gateway->ids, x->request, &x->trace)) {
        return NULL;
    }
    gateway->settings->users++;
    call->data = x;
    return x;
}

/* ---- The path -------------------------------------------------------------------------------- */

static bool say(struct exchange *x, const char *code)
{
    (void)exchange_problem(x, code);
    return false;
}

static bool find_path(struct exchange *x)
{
    const enum route_found found = route_find(&x->gateway->routes, x);
    if (found == ROUTE_UNKNOWN) {
        return say(x, "NOT_FOUND");
    }
    if (found == ROUTE_OTHER_METHOD) {
        struct bt_buf methods;
        bt_buf_init(&methods, 256);
        route_put_methods(&x->gateway->routes, x->request, &methods);
        exchange_field(x, "Allow", bt_buf_str(&methods));
        bt_buf_free(&methods);
        return say(x, "METHOD_NOT_ALLOWED");
    }
    return true;
}

/* ---- What is carried ------------------------------------------------------------------------- */

/* Whether one word of a list by blanks fulfils a condition. */
static bool has_type(const char *list, const struct exchange *x,
                     bool (*is_right)(const struct exchange *x, bt_str word))
{
    const bt_str words = bt_str_of(list);
    for (size_t from = 0; from < words.len;) {
        const size_t end = bt_str_find(words, ' ', from);
        if (is_right(x, bt_str_slice(words, from, end))) {
            return true;
        }
        from = end + 1;
    }
    return false;
}

static bool is_body_type(const struct exchange *x, bt_str word)
{
    return bt_str_eq(exchange_media_type(x), word);
}

static bool is_accepted(const struct exchange *x, bt_str word)
{
    char type[80] = "";
    if (word.len >= sizeof(type)) {
        return false;
    }
    memcpy(type, word.ptr, word.len);
    return exchange_accepts(x, type);
}

static bool judge_media(struct exchange *x)
{
    const struct route *route = x->route;
    const bt_str coding = http_field_text(x->request, "content-encoding");
    if (coding.len > 0 && !bt_str_eq(coding, BT_STR("identity"))) {
        return say(x, "UNSUPPORTED_MEDIA_TYPE");
    }
    if (route->flags & ROUTE_OWN_ERRORS) {
        return true;
    }
    if (route->takes && !has_type(route->takes, x, is_body_type)) {
        return say(x, "UNSUPPORTED_MEDIA_TYPE");
    }
    if (!(route->flags & ROUTE_ANY_ACCEPT) &&
        !has_type(route->gives ? route->gives : "application/json", x, is_accepted)) {
        return say(x, "NOT_ACCEPTABLE");
    }
    return true;
}

/* A body where none is taken would only hold memory and time until it is here. */
static bool judge_body(struct exchange *x)
{
    const enum http_method method = x->request->method;
    const bool takes_one = method == HTTP_POST || method == HTTP_PUT || method == HTTP_PATCH;
    return takes_one || !x->request->has_body || say(x, "BODY_TOO_LARGE");
}

static bool judge_query(struct exchange *x)
{
    const struct query_item *items = NULL;
    size_t count = 0;
    const enum bt_status status = exchange_query_items(x, &items, &count);
    if (status != BT_OK) {
        return say(x, status == BT_EINVAL ? "BAD_REQUEST" : "OVERLOADED");
    }
    if (x->route->flags & ROUTE_ANY_QUERY) {
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        bool is_repeated = false;
        for (size_t k = 0; k < i; k++) {
            is_repeated = is_repeated || bt_str_eq(items[k].name, items[i].name);
        }
        if (is_repeated || !route_has_word(x->route->query, items[i].name)) {
            (void)exchange_bad_parameter(x, items[i].name,
                                         is_repeated ? "the parameter is given twice"
                                                     : "there is no such parameter");
            return false;
        }
    }
    return true;
}

static bool judge_store(struct exchange *x)
{
    const struct serve_flags *flags = x->gateway->flags;
    const unsigned wanted = x->route->flags;
    if ((wanted & (ROUTE_STORE | ROUTE_RECORDS)) && flags->has_no_store) {
        return say(x, "STORE_UNAVAILABLE");
    }
    if ((wanted & ROUTE_RECORDS) && flags->is_read_only) {
        return say(x, "LEDGER_READ_ONLY");
    }
    return true;
}

/* What waits for the disk must not keep others from their work. */
static enum http_lane lane_of(const struct route *route, const struct http_request *request)
{
    const bool may_wait =
        (route->flags & ROUTE_WAITS) && (!route->may_wait || route->may_wait(request));
    const bool records = (route->flags & ROUTE_RECORDS) && !(route->flags & ROUTE_LATER);
    return may_wait || records ? HTTP_SLOW : HTTP_QUICK;
}

/* ---- All of it ------------------------------------------------------------------------------- */

/* The fields of every answer. */
static void add_fields(struct exchange *x)
{
    exchange_field(x, "X-Request-Id", bt_str_of(x->request_id));
    exchange_field(x, "Cache-Control", bt_str_of(x->cache ? x->cache : "no-store"));
    exchange_field(x, "X-Content-Type-Options", BT_STR("nosniff"));
    exchange_field(x, "Referrer-Policy", BT_STR("no-referrer"));
    if (x->call->peer.is_tls) {
        exchange_field(x, "Strict-Transport-Security", BT_STR("max-age=31536000"));
    }
    if (x->origin.len > 0) {
        exchange_field(x, "Access-Control-Allow-Origin", x->origin);
        exchange_field(x, "Vary", BT_STR("Origin"));
    }
    exchange_field(x, "traceresponse", bt_str_of(x->trace.text));
}

void exchange_end(struct exchange *x)
{
    add_fields(x);
}

bool gateway_admit(void *context, struct http_call *call)
{
    struct exchange *x = exchange_begin(context, call);
    if (!x) {
        call->answer.status = 503;
        return false;
    }
    if (access_origin(x) && access_host(x) && access_preflight(x) && find_path(x) &&
        access_principal(x) && access_rate(x) && access_scope(x) && judge_store(x) &&
        judge_media(x) && judge_body(x) && judge_query(x)) {
        call->is_authenticated = x->principal && !x->principal->is_anonymous;
        call->lane = lane_of(x->route, x->request);
        call->is_brief = call->lane == HTTP_QUICK && (x->route->flags & ROUTE_BRIEF);
        return true;
    }
    exchange_end(x);
    return false;
}

void gateway_refuse(void *context, struct http_call *call, struct http_refusal refusal)
{
    struct exchange *x = call->data ? call->data : exchange_begin(context, call);
    if (!x) {
        call->answer.status = refusal.status;
        return;
    }
    (void)exchange_problem(x, refusal.code);
    exchange_end(x);
}

/* ---- The end --------------------------------------------------------------------------------- */

/* Why a request reached no handler. */
struct refusal {
    const char *code;
    const char *reason; /* in the words of the metrics */
    bool logs_address;  /* it may be an attack, so the log says where it came from */
};

/* The row of a problem; NULL when it is not a refusal. */
static const struct refusal *refusal_of(bt_str code)
{
    static const struct refusal rows[] = {
        {"ORIGIN_NOT_ALLOWED", "origin", true}, {"HOST_NOT_ALLOWED", "host", true},
        {"UNAUTHENTICATED", "auth", true},      {"SCOPE_MISSING", "scope", false},
        {"RATE_LIMITED", "rate", false},        {"OVERLOADED", "overload", false},
        {"REQUEST_TIMEOUT", "timeout", false},  {"BODY_TOO_LARGE", "body", false},
        {"BAD_REQUEST", "parse", false},        {"URI_TOO_LONG", "parse", false},
        {"HEADERS_TOO_LARGE", "parse", false},  {"NOT_IMPLEMENTED", "parse", false},
        {"EXPECTATION_FAILED", "parse", false}, {"HTTP_VERSION", "parse", false},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (bt_str_eq(code, bt_str_of(rows[i].code))) {
            return &rows[i];
        }
    }
    return NULL;
}

static void tell(struct gateway *gateway, struct exchange *x)
{
    const struct http_call *call = x->call;
    const uint64_t us = bt_clock_monotonic_us() - call->begun_us;
    const struct metric_request request = {.route = x->route_index,
                                           .method = x->request->method,
                                           .status = x->answer->status,
                                           .seconds = (double)us / 1e6};
    const struct refusal *refusal = x->is_run ? NULL : refusal_of(x->code);
    const bool logs_address = refusal && refusal->logs_address;
    const struct log_line line = {.level = x->answer->status >= 500 ? LOG_WARN : LOG_INFO,
                                  .event = call->is_cut ? "cut" : "request",
                                  .exchange = x,
                                  .ms = us / 1000,
                                  .address = logs_address ? call->peer.address : NULL};
    metrics_request(gateway->metrics, &request);
    if (refusal) {
        exchange_count(x, METRIC_HTTP_REFUSED, refusal->reason, NULL, NULL);
    }
    log_put(&gateway->log, bt_env_now(&gateway->env), &line);
    trace_tell(gateway, x);
}

void gateway_finish(void *context, struct http_call *call)
{
    struct exchange *x = call->data;
    if (x) {
        tell(context, x);
        exchange_release(x);
        rate_give_back(x->bucket);
        settings_drop(x->settings);
    }
}
