/* SPDX-License-Identifier: Apache-2.0 */
/* output.h - output and failures of handlers, as lines for the operator. */
#ifndef BATON_SRC_PUMP_OUTPUT_H
#define BATON_SRC_PUMP_OUTPUT_H

#include "pump/pump_internal.h"

/* Take from `printed`, from *at on, to the end of a line; true: the line is complete. The caller
 * clears it then. */
bool bt_output_take_line(struct bt_pump_output_line *line, bt_str printed, size_t *at);
/* Take what a host printed; whole lines are told. */
void bt_output_take(struct bt_pump *pump, bt_host_id host, enum bt_host_stream stream,
                    bt_str printed);
/* The host ended: tell the lines that have no end. */
void bt_output_end(struct bt_pump *pump, bt_host_id host);

/* Write a FAIL to the operator's log, and put the params of its event. */
void bt_output_fail(struct bt_pump *pump, const struct bt_host_event *event, struct bt_buf *params);

/* Put the params of the event of a FAIL. */
void bt_output_put_fail(struct bt_buf *params, bt_str kind, bt_str detail);

/* How a host died: "signal 9", "exit 3". */
enum { BT_OUTPUT_DEATH_BYTES = 24 };
bt_str bt_output_death(const struct bt_host_process_end *end, char text[BT_OUTPUT_DEATH_BYTES]);

#endif
