/* SPDX-License-Identifier: Apache-2.0 */
/* heartbeat.c - entries that say when a pump started, ran and stopped, on a log of version 2. */
#include "base/clock.h"
#include "pump/pump_internal.h"

enum { SECOND_MS = 1000 };

static enum bt_status record_event(struct bt_pump *pump, struct bt_ledger_beat_options *beat,
                                   struct bt_error *error)
{
    beat->actor = BT_STR("pump");
    beat->run = bt_str_of(pump->run.heartbeat.name);
    return bt_ledger_beat_alone(pump->storage.ledger, pump->env, beat, error);
}

enum bt_status bt_pump_start_heartbeat(struct bt_pump *pump, uint64_t interval_s,
                                       struct bt_error *error)
{
    struct bt_pump_heartbeat *heartbeat = &pump->run.heartbeat;
    struct bt_ledger_beat_options beat = {.event = BT_STR("start")};
    if (bt_ledger_entries(pump->storage.ledger) < 2) {
        return BT_OK; /* they have no heartbeats */
    }
    BT_TRY(bt_ledger_beat_name(pump->env, heartbeat->name, error));
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
