/* SPDX-License-Identifier: Apache-2.0 */
/* pump.h - requests to the pump of XML messages, which runs in another process. */
#ifndef BATON_SRC_OPERATION_PUMP_H
#define BATON_SRC_OPERATION_PUMP_H

#include "operation/operation.h"
#include "pump/pump.h"

/* The organism of the pump, as its file declares it; NULL: there is none, or it cannot be read. */
const struct bt_organism *bt_op_pump_organism(struct bt_call *work);
/* Connect to the pump. NULL: the result is set. */
struct bt_control_client *bt_op_pump_connect(struct bt_call *work);
/* Send one request. False: the pump could not be reached, and the result is set. */
BT_MUST_USE bool bt_op_pump_query(struct bt_call *work, const char *method, bt_str params,
                                  struct bt_control_result *out);
/* Send a message, as the pump client of the caller. */
BT_MUST_USE enum bt_status bt_op_pump_send(struct bt_call *work,
                                           const struct bt_judgement *message);

#endif
