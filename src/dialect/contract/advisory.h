/* SPDX-License-Identifier: Apache-2.0 */
/* advisory.h - the usable values of members that never reject a block. */
#ifndef BATON_SRC_DIALECT_CONTRACT_ADVISORY_H
#define BATON_SRC_DIALECT_CONTRACT_ADVISORY_H

#include "dialect/contract/contract_check.h"

/* Put the member `advisory` of the facts. A block that was not read has none of them. */
BT_MUST_USE enum bt_status bt_contract_put_advisory(const struct bt_contract_check *check,
                                                    struct bt_emit *emit);

#endif
