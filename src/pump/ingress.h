/* SPDX-License-Identifier: Apache-2.0 */
/* ingress.h - shared by the files about messages of clients. */
#ifndef BATON_SRC_PUMP_INGRESS_H
#define BATON_SRC_PUMP_INGRESS_H

#include "dialect/xml/message_check.h"
#include "pump/pump_internal.h"

/* Put the answer to a request for introspection that was judged good; *out_tag names its root. */
BT_MUST_USE enum bt_status bt_pump_ingress_introspect(const struct bt_message_check *message,
                                                      struct bt_buf *buf, bt_str *out_tag);

#endif
