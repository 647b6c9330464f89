/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reload.c - load configuration, credentials and certificates again while requests are served.
 *
 * They are used completely or not at all. The event loop applies them between two iterations, so no
 * request sees a mixture.
 */
#include <assert.h>

#include "serve/otlp.h"
#include "serve/server.h"
#include "serve/webhooks.h"

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
    metrics_count(gateway->metrics, SERVE_METRIC_RELOADS, labels);
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
    log_put(&gateway->log, bt_env_now(&gateway->env), &line);
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
    gateway->log.style = log_style_of(settings->config);
    http_server_change(gateway->server, &settings->limits, settings->tls);
    if (!otlp_change(gateway->otlp, settings->config, &error)) {
        log_error(gateway, "otlp-unchanged", &error);
    }
    if (!webhooks_change(gateway->webhooks, settings->config, &error)) {
        log_error(gateway, "webhooks-unchanged", &error);
    }
    serve_settings_release(before);
}

/* ---- The store ------------------------------------------------------------------------------- */

void serve_note_commit(struct serve_server *gateway, const char *reason)
{
    const bt_str labels[METRIC_LABELS_MAX] = {bt_str_of(reason), BT_STR_INIT(""), BT_STR_INIT("")};
    metrics_count(gateway->metrics, reason ? SERVE_METRIC_LEDGER_FAILURES : SERVE_METRIC_COMMITS,
                  labels);
    lock_server(gateway);
    gateway->is_failing = reason != NULL;
    unlock_server(gateway);
}

bool serve_store_is_failing(struct serve_server *gateway)
{
    lock_server(gateway);
    const bool is_failing = gateway->is_failing;
    unlock_server(gateway);
    return is_failing;
}

bool serve_store_has_failed(struct serve_server *gateway)
{
    return gateway->writer && bt_ledger_writer_has_failed(gateway->writer) &&
           bt_str_starts_with(bt_ledger_url(gateway->ledger), BT_STR("sqlite:"));
}
