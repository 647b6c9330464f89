/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reload.c - load configuration, credentials and certificates again while requests are served.
 *
 * They are used completely or not at all. The event loop applies them between two iterations, so no
 * request sees a mixture.
 */
#include <assert.h>

#include "operation/rule_codes.h"
#include "serve/heartbeat.h"
#include "serve/otlp.h"
#include "serve/peers.h"
#include "serve/rest.h"
#include "serve/server.h"
#include "serve/webhooks.h"

enum { POLL_INTERVAL_MS = 20 };

static void lock_server(struct serve_server *gateway)
{
    (void)pthread_mutex_lock(&gateway->lock);
}

static void unlock_server(struct serve_server *gateway)
{
    (void)pthread_mutex_unlock(&gateway->lock);
}

static enum bt_status read_again(struct serve_server *gateway, struct bt_findings *findings,
                                 struct serve_settings **out, struct bt_error *error)
{
    const char *key = NULL;
    struct serve_settings *settings = NULL;
    BT_TRY(settings_load(&gateway->env, gateway->flags, findings, &settings, error));
    lock_server(gateway);
    const bool needs_restart = serve_settings_need_restart(gateway->settings, settings, &key);
    unlock_server(gateway);
    if (needs_restart) {
        serve_settings_release(settings);
        return bt_error_set(error, BT_EINVAL, "%s changed, which needs a restart", key);
    }
    *out = settings;
    return BT_OK;
}

enum bt_status serve_reload(struct serve_server *gateway, struct bt_findings *findings,
                            struct bt_error *error)
{
    struct serve_settings *settings = NULL;
    const enum bt_status status = read_again(gateway, findings, &settings, error);
    const bt_str labels[METRIC_LABELS_MAX] = {status == BT_OK ? BT_STR("done") : BT_STR("refused"),
                                              BT_STR_INIT(""), BT_STR_INIT("")};
    metrics_count(gateway->observers.metrics, SERVE_METRIC_RELOADS, labels);
    if (status != BT_OK) {
        return status;
    }
    lock_server(gateway);
    struct serve_settings *unused = gateway->next;
    gateway->next = settings;
    unlock_server(gateway);
    if (unused) {
        serve_settings_release(unused);
    }
    return BT_OK;
}

bool serve_reload_is_pending(struct serve_server *gateway)
{
    lock_server(gateway);
    const bool waits = gateway->next != NULL;
    unlock_server(gateway);
    return waits;
}

static void log_error(struct serve_server *gateway, const char *event, const struct bt_error *error)
{
    const struct serve_log_line line = {.level = LOG_ERROR, .event = event, .detail = error->text};
    log_put(&gateway->observers.log, bt_env_now(&gateway->env), &line);
}

void serve_reload_apply(struct serve_server *gateway)
{
    struct bt_error error;
    lock_server(gateway);
    struct serve_settings *settings = gateway->next;
    struct serve_settings *before = gateway->settings;
    if (settings) {
        gateway->settings = settings;
        gateway->next = NULL;
    }
    unlock_server(gateway);
    if (!settings) {
        return;
    }
    gateway->observers.log.style = log_style_of(settings->config);
    http_server_change(gateway->server, &settings->limits, settings->tls);
    if (!otlp_change(gateway->observers.otlp, settings->config, &error)) {
        log_error(gateway, "otlp-unchanged", &error);
    }
    if (!webhooks_change(gateway->observers.webhooks, settings->config, &error)) {
        log_error(gateway, "webhooks-unchanged", &error);
    }
    if (!heartbeat_change(gateway->observers.heartbeat, settings->config, &error)) {
        log_error(gateway, "heartbeat-unchanged", &error);
    }
    if (!peers_change(gateway->observers.peers, settings->config, &error)) {
        log_error(gateway, "peers-unchanged", &error);
    }
    serve_settings_release(before);
}

/* ---- The store ------------------------------------------------------------------------------- */

void serve_note_commit(struct serve_server *gateway, const char *reason)
{
    const bt_str labels[METRIC_LABELS_MAX] = {bt_str_of(reason), BT_STR_INIT(""), BT_STR_INIT("")};
    metrics_count(gateway->observers.metrics,
                  reason ? SERVE_METRIC_LEDGER_FAILURES : SERVE_METRIC_COMMITS, labels);
    lock_server(gateway);
    gateway->store.is_failing = reason != NULL;
    unlock_server(gateway);
}

bool serve_store_is_failing(struct serve_server *gateway)
{
    lock_server(gateway);
    const bool is_failing = gateway->store.is_failing;
    unlock_server(gateway);
    return is_failing;
}

bool serve_is_read_only(const struct serve_server *gateway)
{
    return gateway->flags->is_read_only || atomic_load(&gateway->store.is_contradicted);
}

bool serve_store_has_failed(struct serve_server *gateway)
{
    return gateway->store.has_failed && atomic_load(gateway->store.has_failed) &&
           bt_str_starts_with(bt_ledger_url(gateway->store.ledger), BT_STR("sqlite:"));
}

/* ---- Over HTTP ------------------------------------------------------------------------------- */

/*
 * The code of the first HARD finding; a reason that is not a finding, such as a key that needs a
 * restart, is a conflict.
 */
static bt_str code_of(const struct bt_findings *findings)
{
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        if (finding->severity == BT_SEVERITY_HARD) {
            return finding->rule->code;
        }
    }
    return bt_rule_of_code(BT_CODE_CONFIG_CONFLICT)->code;
}

/*
 * Respond with 409 and the findings about the file. They are finished by the code that read the
 * file, except when it could not be read.
 */
static enum bt_status respond_config_findings(struct serve_call *x, struct bt_findings *findings)
{
    struct serve_rest rest;
    if (bt_findings_count(findings) == 0) {
        findings = bt_findings_new(x->arena);
        BT_TRY(findings ? bt_findings_finish(findings, BT_STR("")) : BT_ENOMEM);
    }
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    rest.answer.kind = ANSWER_REFUSED;
    rest.answer.findings = findings;
    rest.answer.record = BT_STR("");
    rest.answer.status = BT_HTTP_CONFLICT;
    rest.answer.code = code_of(findings);
    return rest_end(&rest, BT_OK);
}

/* The event loop applies the new configuration; respond after that. */
enum bt_status rest_reload(struct serve_call *x)
{
    struct bt_findings *findings = bt_findings_new(x->arena);
    struct bt_error error;
    if (!findings) {
        return BT_ENOMEM;
    }
    if (x->call->pending_ms == 0 && serve_reload(x->gateway, findings, &error) != BT_OK) {
        return respond_config_findings(x, findings);
    }
    if (serve_reload_is_pending(x->gateway) && !x->call->server_is_stopping) {
        x->answer->retry_ms = POLL_INTERVAL_MS;
        return BT_OK;
    }
    return serve_call_respond_json(x, BT_HTTP_OK, BT_STR("{\"baton\":1,\"reloaded\":true}"));
}
