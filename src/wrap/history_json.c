/* SPDX-License-Identifier: Apache-2.0 */
/* history_json.c - recorded calls -> JSON. */
#include "wrap/history_json.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "json/emit.h"

enum { REF_BYTES_MAX = 1024 }; /* origins are shorter than 256 bytes */

void bt_wrap_past_calls_emit(struct bt_emit *emit, bt_str origin,
                             const struct bt_wrap_past_calls *calls)
{
    bt_emit_member_u64(emit, "baton", 1);
    bt_emit_member_string(emit, "origin", origin);
    bt_emit_member_array(emit, "calls");
    for (size_t i = 0; i < calls->count; i++) {
        bt_wrap_past_call_emit(emit, &calls->items[i]);
    }
    bt_emit_end(emit);
}

static void put_document(struct bt_emit *emit, const char *name, const struct bt_json_doc *document)
{
    if (document) {
        bt_emit_member_raw(emit, name, bt_json_source(document));
    } else {
        bt_emit_member_null(emit, name);
    }
}

void bt_wrap_past_call_emit_whole(struct bt_emit *emit, bt_str origin,
                                  const struct bt_wrap_past_call *call)
{
    char ref[REF_BYTES_MAX];
    (void)snprintf(ref, sizeof(ref), "%.*s#%" PRIu64, BT_STR_ARG(origin), call->seq);
    bt_emit_member_u64(emit, "baton", 1);
    bt_emit_member_u64(emit, "seq", call->seq);
    bt_emit_member_string(emit, "ref", bt_str_of(ref));
    put_document(emit, "entry", call->entry);
    put_document(emit, "call", call->record);
}

/* The counts of the tools from index `from` on that belong to one server, added up. */
static struct bt_wrap_tool_stats add_up(const struct bt_wrap_tool_stats *tools, size_t count,
                                        size_t from, size_t *out_end)
{
    struct bt_wrap_tool_stats sum = {.server = tools[from].server, .tool = BT_STR("")};
    size_t i = from;
    for (; i < count && bt_str_eq(tools[i].server, sum.server); i++) {
        sum.calls += tools[i].calls;
        sum.returned += tools[i].returned;
        sum.failed += tools[i].failed;
        sum.refused += tools[i].refused;
        sum.tokens += tools[i].tokens;
        sum.cost += tools[i].cost;
    }
    *out_end = i;
    return sum;
}

static void put_percentile(struct bt_emit *emit, const char *name,
                           const struct bt_wrap_tool_stats *tool, unsigned percent)
{
    const bool is_known = tool->ms.count > 0;
    bt_emit_member_u64_or_null(
        emit, name, is_known,
        is_known ? bt_wrap_percentile(tool->ms.items, tool->ms.count, percent) : 0);
}

static void put_tool(struct bt_emit *emit, const struct bt_wrap_tool_stats *tool)
{
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "tool", tool->tool);
    bt_emit_member_u64(emit, "calls", tool->calls);
    bt_emit_member_u64(emit, "failed", tool->failed);
    bt_emit_member_u64(emit, "refused", tool->refused);
    put_percentile(emit, "ms_p50", tool, 50);
    put_percentile(emit, "ms_p95", tool, 95);
    bt_emit_member_u64(emit, "tokens", tool->tokens);
    bt_emit_end(emit);
}

void bt_wrap_stats_emit(struct bt_emit *emit, const struct bt_wrap_tool_stats *tools, size_t count)
{
    bt_emit_begin_object(emit);
    bt_emit_member_u64(emit, "baton", 1);
    bt_emit_member_array(emit, "servers");
    for (size_t i = 0, end = 0; i < count; i = end) {
        const struct bt_wrap_tool_stats sum = add_up(tools, count, i, &end);
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "server", sum.server);
        bt_emit_member_u64(emit, "calls", sum.calls);
        bt_emit_member_u64(emit, "returned", sum.returned);
        bt_emit_member_u64(emit, "failed", sum.failed);
        bt_emit_member_u64(emit, "refused", sum.refused);
        bt_emit_member_u64(emit, "tokens", sum.tokens);
        bt_emit_member_u64(emit, "cost", sum.cost);
        bt_emit_member_array(emit, "tools");
        for (size_t j = i; j < end; j++) {
            put_tool(emit, &tools[j]);
        }
        bt_emit_end(emit);
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
    bt_emit_end(emit);
}
