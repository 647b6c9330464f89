/* SPDX-License-Identifier: Apache-2.0 */
/*
 * envelope.h - INPUT envelopes: judged by themselves, and read as configuration.
 */
#ifndef BATON_SRC_DIALECT_CONTRACT_ENVELOPE_H
#define BATON_SRC_DIALECT_CONTRACT_ENVELOPE_H

#include "dialect/contract/contract_check.h"

/* What an INPUT that fits its schema says; *out lives in the arena. */
BT_MUST_USE enum bt_status bt_contract_read_input(struct bt_arena *arena,
                                                  const struct bt_json_doc *document,
                                                  struct bt_contract_input *out);

/* Judge check->text as an INPUT envelope and write its facts. */
BT_MUST_USE enum bt_status bt_contract_judge_input(struct bt_contract_check *check,
                                                   bt_str *out_facts);

#endif
