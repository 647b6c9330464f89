/* SPDX-License-Identifier: Apache-2.0 */
/* change.h - one definition in two versions: members, words, schemas and annotations. */
#ifndef BATON_SRC_WRAP_CHANGE_H
#define BATON_SRC_WRAP_CHANGE_H

#include "report/add.h"
#include "wrap/compare.h"

/* Add WRAP_PIN_CHANGED about an item whose two versions differ. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_add_change(const struct bt_wrap_compare *compare,
                                              struct bt_location at,
                                              const struct bt_wrap_item *locked,
                                              const struct bt_wrap_item *shown);
/* Add WRAP_PIN_CHANGED about instructions; an absent text has a NULL pointer. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_add_instructions_change(const struct bt_wrap_compare *compare,
                                                           bt_str locked, bt_str shown);

#endif
