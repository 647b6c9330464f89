/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_ring.c - the newest events of a pump. The oldest makes room.
 */
#include "pump_net/event_ring.h"
#include "json/emit.h"

#include <baton/json.h>

enum { LINE_BYTES_MAX = 1 << 17 };

void bt_pump_event_ring_add(struct bt_pump_event_ring *ring, bt_instant at, uint64_t number,
                            const struct bt_pump_event *event)
{
    struct bt_pump_event_line *line = &ring->lines[ring->count++ % BT_EVENTS_KEPT];
    char time[BT_INSTANT_TEXT_BYTES];
    const size_t size = bt_instant_format(at, time);
    struct bt_emit emit;
    bt_buf_free(&line->line);
    bt_buf_init(&line->line, LINE_BYTES_MAX);
    bt_emit_init(&emit, &line->line, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "jsonrpc", BT_STR("2.0"));
    bt_emit_member_string(&emit, "method", BT_STR("event"));
    bt_emit_member_object(&emit, "params");
    bt_emit_member_u64(&emit, "n", number);
    bt_emit_member_string(&emit, "at", (bt_str){time, size});
    bt_pump_event_emit(&emit, event);
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    bt_buf_put_char(&line->line, '\n');
    line->number = number;
}

void bt_pump_event_ring_free(struct bt_pump_event_ring *ring)
{
    for (size_t i = 0; i < BT_EVENTS_KEPT; i++) {
        bt_buf_free(&ring->lines[i].line);
    }
}

/* The index of the first event after `after`; numbers only grow. */
static uint64_t first_after(const struct bt_pump_event_ring *ring, uint64_t after)
{
    uint64_t low = ring->count > BT_EVENTS_KEPT ? ring->count - BT_EVENTS_KEPT : 0;
    uint64_t high = ring->count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (ring->lines[middle % BT_EVENTS_KEPT].number > after) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

void bt_pump_event_ring_put(const struct bt_pump_event_ring *ring, uint64_t *after, size_t most,
                            struct bt_buf *out)
{
    for (uint64_t i = first_after(ring, *after); i < ring->count && out->len < most; i++) {
        const struct bt_pump_event_line *line = &ring->lines[i % BT_EVENTS_KEPT];
        *after = line->number;
        if (line->line.status == BT_OK) {
            bt_buf_put(out, bt_buf_str(&line->line));
        }
    }
}
