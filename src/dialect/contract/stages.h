/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stages.h - the steps of a judgement, in the order in which bt_contract_check_judge() runs them.
 */
#ifndef BATON_SRC_DIALECT_CONTRACT_STAGES_H
#define BATON_SRC_DIALECT_CONTRACT_STAGES_H

#include "dialect/contract/contract_check.h"

typedef enum bt_status bt_contract_check_fn(struct bt_contract_check *check);

bt_contract_check_fn bt_contract_check_read;
bt_contract_check_fn bt_contract_check_status;
bt_contract_check_fn bt_contract_check_evidence;
bt_contract_check_fn bt_contract_check_consolidation;
bt_contract_check_fn bt_contract_check_members;
bt_contract_check_fn bt_contract_check_approval;
bt_contract_check_fn bt_contract_check_verification;
bt_contract_check_fn bt_contract_check_loop;
bt_contract_check_fn bt_contract_check_advisory;
bt_contract_check_fn bt_contract_check_updates;

#endif
