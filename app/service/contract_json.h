/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contract_json.h - what the gate keeps, written for programs. No object ends in a line feed.
 */
#ifndef BATON_APP_SERVICE_CONTRACT_JSON_H
#define BATON_APP_SERVICE_CONTRACT_JSON_H

#include <baton/gate.h>

void states_put(struct bt_buf *buf, const struct bt_agent_states *agents);
/* With `history` every version, else what is in force. */
void sections_put(struct bt_buf *buf, bt_str workspace, const struct bt_kept_sections *sections,
                  bool history);

#endif
