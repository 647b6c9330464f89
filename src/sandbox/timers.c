/* SPDX-License-Identifier: Apache-2.0 */
/* timers.c - a binary heap. A host's position counts from 1; 0 means that it is not in the heap. */
#include "sandbox/timers.h"

#include <assert.h>

#include "sandbox/host.h"

static void store_timer(struct bt_host_timers *alarms, size_t place, struct bt_host_timer alarm)
{
    alarms->items[place - 1] = alarm;
    alarm.host->links.timer_index = place;
}

static uint64_t due_at(const struct bt_host_timers *alarms, size_t place)
{
    return place <= alarms->count ? alarms->items[place - 1].due_ms : BT_NEVER;
}

/* Move the item at `place` up or down to its position. */
static void sift_timer(struct bt_host_timers *alarms, size_t place, struct bt_host_timer alarm)
{
    while (place > 1 && alarm.due_ms < due_at(alarms, place / 2)) {
        store_timer(alarms, place, alarms->items[place / 2 - 1]);
        place /= 2;
    }
    for (;;) { /* one level down in each round */
        const size_t child =
            2 * place + (due_at(alarms, 2 * place + 1) < due_at(alarms, 2 * place));
        if (due_at(alarms, child) >= alarm.due_ms) {
            break;
        }
        store_timer(alarms, place, alarms->items[child - 1]);
        place = child;
    }
    store_timer(alarms, place, alarm);
}

static void take_out(struct bt_host_timers *alarms, struct bt_host *host)
{
    const size_t place = host->links.timer_index;
    const struct bt_host_timer last = alarms->items[--alarms->count];
    host->links.timer_index = 0;
    if (last.host != host) {
        sift_timer(alarms, place, last);
    }
}

void bt_host_timer_set(struct bt_host_timers *alarms, struct bt_host *host, uint64_t due_ms)
{
    assert(host->links.timer_index <= alarms->count);
    if (due_ms == BT_NEVER) {
        if (host->links.timer_index > 0) {
            take_out(alarms, host);
        }
        return;
    }
    const size_t place = host->links.timer_index > 0 ? host->links.timer_index : ++alarms->count;
    sift_timer(alarms, place, (struct bt_host_timer){due_ms, host});
}
