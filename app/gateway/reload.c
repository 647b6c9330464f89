/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reload.c - configuration, tokens and certificates read again while requests go on.
 *
 * What is read is complete or refused. The loop puts it in force between two turns, so no request
 * ever sees half of each.
 */
#include <assert.h>

#include "gateway/gateway.h"
#include "gateway/otlp.h"
#include "gateway/webhooks.h"

static void lock(struct gateway *gateway)
{
    (void)pthread_mutex_lock(&gateway->lock);
}

static void unlock(struct gateway *gateway)
{
    (void)pthread_mutex_unlock(&gateway->lock);
}

static enum bt_status read_again(struct gateway *gateway, struct bt_findings *findings,
                                 struct settings **out, struct bt_error *error)
{
    const char *key = NULL;
    struct settings *settings = NULL;
    BT_TRY(settings_load(&gateway->env, gateway->flags, findings, &settings, error));
    lock(gateway);
    const bool needs_restart = settings_differ(gateway->settings, settings, &key);
    unlock(gateway);
    if (needs_restart) {
        settings_drop(settings);
        return bt_fail(error, BT_EINVAL, "%s changed, which needs a restart", key);
    }
    *out = settings;
    return BT_OK;
}

enum bt_status gateway_reload(struct gateway *gateway, struct bt_findings *findings,
                              struct bt_error *error)
{
    struct settings *settings = NULL;
    const enum bt_status status = read_again(gateway, findings, &settings, error);
    const bt_str labels[METRIC_LABELS_MAX] = {status == BT_OK ? BT_STR("done") : BT_STR("refused"),
                                              BT_STR_INIT(""), BT_STR_INIT("")};
    metrics_count(gateway->metrics, METRIC_RELOADS, labels);
    if (status != BT_OK) {
        return status;
    }
    lock(gateway);
    struct settings *unused = gateway->next;
    gateway->next = settings;
    unlock(gateway);
    if (unused) {
        settings_drop(unused);
    }
    return BT_OK;
}

bool gateway_reload_waits(struct gateway *gateway)
{
    lock(gateway);
    const bool waits = gateway->next != NULL;
    unlock(gateway);
    return waits;
}

static void complain(struct gateway *gateway, const char *event, const struct bt_error *error)
{
    const struct log_line line = {.level = LOG_ERROR, .event = event, .detail = error->text};
    log_put(&gateway->log, bt_env_now(&gateway->env), &line);
}

void gateway_reload_apply(struct gateway *gateway)
{
    struct bt_error error;
    lock(gateway);
    struct settings *settings = gateway->next;
    struct settings *before = gateway->settings;
    if (settings) {
        gateway->settings = settings;
        gateway->next = NULL;
    }
    unlock(gateway);
    if (!settings) {
        return;
    }
    gateway->log.style = log_style_of(settings->config);
    http_server_change(gateway->server, &settings->limits, settings->tls);
    if (!otlp_change(gateway->otlp, settings->config, &error)) {
        complain(gateway, "otlp-unchanged", &error);
    }
    if (!webhooks_change(gateway->webhooks, settings->config, &error)) {
        complain(gateway, "webhooks-unchanged", &error);
    }
    settings_drop(before);
}

/* ---- The store ------------------------------------------------------------------------------- */

void gateway_committed(struct gateway *gateway, const char *reason)
{
    const bt_str labels[METRIC_LABELS_MAX] = {bt_str_of(reason), BT_STR_INIT(""), BT_STR_INIT("")};
    metrics_count(gateway->metrics, reason ? METRIC_LEDGER_FAILURES : METRIC_COMMITS, labels);
    lock(gateway);
    gateway->is_failing = reason != NULL;
    unlock(gateway);
}

bool gateway_is_failing(struct gateway *gateway)
{
    lock(gateway);
    const bool is_failing = gateway->is_failing;
    unlock(gateway);
    return is_failing;
}

bool gateway_is_lost(struct gateway *gateway)
{
    return gateway->writer && bt_ledger_writer_is_lost(gateway->writer) &&
           bt_str_starts(bt_ledger_url(gateway->ledger), BT_STR("sqlite:"));
}
