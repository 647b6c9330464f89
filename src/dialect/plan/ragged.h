/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ragged.h - how a row with more or fewer cells than the header can be repaired.
 *
 * No repair moves a cell into another column. A reading of a row that is too long joins
 * neighbouring cells, with their commas, until there are as many cells as columns; a row is joined
 * only when exactly one reading puts every value where it is allowed to be.
 */
#ifndef BATON_SRC_DIALECT_PLAN_RAGGED_H
#define BATON_SRC_DIALECT_PLAN_RAGGED_H

#include "dialect/plan/plan_check.h"

enum {
    BT_READINGS_COUNTED = 100,  /* more possible readings than this are not counted */
    BT_READINGS_TRIED = 100000, /* a row that can be joined in more ways is not tried */
    BT_READINGS_TOO_MANY = -1,  /* `readings` of such a row */
};

struct bt_plan_ragged {
    enum bt_fix fix;
    bool has_readings; /* the row is too long and its surplus cells are not dropped */
    int readings;      /* how many are possible, at most BT_READINGS_COUNTED, or TOO_MANY */
    /* When there is exactly one: by column, the index of its first cell; ends with the number of
     * cells of the row. Otherwise NULL. */
    const size_t *starts;
};

/* Find the repair of a row whose number of cells is not that of the header. */
BT_MUST_USE enum bt_status bt_plan_check_ragged(struct bt_plan_check *plan, size_t row,
                                                struct bt_plan_ragged *out);

#endif
