/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chain_budget.h - /handoff/meta/baton_budget: what is left to spend for a chain of handoffs.
 *
 * It is handed on from hop to hop and only shrinks.
 */
#ifndef BATON_SRC_DIALECT_UNIVERSAL_CHAIN_BUDGET_H
#define BATON_SRC_DIALECT_UNIVERSAL_CHAIN_BUDGET_H

#include "dialect/universal/universal_check.h"

/* Part of stage budget: form, what is left, and the hop before. */
bt_stage_fn bt_universal_check_chain_budget;
/* Put facts.budget, which must be the last member of the facts. */
void bt_universal_put_chain_budget(const struct bt_universal_check *handoff, struct bt_emit *emit);
/* Put the value of the member. */
void bt_universal_budget_emit(const struct bt_universal_budget *budget, struct bt_emit *emit);

#endif
