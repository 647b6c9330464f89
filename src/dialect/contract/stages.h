/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stages.h - the steps of a judgement, in the order in which bt_turn_judge() runs them.
 */
#ifndef BATON_SRC_DIALECT_CONTRACT_STAGES_H
#define BATON_SRC_DIALECT_CONTRACT_STAGES_H

#include "dialect/contract/turn.h"

typedef enum bt_status bt_turn_fn(struct bt_turn *turn);

bt_turn_fn bt_turn_read;
bt_turn_fn bt_turn_status;
bt_turn_fn bt_turn_evidence;
bt_turn_fn bt_turn_consolidation;
bt_turn_fn bt_turn_members;
bt_turn_fn bt_turn_approval;
bt_turn_fn bt_turn_verification;
bt_turn_fn bt_turn_loop;
bt_turn_fn bt_turn_advisory;
bt_turn_fn bt_turn_updates;

#endif
