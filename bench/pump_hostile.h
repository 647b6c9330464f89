/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pump_hostile.h - messages that were made to hurt, and what refusing them costs.
 */
#ifndef BATON_BENCH_PUMP_HOSTILE_H
#define BATON_BENCH_PUMP_HOSTILE_H

#include "pump/pump.h"

/* Submit each to the pump, and print what it was refused for and the processor time of that. */
void bench_hostile_messages(struct bt_pump *pump);

#endif
