/* SPDX-License-Identifier: Apache-2.0 */
/* govern_json.c - blocked agents as JSON. */
#include "operation/govern_json.h"

#include <baton/json.h>

#include "json/emit.h"

static void put_block(struct bt_emit *emit, const struct bt_agent_block *block)
{
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "agent_id", block->agent_id);
    bt_emit_member_string(emit, "since", block->since);
    bt_emit_member_string(emit, "reason", block->reason);
    bt_emit_name(emit, "handoff_id");
    if (block->handoff_id.len > 0) {
        bt_emit_string(emit, block->handoff_id);
    } else {
        bt_emit_null(emit);
    }
    bt_emit_member_u64(emit, "seq", block->seq);
    bt_emit_end(emit);
}

void bt_emit_agent_blocks(struct bt_buf *buf, const struct bt_agent_block_list *blocks)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_name(&emit, "blocked");
    bt_emit_begin_array(&emit);
    for (size_t i = 0; i < blocks->count; i++) {
        put_block(&emit, &blocks->items[i]);
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
}

void bt_emit_unblock(struct bt_buf *buf, const struct bt_agent_unblock_options *unblock_options)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "agent_id", unblock_options->agent_id);
    bt_emit_name(&emit, "unblocked");
    bt_emit_bool(&emit, unblock_options->is_unblocked);
    bt_emit_name(&emit, "findings");
    bt_emit_begin_array(&emit);
    bt_findings_emit(&emit, unblock_options->findings);
    bt_emit_end(&emit);
    bt_emit_name(&emit, "record");
    bt_emit_raw(&emit, unblock_options->record.len > 0 ? unblock_options->record : BT_STR("null"));
    bt_emit_end(&emit);
}
