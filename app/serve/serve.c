/* SPDX-License-Identifier: Apache-2.0 */
/* serve.c - the life of the server: checks at the start, listeners, signals, shutdown. */
#include <assert.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"
#include "http/listen.h"
#include "json/emit.h"
#include "serve/activation.h"
#include "serve/heartbeat.h"
#include "serve/openapi.h"
#include "serve/otlp.h"
#include "serve/peers.h"
#include "serve/protocol_state.h"
#include "serve/rate_limit.h"
#include "serve/server.h"
#include "serve/webhooks.h"
#include "serve/wrap_channels.h"

enum {
    ARENA_BYTES_MAX = 16 << 20,
    WORKERS_MAX = 1024,
    SLOW_WORKERS = 64, /* they wait for the disk together, so that one commit serves many */
    SECOND_MS = 1000,
    OPENING_MS_MIN = 2000,
    DONE = 0,
    FAILED = 2,
};

/* ---- Listening ------------------------------------------------------------------------------- */

/* Set the URL of a listener, and the host in it. */
static enum bt_status name_listener(struct serve_server *gateway, struct serve_listener *listener)
{
    const struct bt_listen_address *at = &listener->at;
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

static enum bt_status open_listeners(struct serve_server *gateway, struct http_listener *out,
                                     struct bt_error *error)
{
    const struct bt_config *config = gateway->settings->config;
    const size_t count = settings_listen_count(gateway->flags, config);
    struct bt_error inner;
    for (size_t i = 0; i < count; i++) {
        struct serve_listener *listener = &gateway->listening.items[i];
        const bt_str text = settings_listen_at(gateway->flags, config, i);
        bt_str kept;
        BT_TRY(bt_arena_copy(&gateway->arena, text, &kept));
        BT_TRY(bt_listen_address_parse(kept, &listener->at));
        if (gateway->flags->is_activated) {
            listener->port = listener->at.port;
            out[i] = (struct http_listener){.fd = ACTIVATION_FIRST_FD + (int)i,
                                            .is_local = listener->at.is_local,
                                            .is_unix = listener->at.kind == BT_LISTEN_UNIX};
        } else if (http_listen_open(&listener->at, &out[i], &listener->port, &inner) != BT_OK) {
            return bt_error_set(error, BT_EIO, "cannot listen at %.*s: %s", BT_STR_ARG(text),
                                inner.text);
        }
        gateway->listening.count = i + 1;
        BT_TRY(name_listener(gateway, listener));
    }
    return BT_OK;
}

static void close_listeners(struct serve_server *gateway, const struct http_listener *listeners)
{
    for (size_t i = 0; i < gateway->listening.count; i++) {
        (void)close(listeners[i].fd);
    }
}

/* ---- Readiness ------------------------------------------------------------------------------- */

/* The first listener that a browser can reach; NULL when there is none. */
static const struct serve_listener *page_listener(const struct serve_server *gateway)
{
    for (size_t i = 0; i < gateway->listening.count; i++) {
        if (gateway->listening.items[i].at.kind != BT_LISTEN_UNIX) {
            return &gateway->listening.items[i];
        }
    }
    return NULL;
}

static void put_ready_text(const struct serve_server *gateway, struct bt_buf *buf)
{
    const struct serve_listener *page = page_listener(gateway);
    for (size_t i = 0; i < gateway->listening.count; i++) {
        bt_buf_printf(buf, "baton: ready %.*s\n", BT_STR_ARG(gateway->listening.items[i].url));
    }
    if (gateway->console.has_token && page) {
        bt_buf_printf(buf, "baton: console %.*s/#token=%s\n", BT_STR_ARG(page->url),
                      gateway->console.token);
    }
}

static void put_ready_json(const struct serve_server *gateway, struct bt_buf *buf)
{
    const struct serve_listener *page = page_listener(gateway);
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_bool(&emit, "ready", true);
    bt_emit_member_array(&emit, "listen");
    for (size_t i = 0; i < gateway->listening.count; i++) {
        bt_emit_string(&emit, gateway->listening.items[i].url);
    }
    bt_emit_end(&emit);
    bt_emit_name(&emit, "console");
    if (gateway->console.has_token && page) {
        bt_emit_raw(&emit, BT_STR("\""));
        bt_buf_printf(buf, "%.*s/#token=%s\"", BT_STR_ARG(page->url), gateway->console.token);
    } else {
        bt_emit_null(&emit);
    }
    bt_emit_member_u64(&emit, "pid", (uint64_t)getpid());
    bt_emit_end(&emit);
    bt_buf_put_char(buf, '\n');
}

static bool print_ready(const struct serve_server *gateway,
                        const struct serve_console_output *console)
{
    struct bt_buf buf;
    bt_buf_init(&buf, 1 << 20);
    if (gateway->flags->is_json) {
        put_ready_json(gateway, &buf);
    } else {
        put_ready_text(gateway, &buf);
    }
    const bool was_printed = buf.status == BT_OK && console->print(bt_buf_str(&buf));
    bt_buf_free(&buf);
    if (was_printed) {
        serve_activation_notify("READY=1");
    }
    return was_printed;
}

/* ---- Signals --------------------------------------------------------------------------------- */

static void log_event(struct serve_server *gateway, enum serve_log_level level, const char *event,
                      const char *detail)
{
    const struct serve_log_line line = {.level = level, .event = event, .detail = detail};
    log_put(&gateway->observers.log, bt_env_now(&gateway->env), &line);
}

/* A second signal stops at once. */
static void begin_shutdown(struct serve_server *gateway)
{
    const struct bt_config *config = gateway->settings->config;
    const uint64_t now_ms = bt_clock_monotonic_ms();
    const bool is_second = gateway->stop.is_draining;
    gateway->stop.is_draining = true;
    gateway->stop.drain_ms = now_ms + bt_config_u64(config, "shutdown.delay_s") * SECOND_MS;
    log_event(gateway, LOG_INFO, "stopping", NULL);
    serve_activation_notify("STOPPING=1");
    if (is_second) {
        gateway->stop.drain_ms = now_ms;
        gateway->stop.stop_ms = now_ms;
        http_server_stop(gateway->server, 0);
    }
}

static void warn_of_unused(struct serve_server *gateway)
{
    const struct serve_settings *settings = gateway->settings;
    if (!settings->may_wrap && bt_config_has(settings->config, "wrap.servers")) {
        log_event(gateway, LOG_WARN, "not-wrapped",
                  "wrap.servers of a file that was only found in the current folder is not used: "
                  "name the file with --config");
    }
}

static void reload_config(struct serve_server *gateway)
{
    struct bt_arena arena;
    struct bt_error error = {0};
    bt_arena_init(&arena, ARENA_BYTES_MAX);
    struct bt_findings *findings = bt_findings_new(&arena);
    const enum bt_status status = findings ? serve_reload(gateway, findings, &error) : BT_ENOMEM;
    if (status == BT_OK) {
        serve_reload_apply(gateway);
        log_event(gateway, LOG_INFO, "reloaded", NULL);
        warn_of_unused(gateway);
    } else {
        log_event(gateway, LOG_ERROR, "reload-refused", error.text);
    }
    bt_arena_free(&arena);
}

/* After a failed sync the state on disk is unknown: exit, so that the next start reads it. */
static void give_up_if_lost(struct serve_server *gateway)
{
    if (!gateway->stop.is_stopped && serve_store_has_failed(gateway)) {
        log_event(gateway, LOG_ERROR, "store-lost", "a commit failed; nothing more is recorded");
        serve_activation_notify("STOPPING=1");
        gateway->stop.is_draining = true;
        gateway->stop.is_stopped = true;
        http_server_stop(gateway->server, SECOND_MS);
    }
}

/* Called when time has passed, or when a worker has woken the event loop. */
static void run_pending_work(struct serve_server *gateway)
{
    const struct bt_config *config = gateway->settings->config;
    serve_reload_apply(gateway);
    give_up_if_lost(gateway);
    serve_wrap_end_idle(gateway->conversations.wrap);
    peers_log(gateway->observers.peers);
    if (gateway->stop.is_draining && !gateway->stop.is_stopped &&
        bt_clock_monotonic_ms() >= gateway->stop.drain_ms) {
        const uint64_t timeout_ms = bt_config_u64(config, "shutdown.timeout_s") * SECOND_MS;
        gateway->stop.is_stopped = true;
        gateway->stop.stop_ms = bt_clock_monotonic_ms() + timeout_ms;
        http_server_stop(gateway->server, timeout_ms);
    }
}

static void take_signal(struct serve_server *gateway, int number)
{
    if (number == SIGTERM || number == SIGINT) {
        begin_shutdown(gateway);
    } else if (number == SIGHUP) {
        reload_config(gateway);
    }
}

static void end_turn(struct serve_server *gateway, const struct http_event *event)
{
    for (size_t i = 0; i < event->signal_count; i++) {
        take_signal(gateway, event->signals[i]);
    }
    if (event->is_due || event->signal_count > 0) {
        run_pending_work(gateway);
    }
    log_flush(&gateway->observers.log, false);
}

/* Serve until the server is stopped and everything is answered. */
static enum bt_status run_loop(struct serve_server *gateway, struct bt_error *error)
{
    struct http_event event = {0};
    while (!event.is_over) {
        BT_TRY(http_server_wait(gateway->server, &event, error));
        switch (event.kind) {
        case HTTP_EVENT_HEAD:
            event.call->is_admitted = serve_admit(gateway, event.call);
            break;
        case HTTP_EVENT_ERROR:
            serve_reject(gateway, event.call, event.error);
            break;
        case HTTP_EVENT_END:
            serve_finish(gateway, event.call);
            break;
        case HTTP_EVENT_TURN:
            end_turn(gateway, &event);
            break;
        }
    }
    return BT_OK;
}

/* ---- Lifecycle ------------------------------------------------------------------------------- */

/* Ten thousand connections need as many descriptors. */
static void raise_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static enum bt_status make_console_token(struct serve_server *gateway)
{
    if (gateway->settings->has_tokens) {
        return BT_OK;
    }
    gateway->console.has_token = true;
    return serve_credential_generate(&gateway->env, gateway->console.token,
                                     gateway->console.digest);
}

static size_t worker_count(const struct serve_flags *flags)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t usual = cores > 0 && cores < WORKERS_MAX ? (size_t)cores : 1;
    return flags->workers > 0 ? flags->workers : usual;
}

static enum bt_status create_server(struct serve_server *gateway, struct bt_error *error)
{
    struct http_listener listeners[HTTP_LISTENERS_MAX] = {{0}};
    struct http_options options = {
        .listeners = listeners,
        .limits = gateway->settings->limits,
        .tls = gateway->settings->tls,
    };
    const size_t workers[HTTP_LANES] = {worker_count(gateway->flags), SLOW_WORKERS};
    enum bt_status status = open_listeners(gateway, listeners, error);
    if (status == BT_OK) {
        options.listener_count = gateway->listening.count;
        gateway->server = http_server_create(&options, error);
        return gateway->server ? serve_workers_start(gateway, workers, error) : BT_EIO;
    }
    close_listeners(gateway, listeners);
    return status;
}

/* Open the writer: one thread records for all workers, many submissions in one commit. */
static enum bt_status open_writer(struct serve_server *gateway, struct bt_error *error)
{
    const struct serve_flags *flags = gateway->flags;
    if (flags->has_no_store || flags->is_read_only) {
        return BT_OK;
    }
    /* Opening may take longer than recording a submission. */
    struct bt_ledger_options store = flags->store;
    store.open_deadline_ms =
        store.deadline_ms > OPENING_MS_MIN ? store.deadline_ms : OPENING_MS_MIN;
    BT_TRY(bt_ledger_open(&store, true, &gateway->store.ledger, error));
    bt_ledger_set_observer(gateway->store.ledger, serve_count_ledger_event, gateway);
    BT_TRY(bt_arena_copy(&gateway->arena, bt_ledger_origin(gateway->store.ledger),
                         &gateway->store.origin));
    BT_TRY(heartbeat_start(gateway->observers.heartbeat, gateway->store.ledger, error));
    BT_TRY(
        bt_ledger_writer_open(gateway->store.ledger, &gateway->env, &gateway->store.writer, error));
    gateway->store.has_failed = bt_ledger_writer_failure(gateway->store.writer);
    return BT_OK;
}

static int run_server(struct serve_server *gateway, const struct serve_console_output *console,
                      struct bt_error *error)
{
    if (open_writer(gateway, error) != BT_OK ||
        !otlp_change(gateway->observers.otlp, gateway->settings->config, error) ||
        !webhooks_change(gateway->observers.webhooks, gateway->settings->config, error) ||
        !heartbeat_change(gateway->observers.heartbeat, gateway->settings->config, error) ||
        !peers_change(gateway->observers.peers, gateway->settings->config, error) ||
        make_console_token(gateway) != BT_OK ||
        serve_openapi_build(&gateway->arena, &gateway->openapi) != BT_OK ||
        create_server(gateway, error) != BT_OK || !print_ready(gateway, console) ||
        run_loop(gateway, error) != BT_OK) {
        return FAILED;
    }
    return DONE;
}

static void complain_findings(const struct serve_console_output *console,
                              const struct bt_findings *findings)
{
    char text[512];
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        if (finding->severity == BT_SEVERITY_HARD) {
            (void)snprintf(text, sizeof(text), "line %u: %.*s %.*s", finding->position.line,
                           BT_STR_ARG(finding->rule->code), BT_STR_ARG(finding->message));
            console->complain(text);
        }
    }
}

static bool gateway_init(struct serve_server *gateway, const struct serve_flags *flags)
{
    *gateway = (struct serve_server){.flags = flags};
    bt_arena_init(&gateway->arena, ARENA_BYTES_MAX);
    serve_routes_build(&gateway->routes);
    gateway->rates = rates_create();
    gateway->conversations.protocols = protocols_create();
    gateway->conversations.wrap = serve_wrap_create(gateway);
    gateway->observers.metrics = metrics_create();
    gateway->observers.otlp = otlp_create();
    gateway->observers.webhooks = webhooks_create(gateway);
    gateway->observers.heartbeat = heartbeat_create(gateway);
    gateway->observers.peers = peers_create(gateway);
    gateway->store.logs = serve_logs_create(gateway);
    if (!gateway->rates || !gateway->conversations.protocols || !gateway->conversations.wrap ||
        !gateway->observers.metrics || !gateway->observers.otlp || !gateway->observers.webhooks ||
        !gateway->observers.heartbeat || !gateway->observers.peers || !gateway->store.logs ||
        bt_env_init(&gateway->env) != BT_OK || pthread_mutex_init(&gateway->lock, NULL) != 0 ||
        !http_signals_block()) {
        return false;
    }
    gateway->ids = gateway->env;
    gateway->started = bt_env_now(&gateway->env);
    return true;
}

/* Close the ledger; a state file that could not be written is logged. */
static void close_ledger(struct serve_server *gateway)
{
    struct bt_ledger *ledger = gateway->store.ledger;
    bt_str path;
    const bool has_failed = serve_store_has_failed(gateway); /* the writer knows it */
    bt_ledger_writer_close(gateway->store.writer);
    if (ledger && gateway->settings && bt_ledger_memory_has_failed(ledger, &path)) {
        log_event(gateway, LOG_WARN, "memory_failed", path.ptr);
        log_flush(&gateway->observers.log, true);
    }
    if (ledger && gateway->stop.is_stopped && !has_failed) {
        heartbeat_stop(gateway->observers.heartbeat, ledger);
    }
    bt_ledger_close(ledger);
}

static void gateway_end(struct serve_server *gateway)
{
    serve_workers_stop(gateway);
    struct http_exchange *call = http_server_end_call(gateway->server);
    for (; call; call = http_server_end_call(gateway->server)) {
        serve_finish(gateway, call);
    }
    http_server_destroy(gateway->server);
    serve_wrap_destroy(gateway->conversations.wrap);
    webhooks_destroy(gateway->observers.webhooks, gateway->stop.stop_ms);
    otlp_destroy(gateway->observers.otlp, gateway->stop.stop_ms);
    peers_destroy(gateway->observers.peers, gateway->stop.stop_ms);
    heartbeat_end(gateway->observers.heartbeat, gateway->stop.stop_ms);
    close_ledger(gateway);
    serve_logs_destroy(gateway->store.logs);
    heartbeat_destroy(gateway->observers.heartbeat);
    if (gateway->settings) {
        log_free(&gateway->observers.log);
        serve_settings_release(gateway->settings);
    }
    if (gateway->next) {
        serve_settings_release(gateway->next);
    }
    (void)pthread_mutex_destroy(&gateway->lock);
    metrics_destroy(gateway->observers.metrics);
    rates_destroy(gateway->rates);
    protocols_destroy(gateway->conversations.protocols);
    bt_arena_free(&gateway->arena);
}

/* Run the checks of the start in order, then serve. */
static int load_and_run(struct serve_server *gateway, const struct serve_console_output *console)
{
    struct bt_error error = {0};
    struct bt_findings *findings = bt_findings_new(&gateway->arena);
    if (!findings || settings_load(&gateway->env, gateway->flags, findings, &gateway->settings,
                                   &error) != BT_OK) {
        if (findings) {
            complain_findings(console, findings);
        }
        console->complain(error.text[0] ? error.text : "cannot start");
        return FAILED;
    }
    log_init(&gateway->observers.log, gateway->settings->config);
    warn_of_unused(gateway);
    int code = gateway->flags->has_no_store
                   ? DONE
                   : console->test_store(console->context, gateway->settings->config);
    if (code == DONE) {
        raise_descriptors();
        code = run_server(gateway, console, &error);
        if (code == DONE && serve_store_has_failed(gateway)) {
            console->complain("a commit failed, so its decisions may or may not be recorded; start "
                              "the server again");
            code = FAILED;
        } else if (code != DONE) {
            console->complain(error.text[0] ? error.text : "cannot start");
        }
    }
    return code;
}

int serve_main(const struct serve_flags *flags, const struct serve_console_output *console)
{
    struct serve_server gateway;
    const int code = gateway_init(&gateway, flags) ? load_and_run(&gateway, console) : FAILED;
    gateway_end(&gateway);
    return code;
}
