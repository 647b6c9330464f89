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

/* Set the due time of a host; BT_NEVER removes it. */
void bt_host_timer_set(struct bt_host_timers *timers, struct bt_host *host, uint64_t due_ms);

#endif
