/* SPDX-License-Identifier: Apache-2.0 */
/* heartbeat.c - entries that say when a pump started, ran and stopped, on a log of version 2. */
#include <stdio.h>

#include "base/clock.h"
#include "ledger/admin.h"
#include "pump/pump_internal.h"

enum { BEAT_BYTES_MAX = 1 << 20, NAME_BYTES = 4, SECOND_MS = 1000 };

static enum bt_status record_event(struct bt_pump *pump, struct bt_ledger_beat_options *beat,
                                   struct bt_error *error)
{
    struct bt_arena arena;
    beat->actor = BT_STR("pump");
    beat->run = bt_str_of(pump->run.heartbeat.name);
    beat->is_lenient = true;
    bt_arena_init(&arena, BEAT_BYTES_MAX);
    struct bt_findings *alarms = bt_findings_new(&arena);
    enum bt_status status =
        alarms ? bt_ledger_beat(pump->storage.ledger, pump->env, &arena, beat, alarms, error)
               : bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    if (status == BT_OK && bt_findings_count(alarms) > 0) {
        const struct bt_finding *alarm = bt_findings_at(alarms, 0);
        status = bt_error_set(error, BT_EIO, "%.*s: %.*s", BT_STR_ARG(alarm->rule->code),
                              BT_STR_ARG(alarm->message));
    }
    bt_arena_free(&arena);
    return status;
}

enum bt_status bt_pump_start_heartbeat(struct bt_pump *pump, uint64_t interval_s,
                                       struct bt_error *error)
{
    struct bt_pump_heartbeat *heartbeat = &pump->run.heartbeat;
    struct bt_ledger_beat_options beat = {.event = BT_STR("start")};
    uint8_t name[NAME_BYTES];
    if (bt_ledger_entries(pump->storage.ledger) < 2) {
        return BT_OK; /* they have no heartbeats */
    }
    if (!pump->env->random(pump->env->context, name, sizeof(name))) {
        return bt_error_set(error, BT_EIO, "the system gave no randomness");
    }
    (void)snprintf(heartbeat->name, sizeof(heartbeat->name), "run-%02x%02x%02x%02x", name[0],
                   name[1], name[2], name[3]);
    heartbeat->interval_s = interval_s;
    heartbeat->due_ms = bt_clock_monotonic_ms() + interval_s * SECOND_MS;
    return record_event(pump, &beat, error);
}

enum bt_status bt_pump_beat_when_due(struct bt_pump *pump, struct bt_error *error)
{
    struct bt_pump_heartbeat *heartbeat = &pump->run.heartbeat;
    struct bt_ledger_beat_options beat = {.event = BT_STR("beat"), .age_s = heartbeat->interval_s};
    if (heartbeat->interval_s == 0 || bt_clock_monotonic_ms() < heartbeat->due_ms) {
        return BT_OK;
    }
    BT_TRY(record_event(pump, &beat, error));
    heartbeat->due_ms = bt_clock_monotonic_ms() + (beat.wait_s > 0 ? beat.wait_s : 1) * SECOND_MS;
    return BT_OK;
}

void bt_pump_stop_heartbeat(struct bt_pump *pump)
{
    struct bt_ledger_beat_options beat = {.event = BT_STR("stop")};
    struct bt_error error;
    if (pump->run.heartbeat.name[0] != '\0') {
        (void)record_event(pump, &beat, &error); /* a missing one is a silence */
    }
}
