/* SPDX-License-Identifier: Apache-2.0 */
/* syntax.h - which syntax rule a body violates, in the contract's terms, and how to fix it. */
#ifndef BATON_SRC_DIALECT_CONTRACT_SYNTAX_H
#define BATON_SRC_DIALECT_CONTRACT_SYNTAX_H

#include "dialect/contract/contract_check.h"

enum bt_contract_syntax_rule {
    BT_CONTRACT_SYNTAX_OTHER = 0,
    BT_CONTRACT_SYNTAX_YAML,
    BT_CONTRACT_SYNTAX_COMMENT,
    BT_CONTRACT_SYNTAX_TRAILING_COMMA,
    BT_CONTRACT_SYNTAX_UNQUOTED_KEY,
    BT_CONTRACT_SYNTAX_SINGLE_QUOTES,
    BT_CONTRACT_SYNTAX_NAN,
    BT_CONTRACT_SYNTAX_CONTROL_CHARACTER,
    BT_CONTRACT_SYNTAX_TRUNCATED,
    BT_CONTRACT_SYNTAX_TRAILING_BYTES,
    BT_CONTRACT_SYNTAX__MAX,
};

/* The word of params.rule, and what the rule asks for. */
bt_str bt_contract_syntax_rule_name(enum bt_contract_syntax_rule rule);
bt_str bt_contract_syntax_hint(enum bt_contract_syntax_rule rule);

/* What is wrong with a body that a strict reader could read up to `offset`. *out_fixable: it is a
 * comment or comma that can be taken out. */
enum bt_contract_syntax_rule bt_contract_check_syntax(bt_str body, size_t offset,
                                                      bool *out_fixable);

/* Note the removal of every comment and trailing comma up to the first other mistake. */
BT_MUST_USE enum bt_status bt_contract_fix_syntax(struct bt_contract_check *turn);

#endif
