/* SPDX-License-Identifier: Apache-2.0 */
/* heartbeat.c - one thread that asks the writers for a heartbeat whenever a log is quiet. */
#include "serve/heartbeat.h"

#include <stdlib.h>

#include "base/clock.h"
#include "ledger/admin.h"
#include "serve/background_threads.h"
#include "serve/logs.h"

enum { BEAT_BYTES_MAX = 1 << 20, RETRY_S = 5, RECORD_MS = 2000, SECOND_MS = 1000 };

struct serve_heartbeat {
    struct serve_server *gateway;
    struct serve_threads threads; /* its lock guards interval_s */
    uint64_t interval_s;          /* 0: off */
    char run[BT_LEDGER_RUN_BYTES];
};

struct serve_heartbeat *heartbeat_create(struct serve_server *gateway)
{
    struct serve_heartbeat *heartbeat = calloc(1, sizeof(*heartbeat));
    if (!heartbeat || !serve_threads_init(&heartbeat->threads)) {
        free(heartbeat);
        return NULL;
    }
    heartbeat->gateway = gateway;
    return heartbeat;
}

void heartbeat_end(struct serve_heartbeat *heartbeat, uint64_t until_ms)
{
    if (heartbeat) {
        serve_threads_stop(&heartbeat->threads, until_ms);
    }
}

void heartbeat_destroy(struct serve_heartbeat *heartbeat)
{
    free(heartbeat);
}

/* Record an event directly. */
static enum bt_status record_event(struct serve_heartbeat *heartbeat, struct bt_ledger *ledger,
                                   const char *event, struct bt_error *error)
{
    struct bt_ledger_beat_options beat = {
        .actor = BT_STR("serve"), .event = bt_str_of(event), .run = bt_str_of(heartbeat->run)};
    struct bt_env env = heartbeat->gateway->env; /* of this thread */
    return bt_ledger_beat_alone(ledger, &env, &beat, error);
}

enum bt_status heartbeat_start(struct serve_heartbeat *heartbeat, struct bt_ledger *ledger,
                               struct bt_error *error)
{
    BT_TRY(bt_ledger_beat_name(&heartbeat->gateway->env, heartbeat->run, error));
    return record_event(heartbeat, ledger, "start", error);
}

void heartbeat_stop(struct serve_heartbeat *heartbeat, struct bt_ledger *ledger)
{
    struct bt_error error;
    if (heartbeat->run[0] != '\0') {
        (void)record_event(heartbeat, ledger, "stop", &error); /* a missing one is a silence */
    }
}

bool heartbeat_append(struct serve_heartbeat *heartbeat, struct bt_ledger_writer *writer,
                      const char *event, uint64_t age_s, uint64_t *out_wait_s)
{
    struct bt_arena arena;
    struct bt_error error;
    struct bt_judgement judged = {
        .path = BT_STR(""), .dialect = BT_DIALECT_RAW, .source = BT_STR("")};
    struct bt_ledger_beat_options beat = {.actor = BT_STR("serve"),
                                          .event = bt_str_of(event),
                                          .run = bt_str_of(heartbeat->run),
                                          .age_s = age_s,
                                          .is_lenient = true};
    bt_arena_init(&arena, BEAT_BYTES_MAX);
    judged.findings = bt_findings_new(&arena);
    struct bt_submission item = {.arena = &arena, .judged = &judged};
    bt_ledger_beat_submission(&item, &beat);
    const struct timespec until = bt_clock_deadline(bt_clock_monotonic_ms() + RECORD_MS);
    const bool is_done =
        judged.findings && bt_ledger_writer_append(writer, &item, &until, &error) == BT_OK;
    bt_arena_free(&arena);
    *out_wait_s = !is_done ? RETRY_S : beat.wait_s > 0 ? beat.wait_s : 1;
    return is_done;
}

/* Ask for a heartbeat of the default log, unless something younger is in it. Returns when to ask
 * again. */
static uint64_t beat_default(struct serve_heartbeat *heartbeat, uint64_t interval_s)
{
    struct serve_server *gateway = heartbeat->gateway;
    uint64_t wait_s = RETRY_S;
    if (!serve_is_read_only(gateway)) {
        (void)heartbeat_append(heartbeat, gateway->store.writer, "beat", interval_s, &wait_s);
    }
    return bt_clock_monotonic_ms() + wait_s * SECOND_MS;
}

static void *beat_while_quiet(void *context)
{
    struct serve_heartbeat *heartbeat = context;
    struct serve_monitor *monitor = &heartbeat->threads.monitor;
    uint64_t due_ms = UINT64_MAX;      /* of the default log */
    uint64_t logs_due_ms = UINT64_MAX; /* of the others */
    uint64_t known_s = 0;
    serve_monitor_lock(monitor);
    while (!serve_threads_are_stopping(&heartbeat->threads)) {
        const uint64_t interval_s = heartbeat->interval_s;
        const uint64_t now_ms = bt_clock_monotonic_ms();
        if (interval_s != known_s) {
            known_s = interval_s;
            due_ms = interval_s == 0 ? UINT64_MAX : now_ms + interval_s * SECOND_MS;
            logs_due_ms = due_ms;
        }
        if (due_ms > now_ms && logs_due_ms > now_ms) {
            serve_monitor_wait(monitor, due_ms < logs_due_ms ? due_ms : logs_due_ms);
            continue;
        }
        serve_monitor_unlock(monitor);
        if (due_ms <= now_ms) {
            due_ms = beat_default(heartbeat, interval_s);
        }
        logs_due_ms = serve_logs_beat(heartbeat->gateway->store.logs, interval_s);
        serve_monitor_lock(monitor);
    }
    serve_monitor_unlock(monitor);
    return NULL;
}

bool heartbeat_change(struct serve_heartbeat *heartbeat, const struct bt_config *config,
                      struct bt_error *error)
{
    const uint64_t interval_s = bt_config_heartbeat_seconds(config);
    const bool is_wanted = interval_s > 0 && heartbeat->gateway->store.writer;
    serve_monitor_lock(&heartbeat->threads.monitor);
    heartbeat->interval_s = interval_s;
    const bool is_running =
        serve_threads_start(&heartbeat->threads, is_wanted, beat_while_quiet, heartbeat);
    serve_monitor_notify_all(&heartbeat->threads.monitor);
    serve_monitor_unlock(&heartbeat->threads.monitor);
    if (is_wanted && !is_running) {
        (void)bt_error_set(error, BT_EIO, "cannot start a thread for ledger.heartbeat");
    }
    return is_running || !is_wanted;
}
