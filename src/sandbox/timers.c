/* SPDX-License-Identifier: Apache-2.0 */
/* timers.c - a binary heap. A host's position counts from 1; 0 means that it is not in the heap. */
#include "sandbox/timers.h"

#include <assert.h>

#include "sandbox/host.h"

static void store_timer(struct bt_host_timers *timers, size_t place, struct bt_host_timer timer)
{
    timers->items[place - 1] = timer;
    timer.host->links.timer_index = place;
}

static uint64_t due_at(const struct bt_host_timers *timers, size_t place)
{
    return place <= timers->count ? timers->items[place - 1].due_ms : BT_NEVER;
}

/* Move the item at `place` up or down to its position. */
static void sift_timer(struct bt_host_timers *timers, size_t place, struct bt_host_timer timer)
{
    while (place > 1 && timer.due_ms < due_at(timers, place / 2)) {
        store_timer(timers, place, timers->items[place / 2 - 1]);
        place /= 2;
    }
    for (;;) { /* one level down in each round */
        const size_t child =
            2 * place + (due_at(timers, 2 * place + 1) < due_at(timers, 2 * place));
        if (due_at(timers, child) >= timer.due_ms) {
            break;
        }
        store_timer(timers, place, timers->items[child - 1]);
        place = child;
    }
    store_timer(timers, place, timer);
}

static void take_out(struct bt_host_timers *timers, struct bt_host *host)
{
    const size_t place = host->links.timer_index;
    const struct bt_host_timer last = timers->items[--timers->count];
    host->links.timer_index = 0;
    if (last.host != host) {
        sift_timer(timers, place, last);
    }
}

void bt_host_timer_set(struct bt_host_timers *timers, struct bt_host *host, uint64_t due_ms)
{
    assert(host->links.timer_index <= timers->count);
    if (due_ms == BT_NEVER) {
        if (host->links.timer_index > 0) {
            take_out(timers, host);
        }
        return;
    }
    const size_t place = host->links.timer_index > 0 ? host->links.timer_index : ++timers->count;
    sift_timer(timers, place, (struct bt_host_timer){due_ms, host});
}
