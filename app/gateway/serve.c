/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve.c - the life of the server: tests, listeners, signals, the end.
 */
#include <assert.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <baton/file.h>

#include "gateway/gateway.h"
#include "gateway/protocols.h"
#include "gateway/rate.h"
#include "http/listen.h"

enum {
    ARENA_BYTES_MAX = 16 << 20,
    WORKERS_MAX = 1024,
    SLOW_WORKERS = 64, /* they wait for the disk together, which makes one commit of many */
    SECOND_MS = 1000,
    DONE = 0,
    FAILED = 2,
};

/* ---- Listening ------------------------------------------------------------------------------- */

/* How a listener is known: its URL, and the host in it. */
static enum bt_status name_listener(struct gateway *gateway, struct gateway_listener *listener)
{
    const struct bt_listen *at = &listener->at;
    struct bt_arena *arena = &gateway->arena;
    if (at->kind == BT_LISTEN_UNIX) {
        listener->name = BT_STR("localhost");
        return bt_arena_printf(arena, &listener->url, "unix:%.*s", BT_STR_ARG(at->host));
    }
    BT_TRY(bt_arena_printf(arena, &listener->name, at->kind == BT_LISTEN_IPV6 ? "[%.*s]" : "%.*s",
                           BT_STR_ARG(at->host)));
    return bt_arena_printf(arena, &listener->url, "%s://%.*s:%u",
                           gateway->settings->has_tls ? "https" : "http",
                           BT_STR_ARG(listener->name), listener->port);
}

static enum bt_status open_listeners(struct gateway *gateway, struct http_listen *out,
                                     struct bt_error *error)
{
    const struct bt_config *config = gateway->settings->config;
    const size_t count = settings_listen_count(gateway->flags, config);
    struct bt_error inner;
    for (size_t i = 0; i < count; i++) {
        struct gateway_listener *listener = &gateway->listeners[i];
        const bt_str text = settings_listen_at(gateway->flags, config, i);
        bt_str kept;
        BT_TRY(bt_arena_copy(&gateway->arena, text, &kept));
        BT_TRY(bt_listen_parse(kept, &listener->at));
        if (http_listen_open(&listener->at, &out[i], &listener->port, &inner) != BT_OK) {
            return bt_fail(error, BT_EIO, "cannot listen at %.*s: %s", BT_STR_ARG(text),
                           inner.text);
        }
        gateway->listener_count = i + 1;
        BT_TRY(name_listener(gateway, listener));
    }
    return BT_OK;
}

static void close_listeners(struct gateway *gateway, const struct http_listen *listeners)
{
    for (size_t i = 0; i < gateway->listener_count; i++) {
        (void)close(listeners[i].fd);
    }
}

/* ---- Being ready ----------------------------------------------------------------------------- */

/* The first listener that a browser can reach; NULL when there is none. */
static const struct gateway_listener *page_listener(const struct gateway *gateway)
{
    for (size_t i = 0; i < gateway->listener_count; i++) {
        if (gateway->listeners[i].at.kind != BT_LISTEN_UNIX) {
            return &gateway->listeners[i];
        }
    }
    return NULL;
}

static void put_ready_text(const struct gateway *gateway, struct bt_buf *buf)
{
    const struct gateway_listener *page = page_listener(gateway);
    for (size_t i = 0; i < gateway->listener_count; i++) {
        bt_buf_printf(buf, "baton: ready %.*s\n", BT_STR_ARG(gateway->listeners[i].url));
    }
    if (gateway->has_console_token && page) {
        bt_buf_printf(buf, "baton: console %.*s/#token=%s\n", BT_STR_ARG(page->url),
                      gateway->console_token);
    }
}

static void put_ready_json(const struct gateway *gateway, struct bt_buf *buf)
{
    const struct gateway_listener *page = page_listener(gateway);
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_name(&emit, "ready");
    bt_emit_bool(&emit, true);
    bt_emit_name(&emit, "listen");
    bt_emit_array(&emit);
    for (size_t i = 0; i < gateway->listener_count; i++) {
        bt_emit_string(&emit, gateway->listeners[i].url);
    }
    bt_emit_end(&emit);
    bt_emit_name(&emit, "console");
    if (gateway->has_console_token && page) {
        bt_emit_raw(&emit, BT_STR("\""));
        bt_buf_printf(buf, "%.*s/#token=%s\"", BT_STR_ARG(page->url), gateway->console_token);
    } else {
        bt_emit_null(&emit);
    }
    bt_emit_member_u64(&emit, "pid", (uint64_t)getpid());
    bt_emit_end(&emit);
    bt_buf_put_char(buf, '\n');
}

static bool tell_ready(const struct gateway *gateway, const struct serve_voice *voice)
{
    struct bt_buf buf;
    bt_buf_init(&buf, 1 << 20);
    if (gateway->flags->is_json) {
        put_ready_json(gateway, &buf);
    } else {
        put_ready_text(gateway, &buf);
    }
    const bool is_told = buf.status == BT_OK && voice->print(bt_buf_str(&buf));
    bt_buf_free(&buf);
    return is_told;
}

/* ---- Signals --------------------------------------------------------------------------------- */

static void on_signal(void *context, int number)
{
    struct gateway *gateway = context;
    const struct bt_config *config = gateway->settings->config;
    if (number != SIGTERM && number != SIGINT) {
        return;
    }
    const uint64_t timeout_ms = bt_config_number(config, "shutdown.timeout_s") * SECOND_MS;
    http_server_stop(gateway->server, gateway->is_draining ? 0 : timeout_ms);
    gateway->is_draining = true;
}

/* ---- The life -------------------------------------------------------------------------------- */

/* Ten thousand connections need as many descriptors. */
static void raise_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static enum bt_status make_console_token(struct gateway *gateway)
{
    if (gateway->settings->has_tokens) {
        return BT_OK;
    }
    gateway->has_console_token = true;
    return token_make(&gateway->env, gateway->console_token, gateway->console_digest);
}

static size_t worker_count(const struct serve_flags *flags)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t usual = cores > 0 && cores < WORKERS_MAX ? (size_t)cores : 1;
    return flags->workers > 0 ? flags->workers : usual;
}

static enum bt_status start(struct gateway *gateway, const struct http_app *app,
                            struct bt_error *error)
{
    struct http_listen listeners[HTTP_LISTENERS_MAX];
    struct http_options options = {
        .app = app,
        .listeners = listeners,
        .limits = gateway->settings->limits,
        .tls = gateway->settings->tls,
        .workers = {worker_count(gateway->flags), SLOW_WORKERS},
    };
    enum bt_status status = open_listeners(gateway, listeners, error);
    if (status == BT_OK) {
        options.listener_count = gateway->listener_count;
        gateway->server = http_server_create(&options, error);
        return gateway->server ? BT_OK : BT_EIO;
    }
    close_listeners(gateway, listeners);
    return status;
}

static int serve(struct gateway *gateway, const struct serve_voice *voice, struct bt_error *error)
{
    const struct http_app app = {.context = gateway,
                                 .admit = gateway_admit,
                                 .run = gateway_run,
                                 .refuse = gateway_refuse,
                                 .finish = gateway_finish,
                                 .worker_begin = gateway_worker_begin,
                                 .worker_end = gateway_worker_end,
                                 .signal = on_signal};
    if (make_console_token(gateway) != BT_OK || start(gateway, &app, error) != BT_OK ||
        !tell_ready(gateway, voice) || http_server_run(gateway->server, error) != BT_OK) {
        return FAILED;
    }
    return DONE;
}

static void complain_findings(const struct serve_voice *voice, const struct bt_findings *findings)
{
    char text[512];
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        if (finding->severity == BT_HARD) {
            (void)snprintf(text, sizeof(text), "line %u: %.*s %.*s", finding->place.line,
                           BT_STR_ARG(finding->rule->code), BT_STR_ARG(finding->message));
            voice->complain(text);
        }
    }
}

int gateway_serve(const struct serve_flags *flags, const struct serve_voice *voice)
{
    struct gateway gateway = {.flags = flags};
    struct bt_error error = {0};
    int code = FAILED;
    bt_arena_init(&gateway.arena, ARENA_BYTES_MAX);
    struct bt_findings *findings = bt_findings_new(&gateway.arena);
    gateway.rates = rates_create();
    gateway.protocols = protocols_create();
    if (findings && gateway.rates && gateway.protocols && bt_env_init(&gateway.env) == BT_OK &&
        settings_load(&gateway.env, flags, findings, &gateway.settings, &error) == BT_OK) {
        raise_descriptors();
        code = serve(&gateway, voice, &error);
        http_server_destroy(gateway.server);
        settings_drop(gateway.settings);
    }
    if (code != DONE) {
        if (findings) {
            complain_findings(voice, findings);
        }
        voice->complain(error.text[0] ? error.text : "cannot start");
    }
    rates_destroy(gateway.rates);
    protocols_destroy(gateway.protocols);
    bt_arena_free(&gateway.arena);
    return code;
}
