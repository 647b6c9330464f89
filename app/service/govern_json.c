/* SPDX-License-Identifier: Apache-2.0 */
/*
 * govern_json.c - blocked agents, written for programs.
 */
#include "service/govern_json.h"

#include <baton/json.h>

static void put_block(struct bt_emit *emit, const struct bt_block *block)
{
    bt_emit_object(emit);
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

void blocks_put(struct bt_buf *buf, const struct bt_blocks *blocks)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_name(&emit, "blocked");
    bt_emit_array(&emit);
    for (size_t i = 0; i < blocks->count; i++) {
        put_block(&emit, &blocks->items[i]);
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
}

void unblocking_put(struct bt_buf *buf, const struct bt_unblocking *asked)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "agent_id", asked->agent_id);
    bt_emit_name(&emit, "unblocked");
    bt_emit_bool(&emit, asked->is_unblocked);
    bt_emit_name(&emit, "findings");
    bt_emit_array(&emit);
    bt_emit_findings(&emit, asked->findings);
    bt_emit_end(&emit);
    bt_emit_name(&emit, "record");
    bt_emit_raw(&emit, asked->record.len > 0 ? asked->record : BT_STR("null"));
    bt_emit_end(&emit);
}
