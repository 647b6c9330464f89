/* SPDX-License-Identifier: Apache-2.0 */
/* syntax.h - which syntax rule a body violates, in the contract's terms, and how to fix it. */
#ifndef BATON_SRC_DIALECT_CONTRACT_SYNTAX_H
#define BATON_SRC_DIALECT_CONTRACT_SYNTAX_H

#include "dialect/contract/contract_check.h"

/* What is wrong with a body that a strict reader could read up to `offset`. *out_fixable: it is a
 * comment or comma that can be taken out. */
enum bt_contract_json_syntax_rule bt_contract_check_syntax(bt_str body, size_t offset,
                                                           bool *out_fixable);

/* Note the removal of every comment and trailing comma up to the first other mistake. */
BT_MUST_USE enum bt_status bt_contract_fix_syntax(struct bt_contract_check *check);

#endif
