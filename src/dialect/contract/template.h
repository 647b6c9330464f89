/* SPDX-License-Identifier: Apache-2.0 */
/* template.h - templates of the parts of an envelope. */
#ifndef BATON_SRC_DIALECT_CONTRACT_TEMPLATE_H
#define BATON_SRC_DIALECT_CONTRACT_TEMPLATE_H

#include "dialect/contract/contract_check.h"

/* Put what the block of a judged turn lacks, blank and at its place: only the members that are
 * missing, a missing container whole; everything when there is no block. `id` is the known one, or
 * "". False, with nothing put, when nothing is missing. */
bool bt_contract_put_missing_template(struct bt_emit *emit, const struct bt_contract_check *check,
                                      bt_str id);

#endif
