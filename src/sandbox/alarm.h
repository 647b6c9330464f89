/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alarm.h - who is due first: a heap of hosts by time, in which each host knows its place.
 */
#ifndef BATON_SRC_SANDBOX_ALARM_H
#define BATON_SRC_SANDBOX_ALARM_H

#include <stddef.h>
#include <stdint.h>

struct bt_host;

struct bt_alarm {
    uint64_t due_ms;
    struct bt_host *host;
};

struct bt_alarms {
    struct bt_alarm *items; /* the caller's, with room for every host */
    size_t count;
};

/* Let a host be due at this time, whatever was said before; BT_NEVER takes it out. */
void bt_alarm_set(struct bt_alarms *alarms, struct bt_host *host, uint64_t due_ms);

#endif
