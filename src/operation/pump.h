/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pump.h - asking the pump of XML messages, which runs in a process of its own.
 */
#ifndef BATON_SRC_OPERATION_PUMP_H
#define BATON_SRC_OPERATION_PUMP_H

#include <baton/pump.h>

#include "operation/operation.h"

/* Connect to the pump. NULL after an answer. */
struct bt_control_client *bt_op_pump_connect(struct bt_call *work);
/* Ask one thing. False after an answer: the pump could not be asked. */
BT_MUST_USE bool bt_op_pump_query(struct bt_call *work, const char *method, bt_str params,
                                  struct bt_control_result *out);
/* Say what the pump said no to. Returns BT_OK. */
enum bt_status bt_op_pump_reject(struct bt_call *work, const struct bt_control_result *answer);
/* Ask, and answer as `baton pump ctl` does. */
BT_MUST_USE enum bt_status bt_op_pump(struct bt_call *work, const char *method, bt_str params);
/* Hand a message over, as the client of the pump that the caller is. */
BT_MUST_USE enum bt_status bt_op_pump_send(struct bt_call *work,
                                           const struct bt_judgement *message);

#endif
