/* SPDX-License-Identifier: Apache-2.0 */
/* timers.h - a heap of hosts by due time, in which each host knows its position. */
#ifndef BATON_SRC_SANDBOX_TIMERS_H
#define BATON_SRC_SANDBOX_TIMERS_H

#include <stddef.h>
#include <stdint.h>

struct bt_host;

struct bt_host_timer {
    uint64_t due_ms;
    struct bt_host *host;
};

struct bt_host_timers {
    struct bt_host_timer *items; /* the caller's, with room for every host */
    size_t count;
};

/* Let a host be due at this time, whatever was said before; BT_NEVER takes it out. */
void bt_host_timer_set(struct bt_host_timers *alarms, struct bt_host *host, uint64_t due_ms);

#endif
