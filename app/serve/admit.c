/* SPDX-License-Identifier: Apache-2.0 */
/*
 * admit.c - admission of a request before its body is read, in this order: Origin, Host, path,
 * principal, rate, scopes, media types.
 */
#include <assert.h>
#include <string.h>

#include "serve/auth.h"
#include "serve/logs.h"
#include "serve/rate_limit.h"
#include "serve/server.h"
#include "trace/trace.h"

/* ---- Beginning ------------------------------------------------------------------------------- */

/* True when a client may choose this id for its request. */
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

static bool take_request_id(struct serve_call *x)
{
    const bt_str given = serve_field(x->request, "x-request-id", NULL);
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

struct serve_call *exchange_begin(struct serve_server *gateway, struct http_exchange *call)
{
    struct serve_call *x = BT_NEW(&call->arena, struct serve_call);
    if (!x) {
        return NULL;
    }
    *x = (struct serve_call){.call = call,
                             .request = &call->request,
                             .answer = &call->answer,
                             .arena = &call->arena,
                             .gateway = gateway,
                             .route_index = SIZE_MAX,
                             .settings = gateway->settings,
                             .config = gateway->settings->config,
                             .target = {.path = call->request.raw_path,
                                        .prefix = BT_STR_INIT(""),
                                        .name = BT_STR_INIT("")},
                             .params = {BT_STR_INIT(""), BT_STR_INIT("")},
                             .identity = {.origin = BT_STR_INIT("")},
                             .outcome = {.code = BT_STR_INIT(""), .detail = BT_STR_INIT("")},
                             .events = {.arena = &call->arena}};
    if (!take_request_id(x) || !serve_call_trace_begin(&gateway->ids, x->request, &x->trace)) {
        return NULL;
    }
    (void)atomic_fetch_add(&gateway->settings->users, 1);
    serve_logs_take_prefix(x); /* first: it decides the form of a problem */
    call->data = x;
    return x;
}

/* ---- The path -------------------------------------------------------------------------------- */

static bool respond_problem(struct serve_call *x, enum bt_problem problem)
{
    (void)serve_call_respond_problem(x, problem);
    return false;
}

static bool find_path(struct serve_call *x)
{
    const enum serve_route_match found = serve_route_find(&x->gateway->routes, x);
    if (found == ROUTE_UNKNOWN) {
        return respond_problem(x, BT_PROBLEM_NOT_FOUND);
    }
    if (found == ROUTE_OTHER_METHOD) {
        struct bt_buf methods;
        bt_buf_init(&methods, 256);
        serve_route_put_methods(&x->gateway->routes, x, &methods);
        serve_call_add_header(x, "Allow", bt_buf_str(&methods));
        bt_buf_free(&methods);
        return respond_problem(x, BT_PROBLEM_METHOD_NOT_ALLOWED);
    }
    return true;
}

/* ---- Document -------------------------------------------------------------------------------- */

/* True when one word of a list, separated by spaces, fulfils a condition. */
static bool has_type(const char *list, const struct serve_call *x,
                     bool (*is_right)(const struct serve_call *x, bt_str word))
{
    const bt_str words = bt_str_of(list);
    for (size_t from = 0; from < words.len;) {
        const size_t end = bt_str_find_byte(words, ' ', from);
        if (is_right(x, bt_str_slice(words, from, end))) {
            return true;
        }
        from = end + 1;
    }
    return false;
}

static bool is_body_type(const struct serve_call *x, bt_str word)
{
    return bt_str_eq(exchange_media_type(x), word);
}

static bool is_accepted(const struct serve_call *x, bt_str word)
{
    char type[80] = "";
    if (word.len >= sizeof(type)) {
        return false;
    }
    memcpy(type, word.ptr, word.len);
    return exchange_accepts(x, type);
}

static bool judge_media(struct serve_call *x)
{
    const struct serve_route *route = x->route;
    const bt_str coding = serve_field(x->request, "content-encoding", NULL);
    if (coding.len > 0 && !bt_str_eq(coding, BT_STR("identity"))) {
        return respond_problem(x, BT_PROBLEM_UNSUPPORTED_MEDIA_TYPE);
    }
    if (route->flags & ROUTE_OWN_ERRORS) {
        return true;
    }
    if (route->takes && !has_type(route->takes, x, is_body_type)) {
        return respond_problem(x, BT_PROBLEM_UNSUPPORTED_MEDIA_TYPE);
    }
    if (!(route->flags & ROUTE_ANY_ACCEPT) &&
        !has_type(route->gives ? route->gives : "application/json", x, is_accepted)) {
        return respond_problem(x, BT_PROBLEM_NOT_ACCEPTABLE);
    }
    return true;
}

/* Refuse a body where none is expected, because receiving it would only cost memory and time. */
static bool judge_body(struct serve_call *x)
{
    const enum http_method method = x->request->method;
    const bool takes_one = method == HTTP_POST || method == HTTP_PUT || method == HTTP_PATCH;
    return takes_one || !x->request->has_body || respond_problem(x, BT_PROBLEM_BODY_TOO_LARGE);
}

static bool has_query_name(const struct serve_route *route, bt_str name)
{
    return route->row && bt_operation_param_find(route->row, BT_IN_QUERY | BT_IN_OPTION, name);
}

static bool judge_query(struct serve_call *x)
{
    const struct serve_query_item *items = NULL;
    size_t count = 0;
    const enum bt_status status = exchange_query_items(x, &items, &count);
    if (status != BT_OK) {
        return respond_problem(x, status == BT_EINVAL ? BT_PROBLEM_BAD_REQUEST
                                                      : BT_PROBLEM_OVERLOADED);
    }
    if (x->route->flags & ROUTE_ANY_QUERY) {
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        bool is_repeated = false;
        for (size_t k = 0; k < i; k++) {
            is_repeated = is_repeated || bt_str_eq(items[k].name, items[i].name);
        }
        if (is_repeated || !has_query_name(x->route, items[i].name)) {
            (void)serve_call_respond_bad_parameter(x, items[i].name,
                                                   is_repeated ? "the parameter is given twice"
                                                               : "unknown parameter");
            return false;
        }
    }
    return true;
}

static bool judge_store(struct serve_call *x)
{
    const struct serve_flags *flags = x->gateway->flags;
    const unsigned wanted = x->route->flags;
    if ((wanted & (ROUTE_STORE | ROUTE_RECORDS)) && flags->has_no_store) {
        return respond_problem(x, BT_PROBLEM_STORE_UNAVAILABLE);
    }
    if ((wanted & ROUTE_RECORDS) && serve_is_read_only(x->gateway)) {
        return respond_problem(x, BT_PROBLEM_LEDGER_READ_ONLY);
    }
    return true;
}

/* Requests that wait for the disk have their own workers, so that they do not delay others. */
static enum http_lane lane_of(const struct serve_route *route, const struct http_request *request)
{
    const bool may_wait =
        (route->flags & ROUTE_WAITS) && (!route->may_wait || route->may_wait(request));
    const bool records = (route->flags & ROUTE_RECORDS) && !(route->flags & ROUTE_LATER);
    return may_wait || records ? HTTP_SLOW : HTTP_QUICK;
}

/* ---- Run ------------------------------------------------------------------------------------- */

/* Add the header fields of every response. */
static void add_fields(struct serve_call *x)
{
    serve_call_add_header(x, "X-Request-Id", bt_str_of(x->request_id));
    serve_call_add_header(x, "Cache-Control",
                          bt_str_of(x->outcome.cache ? x->outcome.cache : "no-store"));
    serve_call_add_header(x, "X-Content-Type-Options", BT_STR("nosniff"));
    serve_call_add_header(x, "Referrer-Policy", BT_STR("no-referrer"));
    if (x->call->peer.is_tls) {
        serve_call_add_header(x, "Strict-Transport-Security", BT_STR("max-age=31536000"));
    }
    if (x->identity.origin.len > 0) {
        serve_call_add_header(x, "Access-Control-Allow-Origin", x->identity.origin);
        serve_call_add_header(x, "Vary", BT_STR("Origin"));
    }
    serve_call_add_header(x, "traceresponse", bt_str_of(x->trace.text));
}

void exchange_end(struct serve_call *x)
{
    add_fields(x);
}

bool serve_admit(struct serve_server *gateway, struct http_exchange *call)
{
    struct serve_call *x = exchange_begin(gateway, call);
    if (!x) {
        call->answer.status = BT_HTTP_UNAVAILABLE;
        return false;
    }
    if (serve_auth_check_origin(x) && serve_auth_check_host(x) && serve_auth_answer_preflight(x) &&
        find_path(x) && serve_auth_find_principal(x) && serve_auth_check_rate(x) &&
        serve_auth_check_log(x) && serve_auth_check_scope(x) && judge_store(x) && judge_media(x) &&
        judge_body(x) && judge_query(x)) {
        call->is_authenticated = x->identity.principal && !x->identity.principal->is_anonymous;
        call->lane = lane_of(x->route, x->request);
        call->is_brief = call->lane == HTTP_QUICK && (x->route->flags & ROUTE_BRIEF);
        return true;
    }
    exchange_end(x);
    return false;
}

void serve_reject(struct serve_server *gateway, struct http_exchange *call, enum http_error error)
{
    static const enum bt_problem problems[] = {
        [HTTP_ERROR_BAD_REQUEST] = BT_PROBLEM_BAD_REQUEST,
        [HTTP_ERROR_TIMEOUT] = BT_PROBLEM_REQUEST_TIMEOUT,
        [HTTP_ERROR_BODY_TOO_LARGE] = BT_PROBLEM_BODY_TOO_LARGE,
        [HTTP_ERROR_TARGET_TOO_LONG] = BT_PROBLEM_URI_TOO_LONG,
        [HTTP_ERROR_EXPECTATION] = BT_PROBLEM_EXPECTATION_FAILED,
        [HTTP_ERROR_HEAD_TOO_LARGE] = BT_PROBLEM_HEADERS_TOO_LARGE,
        [HTTP_ERROR_NOT_IMPLEMENTED] = BT_PROBLEM_NOT_IMPLEMENTED,
        [HTTP_ERROR_OVERLOADED] = BT_PROBLEM_OVERLOADED,
        [HTTP_ERROR_VERSION] = BT_PROBLEM_HTTP_VERSION,
    };
    struct serve_call *x = call->data ? call->data : exchange_begin(gateway, call);
    if (!x) {
        call->answer.status = http_error_status(error);
        return;
    }
    (void)serve_call_respond_problem(x, problems[error]);
    exchange_end(x);
}

/* ---- End ------------------------------------------------------------------------------------- */

/* Why a request did not reach a handler. */
struct serve_admit_refusal {
    enum bt_problem problem;
    const char *reason; /* label of the metrics */
    bool logs_address;  /* it may be an attack, so the address is logged */
};

/* The row of a problem; NULL when it is not a refusal. */
static const struct serve_admit_refusal *refusal_of(enum bt_problem problem)
{
    static const struct serve_admit_refusal rows[] = {
        {BT_PROBLEM_ORIGIN_NOT_ALLOWED, "origin", true},
        {BT_PROBLEM_HOST_NOT_ALLOWED, "host", true},
        {BT_PROBLEM_UNAUTHENTICATED, "auth", true},
        {BT_PROBLEM_SCOPE_MISSING, "scope", false},
        {BT_PROBLEM_RATE_LIMITED, "rate", false},
        {BT_PROBLEM_OVERLOADED, "overload", false},
        {BT_PROBLEM_REQUEST_TIMEOUT, "timeout", false},
        {BT_PROBLEM_BODY_TOO_LARGE, "body", false},
        {BT_PROBLEM_BAD_REQUEST, "parse", false},
        {BT_PROBLEM_URI_TOO_LONG, "parse", false},
        {BT_PROBLEM_HEADERS_TOO_LARGE, "parse", false},
        {BT_PROBLEM_NOT_IMPLEMENTED, "parse", false},
        {BT_PROBLEM_EXPECTATION_FAILED, "parse", false},
        {BT_PROBLEM_HTTP_VERSION, "parse", false},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].problem == problem) {
            return &rows[i];
        }
    }
    return NULL;
}

static void log_call(struct serve_server *gateway, struct serve_call *x)
{
    const struct http_exchange *call = x->call;
    const uint64_t us = bt_clock_monotonic_us() - call->begun_us;
    const struct serve_metric_request request = {.route = x->route_index,
                                                 .method = x->request->method,
                                                 .status = x->answer->status,
                                                 .seconds = (double)us / 1e6};
    const struct serve_admit_refusal *refusal =
        x->outcome.is_run ? NULL : refusal_of(x->outcome.problem);
    const bool logs_address = refusal && refusal->logs_address;
    const struct serve_log_line line = {.level = x->answer->status >= BT_HTTP_INTERNAL ? LOG_WARN
                                                                                       : LOG_INFO,
                                        .event = call->was_truncated ? "cut" : "request",
                                        .exchange = x,
                                        .ms = us / 1000,
                                        .address = logs_address ? call->peer.address : NULL};
    metrics_request(gateway->observers.metrics, &request);
    if (refusal) {
        serve_call_count_metric(x, SERVE_METRIC_HTTP_REFUSED, refusal->reason, NULL, NULL);
    }
    log_put(&gateway->observers.log, bt_env_now(&gateway->env), &line);
    serve_call_trace_export(gateway, x);
}

void serve_finish(struct serve_server *gateway, struct http_exchange *call)
{
    struct serve_call *x = call->data;
    if (x) {
        log_call(gateway, x);
        exchange_release(x);
        serve_log_release(x->target.held);
        serve_rate_release(x->identity.bucket);
        serve_settings_release(x->settings);
    }
}
