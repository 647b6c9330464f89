/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect.h - is this text a plan?
 */
#ifndef BATON_SRC_DIALECT_PLAN_DETECT_H
#define BATON_SRC_DIALECT_PLAN_DETECT_H

#include <baton/base.h>

/* Whether the first record has a cell that is exactly `step` or `step_id`, and the text does not
 * begin like JSON or XML. Takes no memory. */
bool bt_plan_recognise(bt_str content);

#endif
