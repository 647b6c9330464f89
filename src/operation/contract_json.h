/* SPDX-License-Identifier: Apache-2.0 */
/* contract_json.h - the stored contract state as JSON. No object ends in a line feed. */
#ifndef BATON_SRC_OPERATION_CONTRACT_JSON_H
#define BATON_SRC_OPERATION_CONTRACT_JSON_H

#include "decide/contract_state.h"

void bt_emit_contract_agents(struct bt_buf *buf, const struct bt_contract_agent_list *agents);
/* With `history` every version, else what is in force. */
void bt_emit_contract_sections(struct bt_buf *buf, bt_str workspace,
                               const struct bt_contract_section_list *sections, bool history);

#endif
