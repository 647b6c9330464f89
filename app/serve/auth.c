/* SPDX-License-Identifier: Apache-2.0 */
/* auth.c - admission checks: cross-origin pages, DNS rebinding, tokens, certificates, scopes. */
#include "serve/auth.h"

#include <assert.h>
#include <string.h>

#include "base/ascii.h"
#include "base/net_mark.h"
#include "serve/logs.h"
#include "serve/rate_limit.h"

static bool respond_problem(struct serve_call *x, enum bt_problem problem)
{
    (void)serve_call_respond_problem(x, problem);
    return false;
}

/* ---- Hosts ----------------------------------------------------------------------------------- */

/* The authority in a URL. */
static bt_str authority_of(bt_str url)
{
    const size_t colon = bt_str_find_byte(url, ':', 0);
    const bt_str rest = bt_str_slice(url, colon + 3, url.len);
    return bt_str_slice(rest, 0, bt_str_find_byte(rest, '/', 0));
}

/* True when `host` is `name` with the port of a listener; the default port may be omitted. */
static bool is_at_port(bt_str host, bt_str name, uint16_t port, bool is_tls)
{
    uint64_t number = 0;
    if (host.len < name.len || !bt_ascii_equal_nocase(bt_str_slice(host, 0, name.len), name)) {
        return false;
    }
    const bt_str rest = bt_str_slice(host, name.len, host.len);
    if (rest.len == 0) {
        return port == 0 || port == (is_tls ? 443 : 80);
    }
    return rest.ptr[0] == ':' && bt_str_to_u64(bt_str_slice(rest, 1, rest.len), &number) == BT_OK &&
           number == port && port != 0;
}

/* True when `host` is a name of the server at the listener that received the request. */
static bool is_our_host(const struct serve_call *x, bt_str host)
{
    static const bt_str local[] = {BT_STR_INIT("localhost"), BT_STR_INIT("127.0.0.1"),
                                   BT_STR_INIT("[::1]")};
    const struct http_peer *peer = &x->call->peer;
    const struct serve_listener *listener = &x->gateway->listening.items[peer->listener];
    const bt_str url = bt_config_text(x->config, "public_url");
    for (size_t i = 0; peer->is_local && i < sizeof(local) / sizeof(local[0]); i++) {
        if (is_at_port(host, local[i], listener->port, peer->is_tls)) {
            return true;
        }
    }
    for (size_t i = 0; i < bt_config_count(x->config, "hosts"); i++) {
        if (bt_ascii_equal_nocase(host, bt_config_item(x->config, "hosts", i))) {
            return true;
        }
    }
    return is_at_port(host, listener->name, listener->port, peer->is_tls) ||
           (url.len > 0 && bt_ascii_equal_nocase(host, authority_of(url)));
}

bool serve_auth_check_host(struct serve_call *x)
{
    return is_our_host(x, x->request->host) || respond_problem(x, BT_PROBLEM_HOST_NOT_ALLOWED);
}

/* ---- Pages ----------------------------------------------------------------------------------- */

static bool is_listed_origin(const struct serve_call *x, bt_str origin)
{
    for (size_t i = 0; i < bt_config_count(x->config, "cors.origins"); i++) {
        if (bt_str_eq(origin, bt_config_item(x->config, "cors.origins", i))) {
            return true;
        }
    }
    return false;
}

static bool is_own_origin(const struct serve_call *x, bt_str origin)
{
    const bt_str scheme = x->call->peer.is_tls ? BT_STR("https://") : BT_STR("http://");
    const bt_str url = bt_config_text(x->config, "public_url");
    const size_t start = bt_str_find_byte(url, ':', 0) + 3;
    const size_t end = bt_str_find_byte(url, '/', start);
    if (url.len > 0 && bt_ascii_equal_nocase(origin, bt_str_slice(url, 0, end))) {
        return true;
    }
    return bt_str_starts_with(origin, scheme) &&
           is_our_host(x, bt_str_slice(origin, scheme.len, origin.len));
}

bool serve_auth_check_origin(struct serve_call *x)
{
    size_t count = 0;
    const bt_str origin = serve_field(x->request, "origin", &count);
    const bool is_listed = count > 0 && is_listed_origin(x, origin);
    const enum http_method method = x->request->method;
    if (count > 1 || (count > 0 && !is_listed && !is_own_origin(x, origin))) {
        return respond_problem(x, BT_PROBLEM_ORIGIN_NOT_ALLOWED);
    }
    if (!is_listed && method != HTTP_GET && method != HTTP_HEAD &&
        bt_str_eq(serve_field(x->request, "sec-fetch-site", NULL), BT_STR("cross-site"))) {
        return respond_problem(x, BT_PROBLEM_ORIGIN_NOT_ALLOWED);
    }
    if (is_listed) {
        x->identity.origin = origin;
    }
    return true;
}

bool serve_auth_answer_preflight(struct serve_call *x)
{
    size_t count = 0;
    (void)serve_field(x->request, "access-control-request-method", &count);
    if (x->request->method != HTTP_OPTIONS || x->identity.origin.len == 0 || count == 0) {
        return true;
    }
    x->answer->status = BT_HTTP_NO_CONTENT;
    serve_call_add_header(x, "Access-Control-Allow-Methods",
                          BT_STR("GET, HEAD, POST, PUT, DELETE"));
    serve_call_add_header(
        x, "Access-Control-Allow-Headers",
        BT_STR("Accept, A2A-Extensions, A2A-Version, Authorization, Baton-Number, Content-Type, "
               "Idempotency-Key, If-None-Match, Last-Event-ID, Mcp-Method, Mcp-Name, "
               "MCP-Protocol-Version, Mcp-Session-Id, traceparent, tracestate, "
               "X-Request-Id"));
    serve_call_add_header(x, "Access-Control-Max-Age", BT_STR("600"));
    return false;
}

/* ---- Principals ------------------------------------------------------------------------------ */

/* True when a proxy has forwarded the request: then every caller seems local. */
static bool has_proxy_marks(const struct http_request *request)
{
    for (size_t i = 0; i < request->field_count; i++) {
        const bt_str name = request->fields[i].name;
        if (bt_str_eq(name, BT_STR("forwarded")) || bt_str_eq(name, BT_STR("via")) ||
            bt_str_starts_with(name, BT_STR("x-forwarded-"))) {
            return true;
        }
    }
    return false;
}

static bool take_token(const struct serve_credential *token, struct serve_principal *out)
{
    if (!token) {
        return false;
    }
    *out = (struct serve_principal){.name = token->name,
                                    .scopes = token->scopes,
                                    .agents = token->agents,
                                    .agent_count = token->agent_count,
                                    .pump_client = token->pump_client,
                                    .credential = token};
    return true;
}

/* The token after `Bearer`; "" when the value has another form. */
static bt_str bearer_of(bt_str value)
{
    const bt_str scheme = BT_STR("bearer ");
    return value.len > scheme.len &&
                   bt_ascii_equal_nocase(bt_str_slice(value, 0, scheme.len), scheme)
               ? bt_str_slice(value, scheme.len, value.len)
               : BT_STR("");
}

/* Find the principal of a token. Every entry is compared, including the console's own token. */
static bool by_token(struct serve_call *x, bt_str text, struct serve_principal *out)
{
    const struct serve_server *gateway = x->gateway;
    uint8_t digest[BT_SHA256_BYTES];
    const struct serve_credential *token =
        tokens_find(&x->settings->tokens, text, bt_env_now(&gateway->env));
    if (bt_sha256(text, digest) != BT_OK) {
        return false;
    }
    const bool is_console =
        bt_bytes_equal_constant_time(digest, gateway->console.digest, sizeof(digest)) &&
        gateway->console.has_token;
    if (is_console) {
        *out = (struct serve_principal){
            .name = BT_STR("console"), .scopes = SCOPES_ALL, .pump_client = BT_STR("")};
        return true;
    }
    return take_token(token, out);
}

static bool by_certificate(struct serve_call *x, struct serve_principal *out)
{
    const struct http_peer *peer = &x->call->peer;
    const bt_instant now = bt_env_now(&x->gateway->env);
    for (size_t i = 0; peer->has_key && i < x->settings->tokens.count; i++) {
        const struct serve_credential *token = &x->settings->tokens.items[i];
        if (token->is_certificate && !token_is_expired(token, now) &&
            bt_bytes_equal_constant_time(token->digest, peer->key_digest, sizeof(token->digest))) {
            return take_token(token, out);
        }
    }
    return false;
}

/*
 * A pump handler with network access can reach our loopback listeners and could pose as a local
 * caller. While there may be one, being local grants nothing.
 */
static bool may_be_handler(struct serve_call *x)
{
    struct serve_server *gateway = x->gateway;
    const uint64_t now = bt_clock_monotonic_ms();
    if (gateway->listening.items[x->call->peer.listener].at.kind == BT_LISTEN_UNIX) {
        return false; /* handlers cannot use Unix sockets */
    }
    if (gateway->handlers_checked_ms > 0 &&
        now - gateway->handlers_checked_ms < BT_NET_MARK_FRESH_MS) {
        return false;
    }
    gateway->handlers_checked_ms = bt_net_mark_is_set() ? 0 : now;
    return gateway->handlers_checked_ms == 0;
}

static bool identify_principal(struct serve_call *x, struct serve_principal *out)
{
    size_t count = 0;
    const bt_str credentials = serve_field(x->request, "authorization", &count);
    if (count > 0) {
        return count == 1 && by_token(x, bearer_of(credentials), out);
    }
    if (by_certificate(x, out)) {
        return true;
    }
    if (!x->call->peer.is_local || x->request->is_http_1_0 || has_proxy_marks(x->request) ||
        x->settings->anonymous == 0 || may_be_handler(x)) {
        return false;
    }
    *out = (struct serve_principal){.name = BT_STR("local"),
                                    .scopes = x->settings->anonymous,
                                    .pump_client = BT_STR(""),
                                    .is_anonymous = true};
    return true;
}

static bool take_principal(struct serve_call *x, const struct serve_principal *found)
{
    static const bt_str actor_prefix = BT_STR_INIT("serve/");
    struct serve_principal *principal = BT_NEW(x->arena, struct serve_principal);
    char *actor = bt_arena_alloc(x->arena, actor_prefix.len + found->name.len);
    if (!principal || !actor) {
        return respond_problem(x, BT_PROBLEM_OVERLOADED);
    }
    memcpy(actor, actor_prefix.ptr, actor_prefix.len);
    memcpy(actor + actor_prefix.len, found->name.ptr, found->name.len);
    *principal = *found;
    x->identity.principal = principal;
    x->identity.caller = (struct bt_caller){.actor = {actor, actor_prefix.len + found->name.len},
                                            .name = found->name,
                                            .is_anonymous = found->is_anonymous,
                                            .scopes = found->scopes,
                                            .agents = found->agents,
                                            .agent_count = found->agent_count,
                                            .pump_client = found->pump_client,
                                            .workspace = BT_STR(""),
                                            .session = BT_STR(""),
                                            .hides_topology = true};
    return true;
}

/* True when the path needs no principal. */
static bool is_public(const struct serve_call *x)
{
    const unsigned flags = x->route->flags;
    return (flags & ROUTE_PUBLIC) ||
           ((flags & ROUTE_PUBLIC_METRICS) && bt_config_bool(x->config, "metrics.public")) ||
           ((flags & ROUTE_PUBLIC_LEDGER) && bt_config_bool(x->config, "ledger.public"));
}

bool serve_auth_find_principal(struct serve_call *x)
{
    struct serve_principal found;
    if (identify_principal(x, &found)) {
        return take_principal(x, &found);
    }
    if (is_public(x)) {
        return true;
    }
    if (!serve_rate_count_failure(x->gateway->rates, x->call->peer.address,
                                  bt_config_u64(x->config, "rate.auth_failures"),
                                  x->call->begun_ms)) {
        serve_call_add_header(x, "Retry-After", BT_STR("60"));
        x->outcome.has_retry = true;
        return respond_problem(x, BT_PROBLEM_RATE_LIMITED);
    }
    serve_call_add_header(x, "WWW-Authenticate", BT_STR("Bearer realm=\"baton\""));
    return respond_problem(x, BT_PROBLEM_UNAUTHENTICATED);
}

/* True when both grant the same to the same holder. */
static bool is_same_credential(const struct serve_credential *a, const struct serve_credential *b)
{
    bool is_same = a->is_certificate == b->is_certificate && a->scopes == b->scopes &&
                   a->agent_count == b->agent_count && bt_str_eq(a->name, b->name) &&
                   bt_str_eq(a->pump_client, b->pump_client) &&
                   memcmp(a->digest, b->digest, sizeof(a->digest)) == 0;
    for (size_t i = 0; is_same && i < a->agent_count; i++) {
        is_same = bt_str_eq(a->agents[i], b->agents[i]);
    }
    is_same = is_same && a->log_count == b->log_count;
    for (size_t i = 0; is_same && i < a->log_count; i++) {
        is_same = bt_str_eq(a->logs[i], b->logs[i]);
    }
    return is_same;
}

bool serve_auth_still_holds(struct serve_call *x)
{
    struct serve_server *gateway = x->gateway;
    const struct serve_principal *principal = x->identity.principal;
    const bt_instant now = bt_env_now(&gateway->env);
    bool holds = false;
    if (!principal || !(principal->is_anonymous || principal->credential)) {
        return true; /* a public path, or the console's own token */
    }
    (void)pthread_mutex_lock(&gateway->lock);
    const struct serve_settings *settings = gateway->settings;
    if (principal->is_anonymous) {
        holds = settings->anonymous == principal->scopes;
    }
    for (size_t i = 0; !principal->is_anonymous && !holds && i < settings->tokens.count; i++) {
        holds = is_same_credential(&settings->tokens.items[i], principal->credential) &&
                !token_is_expired(&settings->tokens.items[i], now);
    }
    (void)pthread_mutex_unlock(&gateway->lock);
    return holds;
}

bool serve_auth_has_log(const struct serve_call *x, bt_str log)
{
    const struct serve_principal *principal = x->identity.principal;
    if (!principal || principal->is_anonymous) {
        return false;
    }
    /* the console's own token is the operator's */
    return !principal->credential || serve_credential_has_log(principal->credential, log);
}

bool serve_auth_check_log(struct serve_call *x)
{
    struct serve_logs *logs = x->gateway->store.logs;
    if (x->target.name.len == 0 || serve_logs_is_default(logs, x)) {
        x->target.name = BT_STR("");
        return true;
    }
    /* Whether it exists is looked up only for those who may use it. */
    return (serve_auth_has_log(x, x->target.name) && serve_logs_exists(logs, x)) ||
           respond_problem(x, BT_PROBLEM_NOT_FOUND);
}

bool serve_auth_check_scope(struct serve_call *x)
{
    const struct serve_principal *principal = x->identity.principal;
    const bt_str name = bt_scopes_find_missing(principal ? principal->scopes : 0, x->route->scopes);
    bt_str member;
    if (name.len == 0 || is_public(x)) {
        return true;
    }
    if (bt_arena_printf(x->arena, &member, "\"scope\":\"%.*s\"", BT_STR_ARG(name)) != BT_OK) {
        return respond_problem(x, BT_PROBLEM_OVERLOADED);
    }
    (void)serve_call_respond_problem_with(x, BT_PROBLEM_SCOPE_MISSING, member);
    return false;
}

bool serve_auth_check_rate(struct serve_call *x)
{
    const unsigned flags = x->route->flags;
    if (!x->identity.principal || is_public(x)) {
        return true;
    }
    const struct serve_rate_request rate_request = {
        .principal = x->identity.principal->name,
        .kind = flags & ROUTE_SUBMITS ? RATE_SUBMIT : RATE_CHECK,
        .per_second =
            bt_config_u64(x->config, flags & ROUTE_SUBMITS ? "rate.submit" : "rate.check"),
        .is_free = x->identity.principal->is_anonymous,
        .is_stream = (flags & ROUTE_STREAM) != 0,
        .streams_max = bt_config_u64(x->config, "limits.streams_per_principal"),
        .now_ms = x->call->begun_ms,
    };
    if (serve_rate_acquire(x->gateway->rates, &rate_request, &x->identity.bucket)) {
        return true;
    }
    serve_call_add_header(x, "Retry-After", BT_STR("1"));
    x->outcome.has_retry = true;
    return respond_problem(x, BT_PROBLEM_RATE_LIMITED);
}

bool access_may_record(void *context)
{
    struct serve_call *x = context;
    const struct serve_rate_request rate_request = {
        .principal = x->identity.principal->name,
        .kind = RATE_SUBMIT,
        .per_second = bt_config_u64(x->config, "rate.submit"),
        .is_free = x->identity.principal->is_anonymous,
        .now_ms = bt_clock_monotonic_ms(),
    };
    return serve_rate_acquire(x->gateway->rates, &rate_request, &x->identity.bucket);
}
