/* SPDX-License-Identifier: Apache-2.0 */
/* contract_json.h - the stored contract state as JSON. No object ends in a line feed. */
#ifndef BATON_SRC_OPERATION_CONTRACT_JSON_H
#define BATON_SRC_OPERATION_CONTRACT_JSON_H

#include "decide/contract_state.h"

/* The block to be filled in, as JSON and as `text`, which is in the fence unless `is_bare`. */
void bt_emit_contract_template(struct bt_buf *buf, const struct bt_contract_template *wanted,
                               bool is_bare);
/* What an agent is told at its start, and the marked block. */
void bt_emit_contract_guide(struct bt_buf *buf, const struct bt_contract_template *wanted);
void bt_emit_contract_agents(struct bt_buf *buf, const struct bt_contract_agent_list *agents);
/* With `history` every version, else what is in force. */
void bt_emit_contract_sections(struct bt_buf *buf, bt_str workspace,
                               const struct bt_contract_section_list *sections, bool history);

#endif
