/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pump.h - asking the pump of XML messages, which runs in a process of its own.
 */
#ifndef BATON_APP_SERVICE_PUMP_H
#define BATON_APP_SERVICE_PUMP_H

#include <baton/pump.h>

#include "service/service.h"

/* Connect to the pump. NULL after an answer. */
struct bt_control *pump_open(struct work *work);
/* Ask one thing. False after an answer: the pump could not be asked. */
BT_MUST_USE bool pump_ask(struct work *work, const char *method, bt_str params,
                          struct bt_pump_answer *out);
/* Say what the pump said no to. Returns BT_OK. */
enum bt_status pump_refuse(struct work *work, const struct bt_pump_answer *answer);
/* Ask, and answer as `baton pump ctl` does. */
BT_MUST_USE enum bt_status op_pump(struct work *work, const char *method, bt_str params);
/* Hand a message over, as the client of the pump that the caller is. */
BT_MUST_USE enum bt_status pump_send(struct work *work, const struct bt_judged *message);

#endif
