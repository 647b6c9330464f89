/* SPDX-License-Identifier: Apache-2.0 */
/* event_ring.h - the newest events of a pump, as lines for subscribers. */
#ifndef BATON_SRC_PUMP_NET_EVENT_RING_H
#define BATON_SRC_PUMP_NET_EVENT_RING_H

#include "pump/pump.h"

enum { BT_EVENTS_KEPT = 4096 };

struct bt_pump_event_ring {
    struct bt_pump_event_line {
        uint64_t number;
        struct bt_buf line;
    } lines[BT_EVENTS_KEPT];
    uint64_t count; /* ever added */
};

/* Add an event. One that does not fit into memory is a gap in the numbers. */
void bt_pump_event_ring_add(struct bt_pump_event_ring *ring, bt_instant at, uint64_t number,
                            const struct bt_pump_event *event);
void bt_pump_event_ring_free(struct bt_pump_event_ring *ring);

/* Put the lines of events after *after, which is advanced, until `out` holds `most` bytes. */
void bt_pump_event_ring_put(const struct bt_pump_event_ring *ring, uint64_t *after, size_t most,
                            struct bt_buf *out);

#endif
