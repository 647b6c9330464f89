/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status.h - the words of the status column.
 */
#ifndef BATON_SRC_DIALECT_PLAN_STATUS_H
#define BATON_SRC_DIALECT_PLAN_STATUS_H

#include "dialect/plan/plan_check.h"

enum bt_plan_step_status {
    BT_PLAN_STEP_OTHER = 0, /* none of the words */
    BT_PLAN_STEP_PENDING,   /* also a blank cell */
    BT_PLAN_STEP_IN_PROGRESS,
    BT_PLAN_STEP_COMPLETED, /* also `done` */
    BT_PLAN_STEP_BLOCKED,
    BT_PLAN_STEP_STATUS__MAX,
};

/* What the status cell of a step says. */
enum bt_plan_step_status bt_plan_step_status(const struct bt_plan_check *plan, size_t step);

#endif
