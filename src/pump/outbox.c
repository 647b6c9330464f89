/* SPDX-License-Identifier: Apache-2.0 */
/* outbox.c - undelivered messages of one client, read from the store. */
#include "pump/outbox.h"

#include <assert.h>

#include "ledger/ledger_internal.h"
#include "pump/message_rows.h"
#include "store/rows.h"

enum { AT_ONCE_MAX = 64 };

struct pump_outbox_scan {
    uint64_t after;
    struct bt_pump_outgoing items[AT_ONCE_MAX];
    size_t count;
    size_t most;
    enum bt_status status;
};

static bool collect_delivery(void *context, const struct bt_store_cell *cells)
{
    struct pump_outbox_scan *gathering = context;
    struct bt_pump_outgoing item = {.number = (uint64_t)cells[2].number};
    gathering->status = bt_str_to_u64(cells[1].text, &item.id);
    if (gathering->status == BT_OK && item.id > gathering->after) {
        gathering->items[gathering->count++] = item;
    }
    return gathering->status == BT_OK && gathering->count < gathering->most;
}

static enum bt_status hand_over(struct bt_pump *pump, bt_str client,
                                const struct bt_pump_outgoing *item, struct bt_buf *message)
{
    const struct bt_store_cell *cells = NULL;
    BT_TRY(bt_pump_store_find_message(&pump->storage.rows, item->number, &pump->core.work, &cells));
    const struct bt_pump_envelope envelope = {.from = cells[BT_PUMP_MESSAGE_SENDER].text,
                                              .to = client,
                                              .thread = cells[BT_PUMP_MESSAGE_THREAD].text,
                                              .payload = cells[BT_PUMP_MESSAGE_PAYLOAD].text};
    bt_buf_clear(message);
    bt_pump_put_message(message, &envelope);
    BT_TRY(message->status);
    const struct bt_pump_step step = {.kind = BT_PUMP_STEP_DELIVERY,
                                      .listener = envelope.from,
                                      .thread = envelope.thread,
                                      .root = cells[BT_PUMP_MESSAGE_TAG].text};
    bt_pump_notify_step(pump, &step);
    return BT_OK;
}

enum bt_status bt_pump_outbox(struct bt_pump *pump, uint32_t client, uint64_t after, size_t most,
                              bt_outbox_fn *each, void *context)
{
    const bt_str name = pump->core.clients[client].name;
    const struct bt_store_cell key = bt_store_cell_text(name);
    const struct bt_store_row_range scan = {BT_TABLE_PUMP_DELIVERY, &key, 1};
    struct pump_outbox_scan gathering = {
        .after = after, .most = most < AT_ONCE_MAX ? most : AT_ONCE_MAX, .status = BT_OK};
    struct bt_buf message;
    bool more = true;
    BT_TRY(
        bt_store_row_scan(pump->storage.ledger->store, &scan, collect_delivery, &gathering, NULL));
    BT_TRY(gathering.status);
    enum bt_status status = BT_OK;
    bt_buf_init(&message, SIZE_MAX);
    for (size_t i = 0; status == BT_OK && more && i < gathering.count; i++) {
        const struct bt_arena_mark mark = bt_arena_mark(&pump->core.work);
        status = hand_over(pump, name, &gathering.items[i], &message);
        bt_arena_rewind(&pump->core.work, mark);
        more = status == BT_OK && each(context, &gathering.items[i], bt_buf_str(&message));
    }
    bt_buf_free(&message);
    return status;
}

enum bt_status bt_pump_mark_delivered(struct bt_pump *pump, uint32_t client,
                                      const struct bt_pump_outgoing *outgoing)
{
    const struct bt_pump_pending_delivery delivery = {
        .id = outgoing->id, .number = outgoing->number, .client = client};
    return bt_pump_store_mark_delivered(&pump->storage.rows, &delivery);
}
