/* SPDX-License-Identifier: Apache-2.0 */
/* outbox.h - undelivered messages of one client. */
#ifndef BATON_SRC_PUMP_OUTBOX_H
#define BATON_SRC_PUMP_OUTBOX_H

#include "pump/pump_internal.h"

/* A delivery on its way. */
struct bt_pump_outgoing {
    uint64_t id;     /* counted per client */
    uint64_t number; /* of the message */
};

/* Take one; false: no more now. `message` lives until it returns. */
typedef bool bt_outbox_fn(void *context, const struct bt_pump_outgoing *outgoing, bt_str message);

/* The deliveries of a client after `after`, in their order, at most `most` of them. */
BT_MUST_USE enum bt_status bt_pump_outbox(struct bt_pump *pump, uint32_t client, uint64_t after,
                                          size_t most, bt_outbox_fn *each, void *context);
/* The client has one of them: that is kept with the next commit. */
BT_MUST_USE enum bt_status bt_pump_mark_delivered(struct bt_pump *pump, uint32_t client,
                                                  const struct bt_pump_outgoing *outgoing);

#endif
