/* SPDX-License-Identifier: Apache-2.0 */
/*
 * payload.h - the payload of an update: live state, references, credentials.
 */
#ifndef BATON_SRC_DIALECT_CONTRACT_PAYLOAD_H
#define BATON_SRC_DIALECT_CONTRACT_PAYLOAD_H

#include "dialect/contract/contract_check.h"

/* Judge everything in `payload`, an object of check->document. */
BT_MUST_USE enum bt_status bt_contract_check_payload(struct bt_contract_check *check,
                                                     const bt_json_value *payload);

/* Whether a value is what only a running system can say. `name` is "" for the items of a list. */
bool bt_contract_is_live_state(bt_str name, const bt_json_value *value);

#endif
