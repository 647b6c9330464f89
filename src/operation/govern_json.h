/* SPDX-License-Identifier: Apache-2.0 */
/* govern_json.h - blocked agents as JSON. No object ends in a line feed. */
#ifndef BATON_SRC_OPERATION_GOVERN_JSON_H
#define BATON_SRC_OPERATION_GOVERN_JSON_H

#include "decide/governed_state.h"

void bt_emit_agent_blocks(struct bt_buf *buf, const struct bt_agent_block_list *blocks);
void bt_emit_unblock(struct bt_buf *buf, const struct bt_agent_unblock_options *unblock_options);

#endif
